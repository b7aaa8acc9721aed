// A board on the world's clock: its instructions take the chip's time, and its frames leave when
// the chip would send them.
//
// The board computes ahead and then waits for the world's clock: before a frame leaves, before the
// program checks for frames, when it sleeps, and at least every kLookInstructions. So a frame that
// arrives while the chip computes is received where the program next checks or sleeps, at the
// chip's time of that point. If the clock reports how long everything else sleeps, no frame can
// arrive earlier, and the board does not wait. A check less than kLookApart instructions after the
// last one is not worth a system call: it misses frames that have arrived since, by at most 10 us.
//
// With a radio that joins, the program stands still from turning its receiver on until the radio
// has joined its cell, as a sketch that waits for its network; its clock goes on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "board.hpp"
#include "ports/port.hpp"
#include "ports/quiet.hpp"
#include "turn.hpp"

namespace lx106 {

class World final : public Outside {
public:
    static constexpr std::uint64_t kLookInstructions = 8192, kLookApart = 400;

    // `log` is the file descriptor of the board's log. Without `paced` the board does not wait for
    // the world's clock: its own clock jumps from alarm to alarm.
    World(const ports::Settings &network, int log, bool paced);
    // Switches the board on at this time of the monotonic clock, in ns; a past one counts as now.
    // Standard error then states when the program's clock began, in ps after that. Call it before
    // run().
    void start_at(std::uint64_t ns) {
        began_ns_ = std::max(began_ns_, ns);
        states_clock_ = true;
    }
    // Behind the port is a radio that joins a cell (ports/radio_control.hpp). Needs `paced`.
    void expect_radio() { joins_ = true; }
    // SIGUSR1 then resets the board; SIGUSR2 interrupts its power. Not beside other boards.
    void allow_resets();
    // The board shares its process with others. `name` names it on standard error.
    void share(Turn &turn, std::string name) {
        turn_ = &turn;
        name_ = name + ": ";
    }
    // Writes what the board has logged. Call it in a turn that no board has again.
    void end_sharing() {
        turn_ = nullptr;
        write_log();
    }
    // Runs until SIGTERM or SIGINT. Call it in the board's turn if the board shares its process;
    // signals are then the caller's. Throws std::system_error when the log cannot be written.
    void run(Board &board);

    void send(std::span<const std::uint8_t> frame) override;
    void look() override;
    void receiver(bool on) override;
    void log(std::span<const std::uint8_t> text) override;

private:
    [[nodiscard]] Time now() const;
    void await_start() const;
    void wait_until(Time time) const;
    // Waits for a frame until that time; returns true if there is one.
    [[nodiscard]] bool wait_for_frame(Time until) const;
    [[nodiscard]] bool nothing_comes_by(Time time) const;
    void catch_up();
    [[nodiscard]] std::uint64_t quiet_until(std::uint64_t woken_ns) const;
    [[nodiscard]] std::optional<std::span<const std::uint8_t>> next_frame() const;
    void take_frames();
    void await_radio();
    void sleep();
    void write_log();
    void restart_if_asked();

    std::unique_ptr<ports::Port> port_;
    std::size_t shortest_frame_;
    int log_file_;
    Turn *turn_ = nullptr; // null: the board is alone
    std::string name_;
    bool paced_, resettable_ = false;
    bool joins_ = false, joining_ = false;
    bool states_clock_ = false;
    std::string text_; // of the log, not written yet
    std::uint64_t began_ns_;
    std::uint64_t emptied_ns_ = 0; // when the port was empty, 0: not sure
    Board *board_ = nullptr;
    std::uint64_t looked_at_ = 0; // instructions executed
};

} // namespace lx106
