// An instruction of the LX106 (Xtensa with code density, 16- and 32-bit multiplication, leading
// zeros, exceptions, one timer; no register windows), decoded.
#pragma once

#include <cstdint>

namespace lx106 {

// clang-format off: one group a paragraph
enum class Operation : std::uint8_t {
    illegal,
    // calls and jumps
    ret, jx, callx0, call0, j,
    // branches
    beqz, bnez, bltz, bgez, beqi, bnei, blti, bgei, bltui, bgeui,
    beq, bne, blt, bge, bltu, bgeu, bany, bnone, ball, bnall, bbc, bbs, bbci, bbsi,
    // loads and stores
    l8ui, l16ui, l16si, l32i, l32r, s8i, s16i, s32i,
    // arithmetic and moves
    add, addx2, addx4, addx8, sub, subx2, subx4, subx8, addi, neg, abs,
    and_, or_, xor_, mull, mul16u, mul16s, nsa, nsau,
    movi, mov, moveqz, movnez, movltz, movgez, extui,
    // shifts
    slli, srli, srai, sll, srl, sra, src, ssr, ssl, ssa8l, ssa8b, ssai,
    // the processor's state
    nop, rsr, wsr, xsr, rer, rsil, waiti, rfe, rfde, rfi, syscall, simcall, break_, break_n,
    read_tlb0, read_tlb1, probe_tlb, write_itlb, write_dtlb,
};
// clang-format on

// `r`, `s` and `t` are numbers of registers a0 to a15, or other contents of these fields.
struct Instruction {
    std::uint32_t pc = 0;
    // An immediate value; the target of a jump, call or branch; the address that L32R loads from;
    // the number of a special register.
    std::uint32_t immediate = 0;
    Operation operation = Operation::illegal;
    std::uint8_t length = 3; // bytes
    std::uint8_t r = 0, s = 0, t = 0;
};

// The length in bytes is in the lowest four bits.
constexpr std::uint32_t length_of(std::uint32_t word) {
    return (word & 15) >= 8 && (word & 15) < 14 ? 2 : 3;
}

// The constants that branches compare with, by the number in their field r (manual: B4CONST and
// B4CONSTU).
inline constexpr std::uint32_t kBranchConstants[16] = {0xffffffff, 1,  2,  3,  4,  5,  6,   7,
                                                       8,          10, 12, 16, 32, 64, 128, 256};
inline constexpr std::uint32_t kUnsignedBranchConstants[16] = {
    32768, 65536, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 32, 64, 128, 256};

// Decodes the instruction at `pc`, whose bytes are the lowest two or three of `word`.
Instruction decode(std::uint32_t pc, std::uint32_t word);

} // namespace lx106
