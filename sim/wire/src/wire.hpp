// The engine: frames in, frames out, and the schedule of faults between. It does no I/O.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "config.hpp"
#include "des/event_queue.hpp"
#include "des/random.hpp"
#include "frame.hpp"
#include "nat.hpp"
#include "packets.hpp"

namespace wire {

// Frames without IPv4 and TCP or UDP, such as those of ARP, are subject to link_down and half_open
// alone. A fault applies to frames in the order of the schedule.
class Wire {
public:
    struct Outside {
        std::function<void(Side to, Span frame)> send;
        // A fault begins (over: false), or is over after it has affected so many frames.
        std::function<void(unsigned number, bool over, std::uint64_t frames)> note;
    };
    // `config` must outlive it.
    Wire(des::EventQueue &queue, const Config &config, Outside outside);

    // Times of the schedule count from now; before, frames pass and no condition counts.
    void start();
    void from(Side side, Span frame);
    // Notes the end of faults that have begun, at the end of the run.
    void finish();

private:
    enum class State : std::uint8_t { waiting, due, active, over };
    struct Active {
        const Fault *fault;
        des::RandomStream random;
        State state = State::waiting;
        unsigned seen = 0; // packets that its condition counts
        std::uint64_t frames = 0;
    };
    // A frame that waits for its time, or for the next one in its direction.
    struct Waiting {
        Side from;
        std::size_t next; // the first fault that has not been applied
        Bytes frame;
    };
    struct Connection {
        std::array<std::uint32_t, 2> next{}; // sequence number, by the side that sends
        std::array<Bytes, 2> last;           // a frame of each side, as a template
    };

    void look(Side from, Span frame, const Parts &parts);
    void remember(Side from, Span frame, const Parts &parts);
    void begin(std::size_t index);
    void end(std::size_t index);
    // Applies the faults from `index` on and sends what is left of the frame.
    void pass(Side from, Bytes frame, std::size_t index);
    // Applies one fault; false: nothing is left to pass on.
    bool apply(std::size_t index, Side from, Bytes &frame);
    bool affects(Active &active, Side from, const Bytes &frame);
    void hold(Side from, Bytes frame, std::size_t next, Time until);
    void release(std::uint64_t ticket);
    void reset(const Fault &fault);
    void send(Side to, Bytes frame);

    des::EventQueue &queue_;
    Outside outside_;
    Packets packets_;
    Nat nat_;
    bool started_ = false;
    std::vector<Active> active_;
    std::map<std::uint64_t, Waiting> waiting_;
    std::array<std::deque<std::uint64_t>, 2> reordered_; // tickets, by the side that sent them
    std::uint64_t tickets_ = 0;
    std::vector<std::array<Time, 2>> free_at_; // of rate limits and splits: when the line is free
    std::map<std::uint16_t, Connection> connections_; // of TCP, by the device's port
};

} // namespace wire
