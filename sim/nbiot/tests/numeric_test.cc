// Do the portable elementary functions agree with the standard library's?
#include "numeric.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace nbiot {
namespace {

constexpr double kPi = std::numbers::pi;

TEST(PortableAtan2, IsTheAngleAllAround) {
    for (int degrees = -1799; degrees <= 1800; ++degrees)
        for (const double radius : {1e-9, 1.0, 3e5}) {
            const double angle = degrees * kPi / 1800;
            const double x = radius * std::cos(angle), y = radius * std::sin(angle);
            EXPECT_NEAR(portable_atan2(y, x), std::atan2(y, x), 2e-15) << degrees;
        }
}

TEST(PortableAtan2, IsExactOnTheAxes) {
    EXPECT_EQ(portable_atan2(0, 0), 0);
    EXPECT_EQ(portable_atan2(0, 2), 0);
    EXPECT_EQ(portable_atan2(2, 0), kPi / 2);
    EXPECT_EQ(portable_atan2(-2, 0), -kPi / 2);
    EXPECT_EQ(portable_atan2(0, -2), kPi);
}

TEST(PortableExp, FollowsTheExponential) {
    for (double x = -690; x <= 690; x += 0.37)
        EXPECT_NEAR(portable_exp(x) / std::exp(x), 1, 1e-14) << x;
}

TEST(NormalTail, FollowsTheComplementaryErrorFunction) {
    for (double x = -8; x <= 8; x += 0.01)
        EXPECT_NEAR(normal_tail(x) / (std::erfc(x / std::numbers::sqrt2) / 2), 1, 1.3e-7) << x;
}

} // namespace
} // namespace nbiot
