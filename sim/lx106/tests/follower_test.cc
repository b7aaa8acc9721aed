#include <gtest/gtest.h>

#include "follower.hpp"
#include "program.hpp"

namespace {

using namespace lx106;
using namespace lx106_test;

constexpr std::size_t kRings = 12; // the alarm, before the instruction of this number

// Enables interrupts in PS, sets the alarm, and idles until it fires.
Bytes program() {
    // movi a3, 32; wsr.ps a3; movi a3, 64; wsr.intenable a3; movi a3, 12; wsr.ccompare0 a3
    Bytes code = {0x32, 0xa0, 0x20, 0x30, 0xe6, 0x13, 0x32, 0xa0, 0x40,
                  0x30, 0xe4, 0x13, 0x32, 0xa0, 0x0c, 0x30, 0xf0, 0x13};
    for (std::size_t i = 6; i <= kRings; ++i)
        code.insert(code.end(), {0x3d, 0xf0}); // nop.n
    return elf_with(code);
}

// QEMU's log of it: a state before each instruction up to the handler's first. Where its budget
// ends before the interrupt, the state before the unexecuted instruction is repeated this number of
// times.
std::vector<Registers> states_of(const Bytes &file, std::size_t put_off) {
    Remembering outside;
    Board board(parse_elf(file), "", kInstruction, outside);
    Core &core = board.core();
    std::vector<Registers> states;
    for (std::size_t i = 0; i < kRings; ++i) {
        states.push_back(core.registers);
        board.run(core.executed() + 1);
        core.registers.special[CCOUNT] = static_cast<std::uint32_t>(board.now() / kInstruction);
    }
    Registers before = core.registers;
    before.special[INTERRUPT] = 0;
    states.insert(states.end(), put_off, before);
    core.take_interrupt();
    states.push_back(core.registers);
    return states;
}

std::string follow(const Bytes &file, const std::vector<Registers> &states) {
    Follower follower(parse_elf(file), "", kInstruction,
                      {PS, EPC1, EXCCAUSE, INTENABLE, INTERRUPT, VECBASE});
    for (std::size_t i = 0; i < states.size(); ++i) {
        const Registers *after = nullptr;
        for (std::size_t k = i + 1; k < states.size() && (!after || *after == states[i]); ++k)
            after = &states[k];
        if (const std::string found = follower.step(states[i], after); !found.empty())
            return found;
    }
    return follower.counts().interrupts == 1 ? "" : "no interrupt";
}

class Lx106Follower : public testing::TestWithParam<std::size_t> {};

TEST_P(Lx106Follower, AnInstructionThatQemuTellsAndPutsOffForAnInterruptIsNotExecuted) {
    const Bytes file = program();
    const auto states = states_of(file, GetParam());
    ASSERT_EQ(states.back().special[EPC1], kFlash + 18 + 2 * (kRings - 6));
    EXPECT_EQ(follow(file, states), "");
}

INSTANTIATE_TEST_SUITE_P(ToldSoOften, Lx106Follower, testing::Values(0, 1, 2));

} // namespace
