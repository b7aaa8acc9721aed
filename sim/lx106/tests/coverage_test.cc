// The addresses that a board has executed.
#include <gtest/gtest.h>

#include "coverage.hpp"
#include "program.hpp"

namespace {

using namespace lx106;
using namespace lx106_test;
using Addresses = std::vector<std::uint32_t>;

// movi.n a2, 1; beqz a2, +8; nop.n; j -8; nop.n
const Bytes kLoop = {0x0c, 0x12, 0x16, 0x42, 0x00, 0x3d, 0xf0, 0x46, 0xfd, 0xff, 0x3d, 0xf0};

TEST(Lx106Coverage, HasEachExecutedAddressOnce) {
    Remembering outside;
    Board board(parse_elf(elf_with(kLoop)), "", kInstruction, outside);
    Coverage coverage;
    board.core().cover(coverage);
    EXPECT_EQ(coverage.addresses(), Addresses{});
    board.run(3);
    EXPECT_EQ(coverage.addresses(), (Addresses{kFlash, kFlash + 2, kFlash + 5}));
    board.run(40);
    EXPECT_EQ(coverage.addresses(), (Addresses{kFlash, kFlash + 2, kFlash + 5, kFlash + 7}));
}

// A reset forgets what the board has decoded alone.
TEST(Lx106Coverage, KeepsWhatWasExecutedBeforeAReset) {
    // s16i a4, a3, 0: changes its own code, so the board decodes alone
    Remembering outside;
    Board board(parse_elf(elf_with({0x42, 0x53, 0x00, 0x3d, 0xf0, 0x3d, 0xf0})), "", kInstruction,
                outside);
    Coverage coverage;
    board.core().cover(coverage);
    board.core().registers.a[3] = kFlash + 8;
    board.run(3);
    board.restart(false);
    board.run(4);
    EXPECT_EQ(coverage.addresses(), (Addresses{kFlash, kFlash + 3, kFlash + 5}));
}

TEST(Lx106Coverage, LeavesOutCodeInData) {
    Remembering outside;
    Board board(parse_elf(elf_with(kLoop)), "", kInstruction, outside);
    Coverage coverage;
    board.core().cover(coverage);
    const std::uint16_t nop = 0xf03d;
    std::memcpy(board.memory().change(0x3ffe8000, 2), &nop, 2);
    board.core().registers.pc = 0x3ffe8000;
    board.run(1);
    EXPECT_EQ(coverage.addresses(), Addresses{});
}

TEST(Lx106Coverage, AFileThatCannotBeWrittenIsAnError) {
    EXPECT_THROW(Coverage().write("no-such-folder/coverage"), std::system_error);
}

} // namespace
