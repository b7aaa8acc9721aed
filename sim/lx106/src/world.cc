#include "world.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <poll.h>
#include <system_error>
#include <time.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "ports/radio_control.hpp"

namespace lx106 {

namespace {

constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;
constexpr Time kPicosecondsPerNanosecond = 1000;
// A TAP passes frames on without Ethernet's padding.
constexpr std::size_t kShortestOnEthernet = 60;

volatile std::sig_atomic_t stopped = 0;
volatile std::sig_atomic_t reset_by = 0; // the signal that asked for a reset

void stop(int) {
    stopped = 1;
}

void ask_for_reset(int number) {
    reset_by = number;
}

void handle(int number, void (*handler)(int)) {
    struct sigaction action{};
    action.sa_handler = handler;
    sigaction(number, &action, nullptr);
}

// Keeps the signals for resets from this thread; they end a wait that uses the mask `before`.
class Held {
public:
    explicit Held(bool hold) : holds_(hold) {
        if (!hold)
            return;
        sigset_t resets;
        sigemptyset(&resets);
        sigaddset(&resets, SIGUSR1);
        sigaddset(&resets, SIGUSR2);
        pthread_sigmask(SIG_BLOCK, &resets, &before_);
    }
    ~Held() {
        if (holds_)
            pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    Held(const Held &) = delete;
    Held &operator=(const Held &) = delete;
    [[nodiscard]] const sigset_t *before() const { return holds_ ? &before_ : nullptr; }

private:
    bool holds_;
    sigset_t before_{};
};

std::uint64_t clock_ns() {
    const std::chrono::nanoseconds now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(now.count());
}

timespec timespec_of(std::uint64_t ns) {
    return {.tv_sec = static_cast<time_t>(ns / kNanosecondsPerSecond),
            .tv_nsec = static_cast<long>(ns % kNanosecondsPerSecond)};
}

void sleep_until(std::uint64_t ns) {
    const timespec due = timespec_of(ns);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, nullptr) == EINTR && !stopped)
        ;
}

} // namespace

World::World(const ports::Settings &network, int log, bool paced)
    : port_(ports::Port::open(network)),
      shortest_frame_(network.tap.empty() ? 0 : kShortestOnEthernet), log_file_(log), paced_(paced),
      began_ns_(clock_ns()) {}

Time World::now() const {
    if (!paced_)
        return board_->now();
    // Before the board is switched on its time is 0.
    return (std::max(clock_ns(), began_ns_) - began_ns_) * kPicosecondsPerNanosecond;
}

void World::wait_until(Time time) const {
    if (now() >= time)
        return;
    const Away away(turn_);
    // Not earlier: parts of a nanosecond are rounded up.
    sleep_until(began_ns_ + (time + kPicosecondsPerNanosecond - 1) / kPicosecondsPerNanosecond);
}

bool World::wait_for_frame(Time until) const {
    const Time present = now();
    const Time left = paced_ && until > present ? until - present : 0;
    const timespec limit =
        timespec_of((left + kPicosecondsPerNanosecond - 1) / kPicosecondsPerNanosecond);
    // A frame that would not be accepted waits outside.
    pollfd entry{
        .fd = board_->listens() ? port_->descriptor() : -1, .events = POLLIN, .revents = 0};
    const Held held(resettable_);
    if (reset_by != 0)
        return false;
    const Away away(turn_);
    return ppoll(&entry, 1, until == kNever ? nullptr : &limit, held.before()) > 0;
}

// In ns, as ports::quiet_until(). A board that awaits its turn sleeps, and yet may send.
std::uint64_t World::quiet_until(std::uint64_t woken_ns) const {
    if (turn_ && turn_->is_awaited())
        return 0;
    return static_cast<std::uint64_t>(
        ports::quiet_until(std::chrono::nanoseconds(woken_ns)).count());
}

std::optional<std::span<const std::uint8_t>> World::next_frame() const {
    const Away away(turn_);
    return port_->next();
}

void World::take_frames() {
    std::vector<std::uint8_t> padded;
    while (board_->listens()) {
        const std::uint64_t quiet = quiet_until(clock_ns());
        const auto frame = next_frame();
        if (!frame) {
            // Time passed before this call returned, so other processes may have run.
            const std::uint64_t present = clock_ns();
            emptied_ns_ = quiet > present ? present : 0;
            return;
        }
        if (joins_ && ports::radio_control(*frame)) {
            joining_ = joining_ && ports::radio_control(*frame) != ports::RadioControl::joined;
            continue;
        }
        padded.assign(frame->begin(), frame->end());
        padded.resize(std::max(padded.size(), shortest_frame_));
        board_->receive(padded);
    }
}

// Everything else has slept since the port was found empty, and sleeps beyond that time.
bool World::nothing_comes_by(Time time) const {
    return paced_ && time / kPicosecondsPerNanosecond + began_ns_ + 1 < quiet_until(emptied_ns_);
}

void World::catch_up() {
    looked_at_ = board_->core().executed();
    if (nothing_comes_by(board_->now()))
        return;
    wait_until(board_->now());
    take_frames();
}

void World::send(std::span<const std::uint8_t> frame) {
    wait_until(board_->now());
    const Away away(turn_);
    port_->send(frame);
}

void World::receiver(bool on) {
    if (!joins_)
        return;
    send(ports::radio_control_frame(on ? ports::RadioControl::on : ports::RadioControl::off));
    joining_ = on;
    if (on)
        board_->core().halt();
}

void World::await_radio() {
    while (joining_ && !stopped)
        if (wait_for_frame(kNever))
            take_frames();
    board_->core().set_time(std::max(board_->now(), now()));
    looked_at_ = board_->core().executed();
}

void World::look() {
    if (board_->core().executed() - looked_at_ >= kLookApart)
        catch_up();
}

void World::log(std::span<const std::uint8_t> text) {
    if (states_clock_) // the program has read its clock for its first line
        std::fprintf(stderr, "lx106: %sthe clock began at %llu ps\n", name_.c_str(),
                     static_cast<unsigned long long>(board_->core().first_count()));
    states_clock_ = false;
    text_.append(text.begin(), text.end());
}

// In the board's turn, so that end_sharing() finds all of a text written, or nothing.
void World::write_log() {
    for (std::size_t written = 0; written < text_.size();) {
        const ssize_t count = write(log_file_, text_.data() + written, text_.size() - written);
        if (count < 0 && errno != EINTR)
            throw std::system_error(errno, std::generic_category(),
                                    "the log cannot be written; free some disk");
        written += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    text_.clear();
}

// Waits until the alarm, by the chip's time, or until a frame arrives.
void World::sleep() {
    const Time alarm = board_->core().alarm();
    if (alarm != kNever && nothing_comes_by(alarm))
        board_->core().set_time(alarm);
    else if (wait_for_frame(alarm)) {
        board_->core().set_time(std::max(board_->now(), std::min(now(), alarm)));
        take_frames();
    } else if (reset_by != 0)
        board_->core().set_time(std::max(board_->now(), std::min(now(), alarm)));
    else if (!stopped)
        board_->core().set_time(alarm);
    looked_at_ = board_->core().executed();
}

// What is sent to a board that is off is lost.
void World::await_start() const {
    const Away away(turn_);
    sleep_until(began_ns_);
    port_->drain([](auto) {});
}

void World::run(Board &board) {
    board_ = &board;
    handle(SIGTERM, stop);
    handle(SIGINT, stop);
    if (paced_ && clock_ns() < began_ns_)
        await_start();
    while (!stopped) {
        board.run(board.core().executed() + kLookInstructions);
        write_log();
        if (joining_)
            await_radio();
        else if (board.core().asleep())
            sleep();
        else
            catch_up();
        restart_if_asked();
    }
    write_log();
}

void World::allow_resets() {
    resettable_ = true;
    handle(SIGUSR1, ask_for_reset);
    handle(SIGUSR2, ask_for_reset);
}

void World::restart_if_asked() {
    if (const int number = std::exchange(reset_by, 0); number != 0)
        board_->restart(number == SIGUSR2);
}

} // namespace lx106
