// air-figures saturation    CSV n,phy,simulated_mbps,bianchi_mbps,ratio
// air-figures sleep         CSV modem_sleep,seed,request_s,round_trip_ms
#include <cstdio>
#include <cstring>

#include "saturation.hpp"
#include "sleep_trial.hpp"

namespace {

// Long enough for a standard error below half a percent at the slowest rate.
constexpr double kSimulatedSeconds = 200;

int saturation() {
    std::puts("n,phy,simulated_mbps,bianchi_mbps,ratio");
    for (const air::SaturationCase &c : air::kSaturationCases)
        for (const unsigned n : air::kSaturationStations) {
            const double seconds = c.mbps < 2 ? 10 * kSimulatedSeconds : kSimulatedSeconds;
            const double simulated =
                air::simulated_saturation(c, n, des::from_seconds(seconds), 1) * 1e-6;
            const double theory = air::theoretical_saturation(c, n) * 1e-6;
            std::printf("%u,%s,%.6f,%.6f,%.6f\n", n, c.phy.data(), simulated, theory,
                        simulated / theory);
        }
    return 0;
}

constexpr std::size_t kRequests = 100; // as recorded
constexpr std::uint64_t kSleepSeeds = 10;

int sleep() {
    std::puts("modem_sleep,seed,request_s,round_trip_ms");
    for (const bool modem_sleep : {true, false})
        for (std::uint64_t seed = 1; seed <= kSleepSeeds; ++seed)
            for (const air::RequestFlow::Sample &sample :
                 air::sleep_trial(modem_sleep, kRequests, seed))
                std::printf("%d,%llu,%.9f,%.6f\n", modem_sleep ? 1 : 0,
                            static_cast<unsigned long long>(seed), des::to_seconds(sample.request),
                            des::to_seconds(sample.round_trip) * 1e3);
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    if (argc == 2 && std::strcmp(argv[1], "saturation") == 0)
        return saturation();
    if (argc == 2 && std::strcmp(argv[1], "sleep") == 0)
        return sleep();
    std::fputs("usage: air-figures saturation | sleep\n", stderr);
    return 2;
}
