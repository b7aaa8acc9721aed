// What one run counts.
#pragma once

#include <cstdint>
#include <vector>

namespace nbiot {

// One measured report.
struct Report {
    float delay_s;   // from the device's buffer to the cloud; negative: never delivered
    float gain_db;   // coupling gain to its cell
    float energy_mj; // radio energy until the device leaves
    std::uint8_t level;
};

struct Tally {
    std::vector<Report> reports;
    // Whole run, all cells
    std::uint64_t arrivals = 0;
    std::uint64_t events = 0;
    std::uint64_t preambles = 0;
    std::uint64_t preamble_collisions = 0; // preambles sent that another device also chose
    std::uint64_t uplink_blocks = 0, uplink_errors = 0;
    std::uint64_t downlink_blocks = 0, downlink_errors = 0;
    std::uint64_t control_messages = 0, control_errors = 0;
    std::uint64_t transport_retransmissions = 0;
    double control_ms = 0, downlink_ms = 0; // subframes used
    double uplink_tone_ms = 0;
    double delivered_bits = 0; // in the measured part of the run
    std::uint32_t devices_peak = 0;
};

} // namespace nbiot
