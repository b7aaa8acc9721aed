// Bodies of management frames (IEEE 802.11-2016, 9.3.3 and 9.4.2).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "burst.hpp"

namespace air {

struct BeaconFields {
    Time timestamp{0};
    std::uint16_t interval_tu = 100;
    Standard standard = Standard::g;
    unsigned channel = 1;
    unsigned dtim_count = 0;
    unsigned dtim_period = 1;
    bool group_traffic = false;
    bool long_slot = false;
    bool protection = false;
    bool traffic_map = true;       // a probe response has none
    std::span<const bool> traffic; // by association identifier, from 1
};

// Reasons for a deauthentication (9.4.1.7).
inline constexpr std::uint16_t kReasonLeaving = 3, kReasonHandshakeTimeout = 15;

// The name of the network.
std::string_view network_name();
// The body of a beacon or a probe response.
std::vector<std::uint8_t> beacon_body(const BeaconFields &fields, const CellParameters &cell);
// Authentication (open system), association, probe request and deauthentication; empty for every
// other kind. `association_id` is 0 in frames of a station, and the station's number in those of
// the access point.
std::vector<std::uint8_t> management_body(FrameKind kind, Standard standard,
                                          const CellParameters &cell, unsigned association_id);

} // namespace air
