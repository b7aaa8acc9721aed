// One direction between two radios: the sender's settings and the counts of its frames.
#pragma once

#include "error_model.hpp"
#include "rate_control.hpp"

namespace air {

// Counts of one direction of one station. Bytes are payloads after the Ethernet header.
struct LinkCounters {
    std::uint64_t frames_received = 0;
    std::uint64_t bytes_received = 0;
    std::uint64_t attempts = 0;    // MPDUs put on the air
    std::uint64_t retries = 0;     // of these, repeated ones
    std::uint64_t collisions = 0;  // MPDUs lost to a collision
    std::uint64_t errors = 0;      // MPDUs lost to noise or to an absent receiver
    std::uint64_t given_up = 0;    // frames dropped at the retry limit
    std::uint64_t queue_drops = 0; // frames refused by a full queue or an absent station
    std::uint64_t aggregates = 0;  // A-MPDUs of two frames and more
    Time airtime{0};               // of data PPDUs, protection included
};

struct Link {
    RateControl rate;
    ErrorModel error;
    bool qos = false;       // 802.11n on both sides: QoS header
    bool aggregate = false; // and A-MPDU with block ack
    std::uint16_t next_sequence = 0;
    std::uint64_t packet_number = 0; // of the frame that was encrypted last
    LinkCounters counters{};
};

} // namespace air
