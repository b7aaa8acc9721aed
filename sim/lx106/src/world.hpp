// A board on the clock of the world: its instructions take the chip's time, and its frames leave
// when the chip has come so far.
//
// The board computes ahead, in no time, and the world's clock catches up with it: before a frame
// leaves, before the program looks whether one has come, when it sleeps, and at least every
// kLookInstructions. So a frame that comes while the chip computes is taken in where the program
// next looks or sleeps, by the chip's time at that place. Where the clock tells until when
// everything else sleeps, none can come before, and nothing waits for it. Looks less than
// kLookApart instructions after the last one are not worth a system call: they miss what has come
// since, by 10 us at most.
#pragma once

#include <cstdint>
#include <string>

#include "board.hpp"
#include "ports/port.hpp"
#include "ports/quiet.hpp"

namespace lx106 {

class World final : public Outside {
public:
    static constexpr std::uint64_t kLookInstructions = 8192, kLookApart = 400;

    // `log` is the file descriptor that the board's log goes to. Without `paced` nobody waits for
    // the world's clock: the board's jumps from alarm to alarm.
    World(const ports::Settings &network, int log, bool paced);
    // Runs until SIGTERM or SIGINT. Throws std::system_error when the log cannot be written.
    void run(Board &board);

    void send(std::span<const std::uint8_t> frame) override;
    void look() override;
    void log(std::span<const std::uint8_t> text) override;

private:
    [[nodiscard]] Time now() const;
    void wait_until(Time time) const;
    // Waits for a frame until that time; whether one is there.
    [[nodiscard]] bool wait_for_frame(Time until) const;
    [[nodiscard]] bool nothing_comes_by(Time time) const;
    void catch_up();
    void take_frames();
    void sleep();
    void write_log();

    std::unique_ptr<ports::Port> port_;
    std::size_t shortest_frame_;
    int log_file_;
    bool paced_;
    std::string text_; // of the log, not written yet
    std::uint64_t began_ns_;
    std::uint64_t emptied_ns_ = 0; // when the port was empty, 0: not sure
    Board *board_ = nullptr;
    std::uint64_t looked_at_ = 0; // instructions executed
};

} // namespace lx106
