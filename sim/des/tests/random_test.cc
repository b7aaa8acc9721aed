#include "des/random.hpp"

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <string>

namespace {

using des::RandomStream;

// Known values: a change here would change every recorded trial.
TEST(RandomStream, IsAFunctionOfSeedAndNameForEver) {
    RandomStream stream(1, "a");
    EXPECT_EQ(stream.bits(), 0x80ff0c14f91a9c55ull);
    EXPECT_EQ(stream.bits(), 0x94af0db7e7861065ull);
    EXPECT_DOUBLE_EQ(RandomStream(1, "a").exponential(1), 0.7009610521949633);
}

TEST(RandomStream, OtherSeedOrNameIsAnotherStream) {
    EXPECT_NE(RandomStream(1, "a").bits(), RandomStream(2, "a").bits());
    EXPECT_NE(RandomStream(1, "a").bits(), RandomStream(1, "b").bits());
    EXPECT_EQ(RandomStream(9, "x").bits(), RandomStream(9, "x").bits());
}

TEST(RandomStream, IntegersCoverTheRangeEvenly) {
    RandomStream stream(3, "integers");
    int counts[6] = {};
    for (int i = 0; i < 60000; ++i)
        ++counts[stream.integer(-2, 3) + 2];
    double chi2 = 0;
    for (const int count : counts)
        chi2 += (count - 10000.0) * (count - 10000.0) / 10000.0;
    EXPECT_LT(chi2, 20.5); // 5 degrees of freedom, 0.1 %
}

TEST(RandomStream, IntegersTakeTheWidestRanges) {
    RandomStream stream(3, "wide");
    constexpr auto kLow = std::numeric_limits<std::int64_t>::min();
    constexpr auto kHigh = std::numeric_limits<std::int64_t>::max();
    EXPECT_NE(stream.integer(kLow, kHigh), stream.integer(kLow, kHigh));
    EXPECT_EQ(stream.integer(kHigh, kHigh), kHigh);
    for (int i = 0; i < 100; ++i)
        EXPECT_GE(stream.integer(kLow + 1, kHigh), kLow + 1);
}

TEST(RandomStream, MomentsOfTheDistributions) {
    RandomStream stream(4, "moments");
    const int n = 200000;
    double u = 0, e = 0, e2 = 0, g = 0, g2 = 0;
    for (int i = 0; i < n; ++i) {
        u += stream.uniform(2, 4);
        const double x = stream.exponential(3);
        e += x;
        e2 += x * x;
        const double y = stream.normal(-1, 2);
        g += y;
        g2 += y * y;
    }
    EXPECT_NEAR(u / n, 3, 0.01);
    EXPECT_NEAR(e / n, 3, 0.03);
    EXPECT_NEAR(e2 / n, 18, 0.4);
    EXPECT_NEAR(g / n, -1, 0.02);
    EXPECT_NEAR(g2 / n - (g / n) * (g / n), 4, 0.05);
}

TEST(RandomStream, ChanceAtTheEndsDrawsNothing) {
    RandomStream a(5, "chance"), b(5, "chance");
    EXPECT_FALSE(a.chance(0));
    EXPECT_TRUE(a.chance(1));
    EXPECT_EQ(a.bits(), b.bits());
}

TEST(PortableLog, IsWithinTwoUnitsInTheLastPlace) {
    RandomStream stream(6, "log");
    for (int i = 0; i < 100000; ++i) {
        const double x =
            std::ldexp(stream.uniform(0.5, 1), static_cast<int>(stream.integer(-60, 60)));
        const double reference = static_cast<double>(std::log(static_cast<long double>(x)));
        const double ulp = std::nextafter(std::fabs(reference), 1e300) - std::fabs(reference);
        EXPECT_LE(std::fabs(des::portable_log(x) - reference), 2 * ulp) << x;
    }
    EXPECT_EQ(des::portable_log(1), 0);
    EXPECT_EQ(des::portable_log(0), -std::numeric_limits<double>::infinity());
}

} // namespace
