// air-bench: events per second of the engine, in virtual time, without captures.
#include <chrono>
#include <cstdio>
#include <string>

#include "cell.hpp"
#include "config_reader.hpp"
#include "des/virtual_driver.hpp"

namespace {

struct Load {
    const char *name;
    const char *standard;
    const char *background;
    double seconds;
};

constexpr Load kLoads[] = {
    {"saturated up, 1 station", "g", R"([{"profile":"saturated","direction":"up"}])", 600},
    {"saturated up, 5 stations", "g", R"([{"profile":"saturated","direction":"up","stations":5}])",
     300},
    {"saturated up, 20 stations", "g",
     R"([{"profile":"saturated","direction":"up","stations":20}])", 200},
    {"bulk 10 Mb/s, 5 stations", "g",
     R"([{"profile":"bulk","direction":"both","stations":5,"load_mbps":10}])", 600},
    {"mixed, 20 stations, 802.11n", "n",
     R"([{"profile":"bulk","stations":5},{"profile":"web","stations":5,"load_mbps":5},
         {"profile":"voice","stations":5},{"profile":"video","stations":5,"load_mbps":5}])",
     200},
};

} // namespace

int main() {
    std::printf("%-30s %12s %10s %14s %12s\n", "load", "events", "wall s", "events/s",
                "x real time");
    for (const Load &load : kLoads) {
        const std::string json = std::string(R"({"cell":{"standard":")") + load.standard +
                                 R"("},"background":)" + load.background + "}";
        des::EventQueue queue;
        air::Cell cell(queue, air::read_config(json, "(bench)"), {});
        cell.start();
        const auto start = std::chrono::steady_clock::now();
        const auto events = des::run_virtual(queue, des::from_seconds(load.seconds));
        const double wall =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        std::printf("%-30s %12llu %10.3f %14.0f %12.0f\n", load.name,
                    static_cast<unsigned long long>(events), wall,
                    static_cast<double>(events) / wall, load.seconds / wall);
    }
    return 0;
}
