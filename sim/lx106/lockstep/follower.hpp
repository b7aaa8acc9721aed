// A board that follows QEMU's: it executes the same instructions and must reach the same state
// after each. Frames, and the time that passes during sleep, are taken from QEMU's log.
//
// QEMU's clock is known to a cycle, from the program's reads of CCOUNT. So the follower uses the
// earliest consistent time and advances it where QEMU shows a later one: without limit after a
// sleep, otherwise by at most one cycle and two instructions.
#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <vector>

#include "board.hpp"

namespace lx106 {

using Frame = std::vector<std::uint8_t>;

class Follower final : public Outside {
public:
    struct Counts {
        std::uint64_t instructions = 0, interrupts = 0, exceptions = 0, resets = 0, sleeps = 0,
                      frames_in = 0, frames_out = 0;
    };

    Follower(const ElfImage &firmware, std::string_view words, Time instruction,
             std::vector<std::uint8_t> compared);

    // QEMU executes an instruction in state `before` and reaches the state `after`, which is empty
    // where it may sleep. Returns the difference, or an empty text.
    std::string step(const Registers &before, const Registers *after);
    // True if QEMU sleeps after the instruction in this state and logs the next state at an unknown
    // time.
    [[nodiscard]] bool may_sleep(const Registers &state) const;
    [[nodiscard]] bool asleep() { return following_ && board_.core().asleep(); }
    // A frame was passed to QEMU's board while it slept.
    void expect(Frame frame) { expected_.push_back(std::move(frame)); }
    // True while such a frame has not arrived yet.
    [[nodiscard]] bool expects() const { return !expected_.empty(); }
    // A frame that QEMU's board has sent; returns the difference, or an empty text.
    std::string compare_sent(const Frame &frame);

    [[nodiscard]] const Counts &counts() const { return counts_; }
    [[nodiscard]] const std::set<Operation> &operations() const { return operations_; }
    [[nodiscard]] const std::string &log_text() const { return log_; }
    [[nodiscard]] bool owes_frames() const { return !sent_.empty(); }

    void send(std::span<const std::uint8_t> frame) override;
    void look() override {}
    void receiver(bool) override {}
    void log(std::span<const std::uint8_t> text) override;

private:
    [[nodiscard]] bool reads_clock(const Registers &state) const;
    [[nodiscard]] Instruction instruction_at(std::uint32_t pc) const;
    std::string follow_inputs(const Registers &before);
    [[nodiscard]] bool broken_off();
    bool fails_to_fetch();
    std::string follow_clock(const Registers &after);
    [[nodiscard]] std::string difference(const Registers &qemu);

    ElfImage firmware_;
    Board board_;
    Time instruction_, slack_;
    std::vector<std::uint8_t> compared_; // special registers
    std::deque<Frame> expected_, sent_;
    std::string log_;
    Counts counts_;
    std::set<Operation> operations_;
    Registers last_;           // the state of the last instruction
    bool following_ = false;   // not between a reset and the first instruction after it
    bool clock_known_ = false; // since the last sleep or reset
};

} // namespace lx106
