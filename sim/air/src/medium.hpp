// The half-duplex channel and its distributed coordination function (IEEE 802.11-2016, 10.3).
#pragma once

#include <array>
#include <vector>

#include "des/event_queue.hpp"
#include "des/random.hpp"
#include "phy.hpp"

namespace air {

// One access to the medium as its sender composed it.
struct Transmission {
    Time duration{0}; // protection frame and data PPDU
    Time response{0}; // ACK or block ack; 0 for group-addressed frames
    Modulation response_modulation = Modulation::ofdm;
    bool outside = false; // a host outside may wait for its frames
};

enum class Outcome : std::uint8_t {
    answered,    // the response is on the air
    unanswered,  // to be retransmitted
    given_up,    // unanswered, and the retry limit is reached
    no_response, // none was due
};

// Hearing groups: group 0 hears all and is heard by all, like the access point; the stations of two
// other groups are hidden from each other.
using Group = std::size_t;
inline constexpr Group kHeardByAll = 0;
inline constexpr Group kMostGroups = 16;

// A contender for the medium: a station, or one of the access point's two queues.
class Contender {
public:
    virtual ~Contender() = default;
    // Composes the frames to be sent now. Called only while wants_medium().
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

// Each group has its own view of the medium. Its slots are counted from the end of the last busy
// period: slot k begins SIFS + k slots after it, and every access starts at the beginning of a
// slot. A contender may use slot ifs + backoff. Here ifs is DIFS or AIFS, EIFS after a frame that
// it could not decode, and the end of the ACK timeout after its own unanswered frame. Frames that
// overlap at the access point collide, without capture: those of contenders that choose the same
// slot, and those of two groups that do not hear each other.
class Medium {
public:
    Medium(des::EventQueue &queue, std::uint64_t seed);

    void set_timing(const Timing &timing) { timing_ = timing; }
    // EIFS beyond DIFS: SIFS and an ACK at the lowest mandatory rate; 0 switches EIFS off.
    void set_eifs_beyond_difs(Time duration) { eifs_beyond_difs_ = duration; }
    // Contenders of one owner never collide on the air: the one added first sends, the other backs
    // off. Call it before the run.
    void add(Contender &contender, const Access &access, int owner, Group group = kHeardByAll);
    void set_access(Contender &contender, const Access &access);

    // The contender has something to send from now on.
    void request(Contender &contender);
    // The contender has nothing to send any more.
    void withdraw(Contender &contender);

    [[nodiscard]] const Timing &timing() const { return timing_; }
    [[nodiscard]] const MediumCounters &counters() const { return counters_; }
    // Start of the access that is being concluded.
    [[nodiscard]] Time access_start() const { return access_start_; }
    // The earliest end of data for the outside, whatever begins: of such data now on the air, or of
    // the shortest frame that may follow other data or the planned slot. kNever while nobody
    // competes.
    [[nodiscard]] Time earliest_end() const;
    // The end of the data for the outside that is on the air now; kNever if there is none.
    [[nodiscard]] Time outside_end() const;

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
        Group group = kHeardByAll;
        Contender *contender = nullptr;
        [[nodiscard]] std::int64_t slot() const {
            const std::int64_t counted = std::int64_t{resume_slot} + backoff;
            return counted > ready_slot ? counted : ready_slot;
        }
    };
    // The medium as a group hears it.
    struct View {
        Time idle_start{0};
        unsigned on_air = 0;  // number of accesses that it hears
        bool garbled = false; // they overlap, or have done so since the medium was last idle
        Time busy_start{0};
        std::int64_t planned_slot = -1;
        Time planned_time{0};
        des::EventHandle planned;
        bool plan_is_stale = false; // the contender that the plan was made for may have withdrawn
    };
    struct Sender {
        std::size_t state;
        Transmission transmission;
    };
    // The accesses of one group that began at the same moment; of all groups if one of them is
    // heard by all.
    struct Sending {
        std::vector<Sender> senders;
        Time start{0};
        Time end{0};
        bool on_air = false;
        bool collided = false;
        bool outside = false;
    };
    using Slots = std::array<std::int64_t, kMostGroups>; // of the groups

    [[nodiscard]] static bool hears(Group listener, Group sender);
    [[nodiscard]] bool idle(const View &view) const;
    [[nodiscard]] Time slot_time(const View &view, std::int64_t slot) const;
    [[nodiscard]] unsigned slots_until(Time after_idle) const;
    void draw_backoff(State &state);
    void plan(Group group);
    void plan_at(Group group, std::int64_t slot);
    [[nodiscard]] std::int64_t earliest_slot(Group group) const;
    [[nodiscard]] std::int64_t take_plan(Group group);
    void access();
    void choose_senders(const Slots &slots);
    void freeze(State &state, std::int64_t slot);
    void collide(Sending &sending);
    void begin(Group group, const Slots &slots);
    void interrupt(Group group);
    void end_of_data(Group group);
    void settle(State &state, Outcome outcome);
    void resume(Group group, unsigned wait);
    void become_idle(Group group, const Sending &ended, bool answered);
    void begin_response(Group answered);

    des::EventQueue &queue_;
    des::RandomStream random_;
    Timing timing_{};
    Time eifs_beyond_difs_{0};
    std::vector<State> states_;
    std::vector<View> views_;
    std::vector<Sending> sendings_; // by group: its contenders do not begin while another sends
    Time access_start_{0};
    Time response_end_{0}; // of the last response
    MediumCounters counters_;
};

} // namespace air
