// The cell under saturation, simulated and by theory.
#pragma once

#include <cstdint>
#include <string_view>

#include "phy.hpp"

namespace air {

struct SaturationCase {
    std::string_view phy; // as in figures: "b1", "g54"
    Standard standard;
    double mbps;
};
inline constexpr SaturationCase kSaturationCases[] = {{"b1", Standard::b, 1},
                                                      {"b11", Standard::b, 11},
                                                      {"g6", Standard::g, 6},
                                                      {"g54", Standard::g, 54}};
inline constexpr unsigned kSaturationStations[] = {1, 2, 5, 10, 20};

// Throughputs in bits per second of IP packets of 1500 bytes, sent by n stations to the access
// point, no beacons.
double simulated_saturation(const SaturationCase &c, unsigned stations, Time duration,
                            std::uint64_t seed);
double theoretical_saturation(const SaturationCase &c, unsigned stations);

} // namespace air
