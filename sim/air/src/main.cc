// air CONFIG.json the cell on the wall clock, until SIGTERM, SIGINT or duration_s air --virtual
// CONFIG.json the same engine in virtual time, in-process sources only air --check CONFIG.json
// checks the configuration; prints nothing if it is valid
#include <cstdio>
#include <fstream>
#include <iostream>
#include <system_error>

#include "air_capture.hpp"
#include "cell.hpp"
#include "config_reader.hpp"
#include "counters.hpp"
#include "des/virtual_driver.hpp"
#include "des/wall_clock_driver.hpp"
#include "ports/port.hpp"
#include "ports/quiet.hpp"

namespace {

constexpr int kBadInput = 2;
constexpr int kFailed = 1;

struct Arguments {
    std::string config;
    bool virtual_time = false;
    bool check = false;
};

int usage() {
    std::fputs("usage: air [--virtual | --check] CONFIG.json\n", stderr);
    return kBadInput;
}

void write_counters(const air::Cell &cell, des::Time now, nlohmann::ordered_json clock) {
    const std::string &path = cell.config().counters_path;
    if (path.empty())
        return;
    nlohmann::ordered_json json = air::counters_json(cell, now);
    if (!clock.is_null())
        json["clock"] = std::move(clock);
    const std::string text = json.dump(1) + "\n";
    if (path == "-") {
        std::cout << text;
        return;
    }
    std::ofstream stream(path, std::ios::binary);
    if (!(stream << text))
        throw std::system_error(errno, std::generic_category(), path);
}

void run_virtual(const air::CellConfig &config) {
    if (!config.duration)
        throw config::Error("(configuration)", "duration_s", "is missing",
                            "virtual time needs an end");
    des::EventQueue queue;
    air::Cell cell(queue, config, {});
    std::optional<air::AirCapture> capture;
    if (!config.capture.path.empty())
        cell.set_log(&capture.emplace(config, cell));
    cell.start();
    des::run_virtual(queue, *config.duration);
    write_counters(cell, queue.now(), {});
}

// Ports in the order of service: the wired one, then the stations' in the order of the
// configuration.
struct Ports {
    std::unique_ptr<ports::Port> wired;
    std::vector<std::unique_ptr<ports::Port>> stations;

    explicit Ports(const air::CellConfig &config) {
        if (config.wired.any())
            wired = ports::Port::open(config.wired);
        for (const air::StationConfig &station : config.stations)
            stations.push_back(station.port.any() ? ports::Port::open(station.port) : nullptr);
    }
    [[nodiscard]] std::uint64_t lost() const {
        std::uint64_t count = wired ? wired->lost() : 0;
        for (const auto &port : stations)
            count += port ? port->lost() : 0;
        return count;
    }
};

void run_on_wall_clock(const air::CellConfig &config) {
    Ports ports(config);
    des::EventQueue queue;
    air::Cell::Outside outside;
    if (ports.wired)
        outside.to_wired = [&](std::span<const std::uint8_t> frame) { ports.wired->send(frame); };
    outside.to_station = [&](air::StationId id, std::span<const std::uint8_t> frame) {
        ports.stations[static_cast<std::size_t>(id - 1)]->send(frame);
    };
    air::Cell cell(queue, config, std::move(outside));
    std::optional<air::AirCapture> capture;
    if (!config.capture.path.empty())
        cell.set_log(&capture.emplace(config, cell));
    des::WallClockDriver driver(
        queue,
        {.spin = config.spin, .longest_sleep = config.longest_sleep, .realtime = config.realtime});
    driver.stop_on_signals();
    driver.set_next_moment([&] { return cell.next_moment(); });
    // With SCHED_FIFO no other process runs between a check of the ports and the end of the wait.
    driver.run_ahead([&] { return cell.next_exit(); },
                     [&](des::Time woken) {
                         return driver.statistics().realtime ? ports::quiet_until(woken)
                                                             : des::Time{0};
                     });
    if (ports.wired)
        driver.add_port(ports.wired->descriptor(), [&] {
            ports.wired->drain([&](auto frame) { cell.from_wired_port(frame); });
        });
    for (std::size_t i = 0; i < ports.stations.size(); ++i) {
        const ports::Port *port = ports.stations[i].get();
        const auto id = static_cast<air::StationId>(i + 1);
        if (port != nullptr)
            driver.add_port(port->descriptor(), [&cell, port, id] {
                port->drain([&](auto frame) { cell.from_station_port(id, frame); });
            });
    }
    cell.start();
    // The parent process waits for this line: the ports are now open.
    std::puts("air: ready");
    std::fflush(stdout);
    driver.run(config.duration.value_or(des::kNever));
    if (capture)
        capture->flush();
    write_counters(cell, queue.now(),
                   {{"wakeups", driver.statistics().wakeups},
                    {"worst_lateness_s", des::to_seconds(driver.statistics().worst_lateness)},
                    {"realtime", driver.statistics().realtime},
                    {"events", queue.executed()},
                    {"frames_lost_at_ports", ports.lost()}});
}

} // namespace

int main(int argc, char **argv) {
    Arguments arguments;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "--virtual")
            arguments.virtual_time = true;
        else if (word == "--check")
            arguments.check = true;
        else if (word.starts_with("-") || !arguments.config.empty())
            return usage();
        else
            arguments.config = word;
    }
    if (arguments.config.empty())
        return usage();
    try {
        const air::CellConfig config = air::read_config_file(arguments.config);
        if (arguments.virtual_time)
            run_virtual(config);
        else if (!arguments.check)
            run_on_wall_clock(config);
    } catch (const config::Error &error) {
        std::fprintf(stderr, "thinwire: error: %s\n", error.what());
        return kBadInput;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "thinwire: error: air: %s\n", error.what());
        return kFailed;
    }
    return 0;
}
