// Ties an event queue to the host's monotonic clock and to file descriptors.
#pragma once

#include <functional>
#include <vector>

#include "des/event_queue.hpp"

namespace des {

// Time 0 of the queue is the moment run() starts. The driver sleeps until the next moment that the
// outside needs (by default: the next event), or until a descriptor is readable, and then runs all
// events that are due.
//
// If the clock reports a time before which nothing can happen elsewhere, the driver also runs ahead
// of it: events that nobody can observe need no sleep.
//
// The order of simultaneous events is fixed and does not depend on the kernel: first every event
// that was due, then the readable ports in the order in which they were added, each one drained
// before the next. All arrivals of one wake-up have the same time, the queue's now().
class WallClockDriver {
public:
    struct Options {
        // The last stretch before a deadline is spent polling instead of sleeping; 0 never polls.
        Time spin{0};
        // The longest sleep when nobody outside waits, so that catching up stays short.
        Time longest_sleep = std::chrono::milliseconds(50);
        // Uses SCHED_FIFO and locked memory where the system allows it, and ordinary scheduling
        // otherwise, without an error.
        bool realtime = true;
    };
    struct Statistics {
        std::uint64_t wakeups = 0;
        Time worst_lateness{0}; // of a wake-up relative to the requested time
        bool realtime = false;  // SCHED_FIFO was granted
    };
    // The next moment that the outside needs, or kNever.
    using NextMoment = std::function<Time()>;
    // A time of CLOCK_MONOTONIC before which nothing arrives, if the driver has made no system call
    // since it woke up; 0 if unknown.
    using QuietUntil = std::function<Time(Time woken)>;

    // Throws std::system_error when the kernel refuses an epoll set.
    WallClockDriver(EventQueue &queue, Options options);
    ~WallClockDriver();
    WallClockDriver(const WallClockDriver &) = delete;
    WallClockDriver &operator=(const WallClockDriver &) = delete;

    // `on_readable` must read until nothing is left. The caller still owns the descriptor. A
    // descriptor that reports an error and has nothing to read (an interface was deleted, a peer
    // hung up) is no longer watched.
    void add_port(int descriptor, std::function<void()> on_readable);
    void set_next_moment(NextMoment next_moment) { next_moment_ = std::move(next_moment); }
    // The next moment is visible outside only if it is also `next_exit`; events before both, and
    // before `quiet_until`, run at once.
    void run_ahead(NextMoment next_exit, QuietUntil quiet_until) {
        next_exit_ = std::move(next_exit);
        quiet_until_ = std::move(quiet_until);
    }
    // SIGTERM and SIGINT end run(). Blocks both signals for the calling thread.
    void stop_on_signals();
    // Ends run() after the current round.
    void stop() { stopped_ = true; }
    // Runs until `until`, stop() or a signal.
    void run(Time until = kNever);
    [[nodiscard]] const Statistics &statistics() const { return statistics_; }

private:
    [[nodiscard]] Time elapsed() const;
    [[nodiscard]] Time next_deadline(Time now, Time until);
    void request_realtime();
    void watch(int descriptor, std::uint32_t events, std::uint32_t tag);
    void forget(std::uint32_t port);
    bool wait(Time alarm, Time now);
    void serve_ports();

    EventQueue &queue_;
    Options options_;
    NextMoment next_moment_;
    NextMoment next_exit_;
    QuietUntil quiet_until_;
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
    bool undisturbed_ = false; // the last wait ended by its alarm alone
};

} // namespace des
