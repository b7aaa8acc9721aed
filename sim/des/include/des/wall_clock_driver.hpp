// Ties an event queue to the host's monotonic clock and to file descriptors.
#pragma once

#include <functional>
#include <vector>

#include "des/event_queue.hpp"

namespace des {

// Time 0 of the queue is the moment run() starts. The driver sleeps until the next moment that the
// outside needs (by default: the next event), or until a descriptor is readable, and then runs
// everything that is due in one go.
//
// The order of things that fall together is a rule, not an accident of the kernel: first every
// event that was due, then the readable ports in the order in which they were added, each one
// drained before the next. All arrivals of one wake-up carry the same time, the queue's now().
class WallClockDriver {
public:
    struct Options {
        // The last stretch before a deadline is spent polling instead of sleeping; 0 never polls.
        Time spin{0};
        // Longest sleep when nobody outside waits, so that catching up stays short.
        Time longest_sleep = std::chrono::milliseconds(50);
        // SCHED_FIFO and locked memory where the system allows it; silently ordinary where it does
        // not.
        bool realtime = true;
    };
    struct Statistics {
        std::uint64_t wakeups = 0;
        Time worst_lateness{0}; // of a wake-up against the moment asked for
        bool realtime = false;  // SCHED_FIFO was granted
    };
    // The next moment that the outside needs, or kNever.
    using NextMoment = std::function<Time()>;

    // Throws std::system_error when the kernel refuses an epoll set.
    WallClockDriver(EventQueue &queue, Options options);
    ~WallClockDriver();
    WallClockDriver(const WallClockDriver &) = delete;
    WallClockDriver &operator=(const WallClockDriver &) = delete;

    // `on_readable` must read until nothing is left. The descriptor stays the caller's; one that
    // reports an error and has nothing to read (an interface was deleted, a peer hung up) is not
    // watched any more.
    void add_port(int descriptor, std::function<void()> on_readable);
    void set_next_moment(NextMoment next_moment) { next_moment_ = std::move(next_moment); }
    // SIGTERM and SIGINT end run(). Blocks both signals for the calling thread.
    void stop_on_signals();
    // Ends run() after the current round.
    void stop() { stopped_ = true; }
    // Runs until `until`, stop() or a signal.
    void run(Time until = kNever);
    [[nodiscard]] const Statistics &statistics() const { return statistics_; }

private:
    [[nodiscard]] Time elapsed() const;
    void request_realtime();
    void watch(int descriptor, std::uint32_t events, std::uint32_t tag);
    void forget(std::uint32_t port);
    bool wait(Time alarm, Time now);
    void serve_ports();

    EventQueue &queue_;
    Options options_;
    NextMoment next_moment_;
    struct Port {
        int descriptor;
        std::function<void()> on_readable;
    };
    std::vector<Port> ports_;
    std::vector<std::uint32_t> ready_;
    Statistics statistics_;
    Time start_{0};
    int epoll_ = -1;
    int signals_ = -1;
    bool stopped_ = false;
};

} // namespace des
