// Positions of the sites, and the losses between a device and each cell.
#pragma once

#include <vector>

#include "config.hpp"
#include "des/random.hpp"

namespace nbiot {

struct Point {
    double x = 0, y = 0; // metres
};

// Path loss at 900 MHz in dB, distance in metres: 120.9 + 37.6 log10(km) (TR 45.820 table D.1).
double path_loss_db(double distance_m);

// Gain of a sector antenna relative to its boresight, `offset_deg` from it, in dB (TR 36.814 table
// A.2.1.1-2, horizontal pattern).
double pattern_db(double offset_deg, double beam_width_deg, double front_to_back_db);

// Sites on a hexagonal grid, each with its sectors. With wrap-around, the cluster of seven repeats
// around itself and the nearest image of a site counts (TR 36.814 A.2.1.1 uses the same treatment).
class Layout {
public:
    explicit Layout(const Scenario &scenario);

    [[nodiscard]] int cells() const { return static_cast<int>(sites_.size()) * scenario_.sectors; }
    // A uniformly random position in the simulated area, at least 35 m from every site.
    [[nodiscard]] Point place(des::RandomStream &random) const;
    // Coupling gains (linear, all losses and antenna gains included) from `at` to every cell, with
    // shadowing from `random`.
    void gains(Point at, des::RandomStream &random, std::vector<float> &out) const;
    [[nodiscard]] const std::vector<Point> &sites() const { return sites_; }
    // Vector from the nearest image of site `index` to `at`.
    [[nodiscard]] Point from_site(std::size_t index, Point at) const;

private:
    Scenario scenario_;
    std::vector<Point> sites_;
    std::vector<Point> images_; // translations of the cluster, the zero vector first
};

} // namespace nbiot
