// Boards with one firmware share its code until one of them changes it.
#include <gtest/gtest.h>

#include "program.hpp"

namespace {

using namespace lx106;
using namespace lx106_test;

// nop; s16i a4, a3, 0; nop.n; l32i a5, a6, 0
const Bytes kStoring = {0xf0, 0x20, 0x00, 0x42, 0x53, 0x00, 0x3d, 0xf0, 0x52, 0x26, 0x00};
constexpr std::uint32_t kMoviN = 0x760c; // movi.n a6, 7

class Two {
public:
    explicit Two(const Bytes &code)
        : firmware(std::make_shared<const Firmware>(parse_elf(elf_with(code)))),
          one(firmware, "", kInstruction, outside), other(firmware, "", kInstruction, outside) {}
    std::shared_ptr<const Firmware> firmware;
    Remembering outside;
    Board one, other;
};

void store_at(Board &board, std::uint32_t address) {
    board.core().registers.a[3] = address;
    board.core().registers.a[4] = kMoviN;
    board.core().registers.a[6] = 0x3ffe8000;
    board.run(2);
}

TEST(Lx106Sharing, CodeIsInMemoryOnce) {
    Two boards(kStoring);
    EXPECT_EQ(boards.one.memory().find(kFlash, 2), boards.other.memory().find(kFlash, 2));
    EXPECT_TRUE(boards.one.memory().code_is_lent());
}

TEST(Lx106Sharing, AnInstructionIsDecodedOnce) {
    Two boards(kStoring);
    boards.one.run(1);
    EXPECT_EQ(boards.firmware->decoded().find(kFlash)->pc, kFlash);
}

TEST(Lx106Sharing, AStoreIntoCodeChangesThatOfItsBoardAlone) {
    Two boards(kStoring);
    store_at(boards.one, kFlash);
    for (Board *board : {&boards.one, &boards.other}) {
        board->core().registers.pc = kFlash;
        board->core().registers.a[6] = 1;
        board->run(board->core().executed() + 1);
    }
    EXPECT_EQ(boards.one.core().registers.a[6], 7u);
    EXPECT_EQ(boards.other.core().registers.a[6], 1u);
    EXPECT_FALSE(boards.one.memory().code_is_lent());
    EXPECT_TRUE(boards.other.memory().code_is_lent());
}

// The store is the second instruction, and changes the third.
TEST(Lx106Sharing, TheInstructionAfterAStoreIsTheNewOne) {
    Two boards(kStoring);
    store_at(boards.one, kFlash + 6);
    boards.one.run(3);
    EXPECT_EQ(boards.one.core().registers.a[6], 7u);
}

TEST(Lx106Sharing, AStoreIntoDataKeepsTheCodeShared) {
    Two boards(kStoring);
    store_at(boards.one, 0x3ffe8000);
    store_at(boards.other, 0x60001200);
    EXPECT_TRUE(boards.one.memory().code_is_lent());
    EXPECT_TRUE(boards.other.memory().code_is_lent());
    EXPECT_EQ(*boards.one.memory().find(0x3ffe8000, 1), 0x0c);
    EXPECT_EQ(*boards.other.memory().find(0x3ffe8000, 1), 0);
}

TEST(Lx106Sharing, CodeInDataIsThatOfItsBoard) {
    Two boards(kStoring);
    for (Board *board : {&boards.one, &boards.other}) {
        const std::uint16_t code = board == &boards.one ? 0x760c : 0x860c; // movi.n a6, 7 or 8
        std::memcpy(board->memory().change(0x3ffe8000, 2), &code, 2);
        board->core().registers.pc = 0x3ffe8000;
        board->run(1);
    }
    EXPECT_EQ(boards.one.core().registers.a[6], 7u);
    EXPECT_EQ(boards.other.core().registers.a[6], 8u);
}

// A breakpoint must not be in the slots of the others, nor be missed in them.
TEST(Lx106Sharing, ADebuggedBoardDecodesForItself) {
    class None final : public Halts {
        void halted(const Halt &) override { ++count; }
        [[nodiscard]] bool requested() override { return false; }

    public:
        int count = 0;
    };
    Two boards(kStoring);
    boards.other.run(3);
    None halts;
    halts.breakpoints.insert(kFlash + 6);
    boards.one.core().registers.a[3] = 0x3ffe8000;
    boards.one.core().use(&halts);
    boards.one.run(3);
    EXPECT_EQ(halts.count, 1);
}

// A region that may not execute faults in spite of what others have decoded.
TEST(Lx106Sharing, AForbiddenRegionIsForbiddenForItsBoardAlone) {
    // witlb a4, a3; nop.n
    Two boards({0x40, 0x63, 0x50, 0x3d, 0xf0});
    boards.other.run(2);
    Registers &registers = boards.one.core().registers;
    registers.a[3] = kFlash;
    registers.a[4] = 15; // no access
    boards.one.run(2);
    EXPECT_EQ(registers.special[EXCCAUSE], 20u);
    EXPECT_EQ(boards.other.core().registers.pc, kFlash + 5);
}

TEST(Lx106Sharing, AResetLoadsWhatTheBoardHasChanged) {
    Two boards(kStoring);
    store_at(boards.one, kFlash);
    boards.one.restart(false);
    EXPECT_EQ(*boards.one.memory().find(kFlash, 1), 0xf0);
    EXPECT_EQ(*boards.other.memory().find(kFlash, 1), 0xf0);
}

} // namespace
