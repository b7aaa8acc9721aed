#include "geometry.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "numeric.hpp"

namespace nbiot {
namespace {

TEST(PathLoss, FollowsTheFormula) {
    EXPECT_NEAR(path_loss_db(1000), 120.9, 1e-9);
    EXPECT_NEAR(path_loss_db(100), 120.9 - 37.6, 1e-9);
    EXPECT_NEAR(path_loss_db(35), 120.9 + 37.6 * std::log10(0.035), 1e-9);
}

TEST(Pattern, FallsByThreeDecibelsAtHalfTheBeamWidth) {
    EXPECT_EQ(pattern_db(0, 70, 25), 0);
    EXPECT_NEAR(pattern_db(35, 70, 25), -3, 1e-9);
    EXPECT_NEAR(pattern_db(-325, 70, 25), -3, 1e-9);
    EXPECT_EQ(pattern_db(180, 70, 25), -25);
}

TEST(Layout, HasAnEqualDistanceToEverySiteInTheMeanWithWrapAround) {
    const Layout layout{Scenario{}};
    ASSERT_EQ(layout.cells(), 21);
    des::RandomStream random(1, "test.wrap");
    std::vector<double> mean(7, 0);
    constexpr int kPlaces = 20000;
    for (int i = 0; i < kPlaces; ++i) {
        const Point at = layout.place(random);
        for (std::size_t site = 0; site < 7; ++site) {
            const Point d = layout.from_site(site, at);
            mean[site] += std::hypot(d.x, d.y) / kPlaces;
        }
    }
    for (const double value : mean)
        EXPECT_NEAR(value / mean[0], 1, 0.01);
}

TEST(Layout, KeepsEveryPlaceInTheHexagonOfItsNearestSite) {
    const Scenario scenario;
    const Layout layout{scenario};
    des::RandomStream random(2, "test.hexagon");
    for (int i = 0; i < 5000; ++i) {
        const Point at = layout.place(random);
        double least = 1e9;
        for (std::size_t site = 0; site < 7; ++site) {
            const Point d = layout.from_site(site, at);
            least = std::min(least, std::hypot(d.x, d.y));
        }
        EXPECT_GE(least, 35 - 1e-9);
        EXPECT_LE(least, scenario.inter_site_distance_m / std::sqrt(3.0) + 1e-6);
    }
}

// Coupling loss without shadowing of one omnidirectional site: the distribution function is the
// area of the hexagon within the distance that corresponds to the loss.
TEST(Gains, HaveTheDistributionOfTheFormula) {
    Scenario scenario;
    scenario.sites = 1;
    scenario.sectors = 1;
    scenario.shadowing_sd_db = 0;
    const Layout layout(scenario);
    des::RandomStream random(3, "test.distribution");
    const double inner = scenario.inter_site_distance_m / 2;
    const double fixed = 18 - 3 - 4 - 20;
    std::vector<double> loss;
    std::vector<float> gains;
    constexpr int kPlaces = 40000;
    for (int i = 0; i < kPlaces; ++i) {
        layout.gains(layout.place(random), random, gains);
        loss.push_back(-to_db(static_cast<double>(gains[0])));
    }
    std::sort(loss.begin(), loss.end());
    for (const double distance : {200.0, 400.0, 600.0, 800.0}) { // inside the inner circle
        const double bound = path_loss_db(distance) - fixed;
        const double hexagon = 2 * std::sqrt(3.0) * inner * inner;
        const double hole = M_PI * 35 * 35;
        const double expected = (M_PI * distance * distance - hole) / (hexagon - hole);
        const double share =
            static_cast<double>(std::lower_bound(loss.begin(), loss.end(), bound) - loss.begin()) /
            kPlaces;
        EXPECT_NEAR(share, expected, 0.008) << distance;
    }
}

TEST(Gains, AreShadowedWithTheGivenSpreadAndCorrelation) {
    Scenario scenario;
    scenario.sectors = 1;
    const Layout layout(scenario);
    des::RandomStream random(4, "test.shadow");
    const Point at{300, 200};
    double sum0 = 0, sum1 = 0, square0 = 0, square1 = 0, product = 0;
    std::vector<float> gains;
    constexpr int kDraws = 40000;
    for (int i = 0; i < kDraws; ++i) {
        layout.gains(at, random, gains);
        const double a = to_db(static_cast<double>(gains[0]));
        const double b = to_db(static_cast<double>(gains[1]));
        sum0 += a, sum1 += b, square0 += a * a, square1 += b * b, product += a * b;
    }
    const double mean0 = sum0 / kDraws, mean1 = sum1 / kDraws;
    const double sd0 = std::sqrt(square0 / kDraws - mean0 * mean0);
    const double sd1 = std::sqrt(square1 / kDraws - mean1 * mean1);
    EXPECT_NEAR(sd0, 8, 0.15);
    EXPECT_NEAR(sd1, 8, 0.15);
    EXPECT_NEAR((product / kDraws - mean0 * mean1) / (sd0 * sd1), 0.5, 0.02);
}

TEST(Gains, AreTheSameForSectorsOfASiteButForTheirPattern) {
    const Layout layout{Scenario{}};
    des::RandomStream random(5, "test.sectors");
    std::vector<float> gains;
    layout.gains({100, 57.735}, random, gains); // on the boresight of the first sector of site 0
    EXPECT_NEAR(to_db(static_cast<double>(gains[0] / gains[1])), 25, 1e-3);
    EXPECT_NEAR(to_db(static_cast<double>(gains[1] / gains[2])), 0, 1e-3);
}

} // namespace
} // namespace nbiot
