#include "des/wall_clock_driver.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <system_error>
#include <unistd.h>

namespace des {

namespace {

constexpr std::uint32_t kSignalTag = 0xffffffff;

int checked(int result, const char *what) {
    if (result < 0)
        throw std::system_error(errno, std::generic_category(), what);
    return result;
}

timespec to_timespec(Time t) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(t);
    return {static_cast<time_t>(seconds.count()), static_cast<long>((t - seconds).count())};
}

Time monotonic() {
    return std::chrono::steady_clock::now().time_since_epoch();
}

} // namespace

WallClockDriver::WallClockDriver(EventQueue &queue, Options options)
    : queue_(queue), options_(options),
      epoll_(checked(epoll_create1(EPOLL_CLOEXEC), "epoll_create1")) {}

WallClockDriver::~WallClockDriver() {
    for (const int descriptor : {epoll_, signals_})
        if (descriptor >= 0)
            close(descriptor);
}

void WallClockDriver::watch(int descriptor, std::uint32_t events, std::uint32_t tag) {
    epoll_event event{};
    event.events = events;
    event.data.u32 = tag;
    checked(epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event), "epoll_ctl");
}

// A dead descriptor would wake the driver for ever.
void WallClockDriver::forget(std::uint32_t port) {
    epoll_ctl(epoll_, EPOLL_CTL_DEL, ports_[port].descriptor, nullptr);
}

void WallClockDriver::add_port(int descriptor, std::function<void()> on_readable) {
    watch(descriptor, EPOLLIN, static_cast<std::uint32_t>(ports_.size()));
    ports_.push_back({descriptor, std::move(on_readable)});
}

void WallClockDriver::stop_on_signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    checked(sigprocmask(SIG_BLOCK, &set, nullptr), "sigprocmask");
    signals_ = checked(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC), "signalfd");
    watch(signals_, EPOLLIN, kSignalTag);
}

Time WallClockDriver::elapsed() const {
    return monotonic() - start_;
}

void WallClockDriver::request_realtime() {
    // The default slack of 50 us would make every timer late; 1 ns is the kernel's smallest.
    prctl(PR_SET_TIMERSLACK, 1);
    sched_param parameters{};
    parameters.sched_priority = 10;
    statistics_.realtime = sched_setscheduler(0, SCHED_FIFO, &parameters) == 0;
    if (statistics_.realtime)
        mlockall(MCL_CURRENT);
}

void WallClockDriver::run(Time until) {
    if (options_.realtime)
        request_realtime();
    stopped_ = false;
    start_ = monotonic() - queue_.now();
    // The clock is read once per round: under an emulated kernel each system call takes time.
    Time now = std::min(elapsed(), until);
    while (!stopped_) {
        queue_.run_until(now);
        if (now >= until)
            break;
        const Time deadline =
            std::min({next_deadline(now, until), until, now + options_.longest_sleep});
        undisturbed_ = wait(deadline - options_.spin, now);
        now = std::min(elapsed(), until);
        if (undisturbed_)
            statistics_.worst_lateness =
                std::max(statistics_.worst_lateness, now - deadline + options_.spin);
        // Events due before these arrivals run first.
        queue_.run_until(now);
        serve_ports();
    }
}

Time WallClockDriver::next_deadline(Time now, Time until) {
    Time next = next_moment_ ? next_moment_() : queue_.next_time();
    if (!quiet_until_ || !undisturbed_)
        return next;
    const Time quiet = std::min(quiet_until_(start_ + now) - start_, until);
    while (next < quiet && next < next_exit_()) {
        queue_.run_until(next);
        next = next_moment_();
    }
    return next;
}

// Waits until `alarm` or an arrival; returns true if it was the alarm.
bool WallClockDriver::wait(Time alarm, Time now) {
    const bool sleep = alarm > now;
    statistics_.wakeups += static_cast<std::uint64_t>(sleep);
    // A timeout, since a timer would need one more system call.
    const timespec limit = to_timespec(sleep ? alarm - now : Time{0});
    std::array<epoll_event, 64> events;
    const int count =
        epoll_pwait2(epoll_, events.data(), static_cast<int>(events.size()), &limit, nullptr);
    if (count < 0 && errno != EINTR)
        throw std::system_error(errno, std::generic_category(), "epoll_pwait2");
    ready_.clear();
    for (int i = 0; i < count; ++i) {
        const epoll_event &event = events[static_cast<std::size_t>(i)];
        const std::uint32_t tag = event.data.u32;
        if (tag == kSignalTag) {
            stopped_ = true;
        } else if ((event.events & EPOLLIN) == 0) {
            forget(tag);
        } else {
            ready_.push_back(tag);
        }
    }
    return sleep && count == 0;
}

void WallClockDriver::serve_ports() {
    std::sort(ready_.begin(), ready_.end());
    for (const std::uint32_t port : ready_)
        ports_[port].on_readable();
}

} // namespace des
