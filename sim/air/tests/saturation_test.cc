#include "saturation.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "bianchi.hpp"

namespace {

using namespace std::chrono_literals;
using namespace air;

// Within 2.5 % of theory at every point, and closer in the mean?
TEST(Saturation, AgreesWithBianchi) {
    double sum = 0;
    int points = 0;
    for (const SaturationCase &c : kSaturationCases)
        for (const unsigned n : kSaturationStations) {
            const double ratio =
                simulated_saturation(c, n, c.mbps < 2 ? Time(2000s) : Time(200s), 1) /
                theoretical_saturation(c, n);
            EXPECT_NEAR(ratio, 1, 0.025) << c.phy << ", " << n << " stations";
            sum += std::fabs(ratio - 1);
            ++points;
        }
    EXPECT_LT(sum / points, 0.01);
}

// One station never collides: the sum of its parts is exact, 1 / (data + SIFS + ACK + DIFS + mean
// backoff).
TEST(Saturation, OneStationIsExact) {
    const double expected = 1500 * 8 / ((254 + 10 + 34 + 28 + 7.5 * 9) * 1e-6);
    EXPECT_NEAR(theoretical_saturation(kSaturationCases[3], 1), expected, 1);
    EXPECT_NEAR(simulated_saturation(kSaturationCases[3], 1, 100s, 1), expected, 0.002 * expected);
}

// Without a retry limit, is it Bianchi's own closed form (2000, equations 7, 9, 13) with the
// paper's FHSS parameters, W = 32 and m = 3?
TEST(Bianchi, WithoutRetryLimitIsThePapersClosedForm) {
    constexpr double kW = 32, kM = 3, kSlot = 50, kSuccess = 8982, kCollision = 8713,
                     kPayload = 8184;
    for (const unsigned n : {2u, 10u, 50u}) {
        const auto tau_of = [&](double p) {
            return 2 * (1 - 2 * p) / ((1 - 2 * p) * (kW + 1) + p * kW * (1 - std::pow(2 * p, kM)));
        };
        double p = 0.3; // damped iteration, unlike the bisection under test
        for (int i = 0; i < 5000; ++i)
            p = 0.9 * p + 0.1 * (1 - std::pow(1 - tau_of(p), n - 1.0));
        const double tau = tau_of(p);
        const double idle = std::pow(1 - tau, n), success = n * tau * std::pow(1 - tau, n - 1.0);
        const double expected =
            success * kPayload /
            (idle * kSlot + success * kSuccess + (1 - idle - success) * kCollision);
        BianchiInput input{};
        input.stations = n;
        input.cw_min = 31;
        input.cw_max = 255;
        input.retry_limit = 100; // practically none
        input.slot = 50us;
        input.success = 8982us;
        input.collision = 8713us;
        input.payload_bits = 8184;
        EXPECT_NEAR(bianchi_throughput(input) * 1e-6, expected, 1e-6) << n;
    }
}

} // namespace
