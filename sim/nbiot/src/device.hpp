// A device during the life of its report, and the base station's knowledge of it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "grid.hpp"
#include "link.hpp"
#include "radio.hpp"
#include "session.hpp"

namespace nbiot {

// Signalling messages (Packet::signal).
enum class Signal : std::uint8_t {
    kNone,
    kResume,
    kResumeComplete,
    kSetup,
    kSetupComplete,
    kSecurityCommand,
    kSecurityComplete,
    kReconfiguration,
    kReconfigurationComplete,
    kRelease
};

// A packet in an RLC buffer, `left` bytes of it (with PDCP header) still to be acknowledged by
// HARQ.
struct Queued {
    Packet packet;
    int left = 0;
};

// One direction's transport block from its control message to its end. There is one HARQ process
// for each direction (category NB1), and only one of them is busy at a time (half duplex).
struct Block {
    const Format *format = nullptr;
    Received received;
    int attempts = 0;
    int bytes = 0;        // of the RLC buffer
    bool status = false;  // carries an RLC STATUS PDU
    bool poll = false;    // empties the buffer, so it asks for a STATUS PDU
    int remaining = 0;    // uplink: the buffer status it reports
    bool active = false;  // scheduled and not over
    bool waiting = false; // failed, to be sent again
    bool hinted = false;  // uplink: granted with the polled status in mind
    bool decoded =
        false; // downlink: the device has received it, even if the acknowledgement is lost
    int control_subframes = 0;
    Span control, data, ack;
    int first_tone = 0;
    double mw_per_tone = 0;
    double interference_before = 0;
};

// Random access in progress.
struct Access {
    bool active = false;
    bool connected = false; // a scheduling request of a connected device
    int level = 0;          // coverage level of this attempt
    int level_attempts = 0;
    int attempts = 0;
    int preamble = 0;
    std::uint32_t epoch = 0; // outdated timers have an older value
    Ms began = 0;            // of the connection attempt, for T300
};

struct Device {
    std::uint32_t index = 0;
    std::uint32_t generation = 0; // counts the uses of this slot
    bool alive = false;
    bool measured = false;
    int cell = 0;
    int level = 0;       // coverage level that serves it
    bool queued = false; // in the scheduler's list
    bool bearer = false;
    bool connected = false;
    bool releasing = false;
    Ms ready = 0; // may be addressed by NPDCCH from here
    Access access;
    double arrived_s = 0;
    double delivered_s = -1;
    std::vector<float> gains;     // coupling gain to every cell
    double gain = 0, gain_db = 0; // to its own
    double open_loop_mw = 0;      // of one tone, from power control
    double worst_db = 0;          // downlink ratio with every other cell sending
    // The base station's last measurements of this device's links, and their time.
    mutable double downlink_db = 0, uplink_path_db = 0;
    mutable Ms downlink_at = -1, uplink_at = -1;
    std::array<double, spec::kTones + 1> tone_dbm{}; // of each of so many tones, repetitions <= 2

    Session session;
    Fading uplink_fading, downlink_fading;
    double uplink_margin_db = 0, downlink_margin_db = 0; // outer loop of link adaptation

    std::vector<Queued> uplink, downlink;
    std::vector<Packet> held;                    // user data before the bearer may be used
    Ms radio_free = 0;                           // for the half-duplex check
    int reported = 0;                            // uplink bytes the base station knows of
    bool status_hint = false;                    // it expects an RLC status
    bool device_status_due = false;              // RLC STATUS the device owes
    bool base_status_due = false;                // RLC STATUS the base station owes
    Ms uplink_blocked = 0, downlink_blocked = 0; // until t-PollRetransmit
    bool request_armed = false;
    Block up, down;

    // Ledger
    double transmit_mj = 0;
    double receive_ms = 0;
    double transmit_ms = 0;
    Ms connected_at = -1;
};

inline int buffered(const std::vector<Queued> &queue) {
    int bytes = 0;
    for (const Queued &item : queue)
        bytes += item.left;
    return bytes;
}

} // namespace nbiot
