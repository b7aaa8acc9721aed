// The half-duplex channel and its distributed coordination function (IEEE 802.11-2016, 10.3).
#pragma once

#include <vector>

#include "des/event_queue.hpp"
#include "des/random.hpp"
#include "phy.hpp"

namespace air {

// One access of the medium as its sender composed it.
struct Transmission {
    Time duration{0}; // protection frame and data PPDU
    Time response{0}; // ACK or block ack; 0 for group-addressed frames
    Modulation response_modulation = Modulation::ofdm;
};

enum class Outcome : std::uint8_t {
    answered,    // the response is on the air
    unanswered,  // to be tried again
    given_up,    // unanswered, and the retry limit is reached
    no_response, // none was due
};

// Something that competes for the medium: a station, or one of the access point's two queues.
class Contender {
public:
    virtual ~Contender() = default;
    // Builds what will be sent from now on. Called only while wants_medium().
    virtual Transmission compose() = 0;
    // The data has ended; decides the fate of its frames.
    virtual Outcome conclude(bool collided) = 0;
    [[nodiscard]] virtual bool wants_medium() const = 0;

private:
    friend class Medium;
    std::size_t index_ = 0;
};

struct MediumCounters {
    std::uint64_t accesses = 0;
    std::uint64_t collisions = 0;
    Time busy{0};
};

// Slots are counted from the end of the last busy period: slot k begins SIFS + k slots after it,
// and every access starts at the beginning of a slot. A contender may use slot ifs + backoff, where
// ifs is DIFS or AIFS, EIFS after a frame that it could not read, and the end of the ACK timeout
// after its own unanswered one. Contenders that choose the same slot collide; nobody captures.
class Medium {
public:
    Medium(des::EventQueue &queue, std::uint64_t seed);

    void set_timing(const Timing &timing) { timing_ = timing; }
    // EIFS beyond DIFS: SIFS and an ACK at the lowest mandatory rate; 0 switches EIFS off.
    void set_eifs_beyond_difs(Time duration) { eifs_beyond_difs_ = duration; }
    // Contenders of one owner never collide on the air: the one added first goes, the other backs
    // off.
    void add(Contender &contender, const Access &access, int owner);
    void set_access(Contender &contender, const Access &access);

    // The contender has something to send, from now on.
    void request(Contender &contender);
    // It has nothing to send any more.
    void withdraw(Contender &contender);

    [[nodiscard]] const Timing &timing() const { return timing_; }
    [[nodiscard]] const MediumCounters &counters() const { return counters_; }
    // Start of the access that is on the air.
    [[nodiscard]] Time access_start() const { return access_start_; }
    // No frame ends before this moment: that of the data on the air, or of the shortest that the
    // planned access may send. kNever while nobody competes.
    [[nodiscard]] Time earliest_end() const;

private:
    struct State {
        std::int64_t ready_slot = 0; // not before this slot
        unsigned resume_slot = 0;    // the backoff counts from this slot on
        unsigned backoff = 0;
        unsigned window = 0;
        bool active = false;
        bool sending = false;
        Access access{};
        int owner = 0;
        Contender *contender = nullptr;
        [[nodiscard]] std::int64_t slot() const {
            const std::int64_t counted = std::int64_t{resume_slot} + backoff;
            return counted > ready_slot ? counted : ready_slot;
        }
    };

    [[nodiscard]] bool idle() const;
    [[nodiscard]] Time slot_time(std::int64_t slot) const;
    [[nodiscard]] unsigned slots_until(Time after_idle) const;
    void draw_backoff(State &state);
    void plan();
    void plan_at(std::int64_t slot);
    [[nodiscard]] std::int64_t earliest_slot() const;
    void access();
    void choose_senders(std::int64_t slot);
    void end_of_data();
    void settle(State &state, Outcome outcome);

    des::EventQueue &queue_;
    des::RandomStream random_;
    Timing timing_{};
    Time eifs_beyond_difs_{0};
    std::vector<State> states_;
    struct Sender {
        std::size_t state;
        Transmission transmission;
    };
    std::vector<Sender> senders_;
    des::EventHandle access_event_;
    std::int64_t planned_slot_ = -1;
    Time idle_start_{0};
    Time access_start_{0};
    Time data_end_{0};
    bool on_air_ = false;
    bool plan_is_stale_ = false; // the contender that the plan was made for may have withdrawn
    MediumCounters counters_;
};

} // namespace air
