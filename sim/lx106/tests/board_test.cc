#include <gtest/gtest.h>

#include "program.hpp"

namespace {

using namespace lx106;
using namespace lx106_test;

struct Running {
    explicit Running(const Bytes &code, std::string_view words = "")
        : board(parse_elf(elf_with(code)), words, kInstruction, outside) {}
    Remembering outside;
    Board board;
};

constexpr std::uint8_t kNarrowNop[] = {0x3d, 0xf0};

TEST(Lx106Board, AnInstructionTakesItsTime) {
    Bytes code;
    for (int i = 0; i < 100; ++i)
        code.insert(code.end(), std::begin(kNarrowNop), std::end(kNarrowNop));
    Running running(code);
    running.board.run(100);
    EXPECT_EQ(running.board.now(), 100 * kInstruction);
    EXPECT_EQ(running.board.core().registers.pc, kFlash + 200);
}

TEST(Lx106Board, TheCounterCountsTheInstructionThatReadsIt) {
    Running running({0x3d, 0xf0, 0x30, 0xea, 0x03}); // nop.n; rsr.ccount a3
    running.board.run(2);
    EXPECT_EQ(running.board.core().registers.a[3], 2u);
}

TEST(Lx106Board, TheAlarmWakesASleeperAtItsTime) {
    // movi a3, 64; wsr.intenable a3; movi a3, 1000; wsr.ccompare0 a3; waiti 0, and PS is open
    Running running(
        {0x32, 0xa0, 0x40, 0x30, 0xe4, 0x13, 0x32, 0xa3, 0xe8, 0x30, 0xf0, 0x13, 0x00, 0x70, 0x00});
    Core &core = running.board.core();
    core.registers.special[PS] = 0x20;
    running.board.run(1000);
    EXPECT_TRUE(core.asleep());
    EXPECT_EQ(core.alarm(), 1000 * kInstruction);
    core.set_time(core.alarm());
    core.take_interrupt();
    EXPECT_FALSE(core.asleep());
    EXPECT_EQ(core.registers.special[EPC1], kFlash + 15);
    EXPECT_EQ(core.registers.special[EXCCAUSE], 4u);
}

// As a call of a null pointer. Places that are still empty are zeros, too.
TEST(Lx106Board, AJumpToZeroFindsNoInstruction) {
    for (const bool decoded_before : {false, true}) {
        Running running({0x3d, 0xf0, 0xa0, 0x03, 0x00}); // nop.n; jx a3
        Registers &registers = running.board.core().registers;
        if (decoded_before)
            running.board.run(1);
        registers.pc = kFlash + 2;
        registers.special[PS] = 0x20;
        running.board.run(running.board.core().executed() + 2);
        EXPECT_EQ(registers.special[EXCCAUSE], 14u);
        EXPECT_EQ(registers.special[EPC1], 0u);
    }
}

// It forgets all that is decoded, itself included.
TEST(Lx106Board, AnExchangeWithTheLiteralBaseReachesItsRegister) {
    Running running({0x30, 0x05, 0x61}); // xsr.litbase a3
    Registers &registers = running.board.core().registers;
    registers.special[LITBASE] = 0x40200001;
    registers.a[3] = 0x40201001;
    running.board.run(1);
    EXPECT_EQ(registers.a[3], 0x40200001u);
    EXPECT_EQ(registers.special[LITBASE], 0x40201001u);
}

TEST(Lx106Board, MoreInstructionsThanAreKeptAreExecuted) {
    constexpr std::size_t kCount = 70'000;
    Bytes code;
    for (std::size_t i = 0; i < kCount; ++i)
        code.insert(code.end(), {0x1b, 0x55}); // addi.n a5, a5, 1
    Running running(code);
    Core &core = running.board.core();
    for (std::uint32_t round = 1; round <= 2; ++round) {
        core.registers.pc = kFlash;
        running.board.run(round * kCount);
        EXPECT_EQ(core.registers.a[5], round * kCount);
    }
}

// A radio joins and leaves its cell by it.
TEST(Lx106Board, SaysWhenTheReceiverGoesOnAndOff) {
    Remembering outside;
    Memory memory;
    EthernetMac mac(memory, [](auto) {}, [](bool) {}, [&](bool on) { outside.receiver(on); });
    for (const std::uint32_t mode : {0x800u, 0u, 0x2003u, 0x2003u, 0u, 0u})
        mac.write_register(0, mode);
    EXPECT_EQ(outside.receivers, (std::vector<bool>{true, false}));
}

TEST(Lx106Board, AStoreThatIsWatchedDoesNotHappen) {
    Running running({0x50, 0xa0, 0x13, 0x42, 0x63, 0x00}); // wsr.dbreakc0 a5; s32i a4, a3, 0
    Registers &registers = running.board.core().registers;
    registers.special[PS] = 0x20;
    registers.special[DBREAKA0] = 0x3ffe8040;
    registers.a[3] = 0x3ffe807c;
    registers.a[5] = 0x80000000; // stores, 64 bytes
    running.board.run(2);
    EXPECT_EQ(registers.pc, registers.special[VECBASE] + 0x10);
    EXPECT_EQ(registers.special[EPC2], kFlash + 3);
    EXPECT_EQ(registers.special[DEBUGCAUSE], 4u);
}

TEST(Lx106Board, CodeThatIsWrittenIsExecuted) {
    // nop.n; nop.n; s16i a4, a3, 0 onto the first: movi.n a6, 7
    Running running({0x3d, 0xf0, 0x3d, 0xf0, 0x42, 0x53, 0x00});
    Registers &registers = running.board.core().registers;
    registers.a[3] = kFlash;
    registers.a[4] = 0x760c;
    running.board.run(3);
    registers.pc = kFlash;
    running.board.run(4);
    EXPECT_EQ(registers.a[6], 7u);
}

TEST(Lx106Board, AResetLoadsTheProgramAnewAndKeepsTheRest) {
    // l32i a4, a3, 0; addi a4, a4, 1; s32i a4, a3, 0; s32i a5, a6, 0 (the reset)
    Running running({0x42, 0x23, 0x00, 0x42, 0xc4, 0x01, 0x42, 0x63, 0x00, 0x52, 0x66, 0x00});
    Core &core = running.board.core();
    core.registers.a[3] = 0x60001200;
    core.registers.a[5] = 0xdead;
    core.registers.a[6] = 0x9d020010;
    running.board.run(12);
    EXPECT_EQ(running.board.resets(), 3u);
    EXPECT_EQ(core.registers.a[4], 3u);
    EXPECT_EQ(core.registers.pc, kFlash);
}

// l32i a4, a3, 0; addi a4, a4, 1; s32i a4, a3, 0; nop.n; nop.n
const Bytes kCounting = {0x42, 0x23, 0x00, 0x42, 0xc4, 0x01, 0x42,
                         0x63, 0x00, 0x3d, 0xf0, 0x3d, 0xf0};

TEST(Lx106Board, AResetFromOutsideKeepsMemoryAndLossOfPowerDoesNot) {
    for (const std::uint32_t address : {0x60001200u, 0x3ffe8000u}) {
        Running running(kCounting);
        Core &core = running.board.core();
        core.registers.a[3] = address;
        running.board.run(4);
        running.board.restart(false);
        EXPECT_EQ(core.registers.pc, kFlash);
        running.board.run(8);
        EXPECT_EQ(core.registers.a[4], 2u);
        running.board.restart(true);
        running.board.run(12);
        EXPECT_EQ(core.registers.a[4], 1u);
        EXPECT_EQ(running.board.resets(), 2u);
    }
}

TEST(Lx106Board, TimeGoesOnAcrossARestart) {
    Running running(kCounting);
    running.board.run(4);
    running.board.restart(true);
    EXPECT_EQ(running.board.now(), 4 * kInstruction);
}

TEST(Lx106Board, WordsAreSetBeforeTheirInstructionAtEachStartOrTheFirst) {
    for (const bool each : {false, true}) {
        Running running(kCounting);
        Core &core = running.board.core();
        core.registers.a[3] = 0x3ffe8000;
        running.board.preset(
            {.pc = kFlash + 3, .words = {{.address = 0x3ffe8004, .value = 7, .each_start = each}}});
        const std::uint8_t *word = running.board.memory().find(0x3ffe8004, 4);
        running.board.run(1);
        EXPECT_EQ(*word, 0u);
        running.board.run(4);
        EXPECT_EQ(*word, 7u);
        running.board.restart(true);
        running.board.run(8);
        EXPECT_EQ(*word, each ? 7u : 0u);
    }
}

TEST(Lx106Board, LaterStartsHaveWordsOfTheirOwn) {
    const auto words_of = [](Board &board) {
        const std::uint32_t records = board.core().registers.a[2];
        const auto *text = reinterpret_cast<const char *>(board.memory().find(records, 64));
        return std::string(text, 64);
    };
    Running running(kCounting, "seed=1");
    running.board.later_words({"seed=22", "seed=333"});
    EXPECT_NE(words_of(running.board).find("seed=1"), std::string::npos);
    for (const char *expected : {"seed=22", "seed=333", "seed=333"}) {
        running.board.restart(true);
        EXPECT_NE(words_of(running.board).find(expected), std::string::npos);
    }
    const std::vector<std::string> endless(1, std::string(70'000, 'x'));
    EXPECT_THROW(running.board.later_words(endless), std::runtime_error);
}

TEST(Lx106Board, AWordWithoutMemoryIsRefused) {
    Running running(kCounting);
    EXPECT_THROW(
        running.board.preset(
            {.pc = kFlash, .words = {{.address = 0x10000000, .value = 1, .each_start = true}}}),
        std::runtime_error);
}

TEST(Lx106Board, TheLogLeavesBySemihosting) {
    Running running({0x00, 0x51, 0x00}); // simcall
    auto &a = running.board.core().registers.a;
    a[2] = 4, a[3] = 1, a[4] = kFlash, a[5] = 2;
    running.board.run(1);
    EXPECT_EQ(running.outside.text, std::string("\0\x51", 2));
    EXPECT_EQ(a[2], 2u);
}

TEST(Lx106Board, WordsThatAreTooLongAreRefused) {
    EXPECT_THROW(Running({}, std::string(70'000, 'x')), std::runtime_error);
}

} // namespace
