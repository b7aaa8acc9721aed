// The content of one access to the medium for one receiver (a frame or an A-MPDU), and its outcome.
#pragma once

#include <array>
#include <functional>

#include "des/random.hpp"
#include "link.hpp"
#include "medium.hpp"
#include "tx_queue.hpp"

namespace air {

// Parameters that every transmitter of the cell shares.
struct CellParameters {
    std::vector<RateIndex> basic_rates;
    unsigned retry_limit = 7; // attempts = 1 + retry_limit
    bool short_preamble = false;
    bool eifs = true;           // listeners wait longer after a collision
    bool protection = false;    // CTS-to-self before OFDM and HT frames
    bool wpa2 = false;          // data are encrypted
    unsigned ampdu_frames = 64; // block ack window
    unsigned ampdu_bytes = 65535;
    Time ampdu_duration{4'000'000}; // longest data PPDU, as Linux drivers limit it
    [[nodiscard]] RateIndex lowest_basic() const { return basic_rates.front(); }
};

// A frame as a monitor beside the access point would record it.
struct AirRecord {
    enum class Control : std::uint8_t { none, cts, ack, block_ack };
    Time start{0};
    RateIndex rate = 0;
    Control control = Control::none;
    const Frame *frame =
        nullptr;          // the frame itself, or the one that a control frame protects or answers
    bool damaged = false; // not received by the intended receiver
    bool retry = false;
    Time reserved{0};        // Duration field
    std::uint32_t ampdu = 0; // reference number of the A-MPDU; 0 outside
    bool last_of_ampdu = false;
    std::uint64_t block_ack_bitmap = 0;
    std::uint16_t block_ack_start = 0;
};

class AirLog {
public:
    virtual ~AirLog() = default;
    virtual void record(const AirRecord &record) = 0;
};

class Burst {
public:
    struct Context {
        const CellParameters &parameters;
        const Timing &timing;
        des::RandomStream &errors;
        AirLog *log;                  // may be null
        std::uint64_t &group_packets; // encrypted with the group key so far
    };
    // A frame that leaves the queue: delivered to the receiver, or given up.
    using Leave = std::function<void(Frame &, bool acknowledged)>;
    using Deliver = std::function<void(Frame &)>;

    // Takes as many frames from the head of `queue` as one access may carry to their receiver.
    Transmission compose(TxQueue &queue, Link &link, const Context &context, bool single);
    // Call after the data has ended. `listening`: the receiver has its radio on. Delivered frames
    // are passed to `deliver` in order of sequence; frames that leave the queue to `leave`, before
    // they are erased.
    Outcome conclude(const Context &context, Time start, bool collided, bool listening,
                     const Deliver &deliver, const Leave &leave);
    // Frames of the queue's head that are on the air now.
    [[nodiscard]] std::size_t span() const {
        return count_ == 0 ? 0 : std::size_t{positions_[count_ - 1]} + 1;
    }
    // MPDU of this frame in bytes, header to FCS.
    static unsigned mpdu_bytes(const Frame &frame, bool qos);

private:
    void log_data(const Context &context, Time start, bool collided, std::uint64_t received);
    void log_response(const Context &context, Time start, std::uint64_t received);
    Outcome conclude_group(const Context &context, Time start, bool collided,
                           const Deliver &deliver, const Leave &leave);
    void release(const Deliver &deliver, const Leave &leave);

    TxQueue *queue_ = nullptr;
    Link *link_ = nullptr;
    std::array<std::uint16_t, 64> positions_{};
    unsigned count_ = 0;
    RateIndex rate_ = 0;
    RateIndex response_rate_ = 0;
    RateIndex cts_rate_ = 0;
    Time cts_{0};
    Time data_{0};
    Time response_{0};
    std::uint32_t next_ampdu_ = 0;
};

} // namespace air
