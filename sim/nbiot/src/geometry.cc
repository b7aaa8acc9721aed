#include "geometry.hpp"

#include <algorithm>
#include <cmath>

#include "numeric.hpp"
#include "spec.hpp"

namespace nbiot {

namespace {
constexpr double kSqrt3 = 1.7320508075688772;
constexpr double kDegrees = 57.295779513082323;
} // namespace

double path_loss_db(double distance_m) {
    return 120.9 + 3.76 * to_db(distance_m / 1000);
}

double pattern_db(double offset_deg, double beam_width_deg, double front_to_back_db) {
    double offset = std::fmod(std::fabs(offset_deg), 360.0);
    if (offset > 180)
        offset = 360 - offset;
    const double ratio = offset / beam_width_deg;
    return -std::min(12 * ratio * ratio, front_to_back_db);
}

Layout::Layout(const Scenario &scenario) : scenario_(scenario), images_{{0, 0}} {
    const double d = scenario.inter_site_distance_m;
    const Point a{d, 0}, b{d / 2, d * kSqrt3 / 2};
    const auto lattice = [&](int i, int j) { return Point{i * a.x + j * b.x, i * a.y + j * b.y}; };
    sites_.push_back({0, 0});
    if (scenario.sites == 7)
        for (const auto &[i, j] : {std::pair{1, 0}, {0, 1}, {-1, 1}, {-1, 0}, {0, -1}, {1, -1}})
            sites_.push_back(lattice(i, j));
    // The cluster of 7 repeats along (2, 1) and its five rotations by 60 degrees.
    if (scenario.sites == 7 && scenario.wrap_around)
        for (const auto &[i, j] : {std::pair{2, 1}, {-1, 3}, {-3, 2}, {-2, -1}, {1, -3}, {3, -2}})
            images_.push_back(lattice(i, j));
}

Point Layout::from_site(std::size_t index, Point at) const {
    Point best{};
    double least = -1;
    for (const Point &image : images_) {
        const Point offset{at.x - sites_[index].x - image.x, at.y - sites_[index].y - image.y};
        const double square = offset.x * offset.x + offset.y * offset.y;
        if (least < 0 || square < least) {
            least = square;
            best = offset;
        }
    }
    return best;
}

Point Layout::place(des::RandomStream &random) const {
    const double inner = scenario_.inter_site_distance_m / 2; // of a site's hexagon
    const auto site =
        static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(sites_.size()) - 1));
    for (;;) {
        // A site's hexagon has flat sides towards its neighbours, at 0, 60 ... 300 degrees.
        const double x = random.uniform(-inner, inner);
        const double y = random.uniform(-2 * inner / kSqrt3, 2 * inner / kSqrt3);
        const bool inside = std::fabs(x) / 2 + std::fabs(y) * kSqrt3 / 2 <= inner;
        if (inside && x * x + y * y >= spec::kMinimumDistanceM * spec::kMinimumDistanceM)
            return {sites_[site].x + x, sites_[site].y + y};
    }
}

void Layout::gains(Point at, des::RandomStream &random, std::vector<float> &out) const {
    out.clear();
    const double common = random.normal(0, 1);
    const double own_share = std::sqrt(1 - scenario_.site_correlation);
    const double common_share = std::sqrt(scenario_.site_correlation);
    const double fixed_db = scenario_.base_gain_dbi - scenario_.cable_loss_db +
                            scenario_.device_gain_dbi - scenario_.indoor_loss_db;
    for (std::size_t site = 0; site < sites_.size(); ++site) {
        const double own = random.normal(0, 1);
        const double shadow = scenario_.shadowing_sd_db * (common_share * common + own_share * own);
        const Point offset = from_site(site, at);
        const double distance =
            std::max(std::sqrt(offset.x * offset.x + offset.y * offset.y), spec::kMinimumDistanceM);
        const double site_db = fixed_db - path_loss_db(distance) + shadow;
        const double bearing = portable_atan2(offset.y, offset.x) * kDegrees;
        for (int sector = 0; sector < scenario_.sectors; ++sector) {
            const double pattern =
                scenario_.sectors == 1
                    ? 0
                    : pattern_db(bearing - 30 - 120.0 * sector, scenario_.beam_width_deg,
                                 scenario_.front_to_back_db);
            const double gain = std::min(site_db + pattern, -spec::kMinimumCouplingLossDb);
            out.push_back(static_cast<float>(from_db(gain)));
        }
    }
    if (scenario_.fixed_coupling_loss_db > 0) {
        auto strongest = std::max_element(out.begin(), out.end());
        const double scale = from_db(-scenario_.fixed_coupling_loss_db) / *strongest;
        for (float &gain : out)
            gain = static_cast<float>(gain * scale);
    }
}

} // namespace nbiot
