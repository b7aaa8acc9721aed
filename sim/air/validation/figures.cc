// air-figures saturation    CSV n,phy,simulated_mbps,bianchi_mbps,ratio
#include <cstdio>
#include <cstring>

#include "saturation.hpp"

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

} // namespace

int main(int argc, char **argv) {
    if (argc == 2 && std::strcmp(argv[1], "saturation") == 0)
        return saturation();
    std::fputs("usage: air-figures saturation\n", stderr);
    return 2;
}
