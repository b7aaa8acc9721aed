// The opcode maps of the Xtensa instruction set (reference manual, chapter 7), as far as the LX106
// implements them. All other opcodes are illegal.
#include "instruction.hpp"
#include "special_registers.hpp"

namespace lx106 {

namespace {

using enum Operation;

std::uint32_t sign_extended(std::uint32_t value, unsigned bits) {
    const unsigned unused = 32 - bits;
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(value << unused) >>
                                      static_cast<int>(unused));
}

// The fields of a word, by the manual's names.
struct Fields {
    explicit Fields(std::uint32_t word)
        : op0(word & 15), t(word >> 4 & 15), s(word >> 8 & 15), r(word >> 12 & 15),
          op1(word >> 16 & 15), op2(word >> 20 & 15), imm8(word >> 16 & 255), sr(word >> 8 & 255),
          imm16(word >> 8 & 0xffff), offset18(sign_extended(word >> 6, 18)),
          imm12(sign_extended(word >> 12 & 0xfff, 12)) {}
    std::uint32_t op0, t, s, r, op1, op2, imm8, sr, imm16, offset18, imm12;
};

void jump_and_call(const Fields &f, Instruction &i) {
    if (f.t == 8)
        i.operation = ret;
    else if (f.t == 10)
        i.operation = jx;
    else if (f.t == 12)
        i.operation = callx0;
}

void synchronise(const Fields &f, Instruction &i) {
    // ISYNC, RSYNC, ESYNC, DSYNC, EXCW, MEMW, EXTW, NOP: no effect, since execution is in order.
    constexpr std::uint32_t known =
        1u << 0 | 1u << 1 | 1u << 2 | 1u << 3 | 1u << 8 | 1u << 12 | 1u << 13 | 1u << 15;
    if (f.s == 0 && (known >> f.t & 1))
        i.operation = nop;
}

void return_from(const Fields &f, Instruction &i) {
    if (f.t == 0 && f.s == 0)
        i.operation = rfe;
    else if (f.t == 0 && f.s == 2)
        i.operation = rfde;
    else if (f.t == 1 && f.s >= 2 && f.s <= 3) {
        i.operation = rfi;
        i.immediate = f.s;
    }
}

void system(const Fields &f, Instruction &i) {
    switch (f.r) {
    case 0:
        jump_and_call(f, i);
        break;
    case 2:
        synchronise(f, i);
        break;
    case 3:
        return_from(f, i);
        break;
    case 4:
        i.operation = break_;
        break;
    case 5:
        if (f.t == 0 && f.s <= 1)
            i.operation = f.s ? simcall : syscall;
        break;
    case 6:
        i.operation = rsil;
        break;
    case 7:
        if (f.t == 0)
            i.operation = waiti;
        break;
    default:
        break;
    }
}

void shift_amount(const Fields &f, Instruction &i) {
    static constexpr Operation by_register[4] = {ssr, ssl, ssa8l, ssa8b};
    if (f.r < 4 && f.t == 0)
        i.operation = by_register[f.r];
    else if (f.r == 4 && f.t < 2) {
        i.operation = ssai;
        i.immediate = f.s | f.t << 4;
    } else if (f.r == 6)
        i.operation = rer;
    else if (f.r == 7)
        i.operation = nop; // WER: there is no external register to write
    else if (f.r == 14)
        i.operation = nsa;
    else if (f.r == 15)
        i.operation = nsau;
}

void region_protection(const Fields &f, Instruction &i) {
    switch (f.r) {
    case 3:
    case 11:
        i.operation = read_tlb0;
        break;
    case 4:
    case 12:
        if (f.t == 0)
            i.operation = nop; // IITLB, IDTLB: a region has no entry to lose
        break;
    case 5:
    case 13:
        i.operation = probe_tlb;
        break;
    case 6:
        i.operation = write_itlb;
        break;
    case 7:
    case 15:
        i.operation = read_tlb1;
        i.immediate = f.r == 15;
        break;
    case 14:
        i.operation = write_dtlb;
        break;
    default:
        break;
    }
}

void arithmetic(const Fields &f, Instruction &i) {
    static constexpr Operation sums[8] = {add, addx2, addx4, addx8, sub, subx2, subx4, subx8};
    switch (f.op2) {
    case 0:
        system(f, i);
        break;
    case 1:
        i.operation = and_;
        break;
    case 2:
        i.operation = or_;
        break;
    case 3:
        i.operation = xor_;
        break;
    case 4:
        shift_amount(f, i);
        break;
    case 5:
        region_protection(f, i);
        break;
    case 6:
        if (f.s < 2)
            i.operation = f.s ? abs : neg;
        break;
    default:
        if (f.op2 >= 8)
            i.operation = sums[f.op2 - 8];
        break;
    }
}

void shift(const Fields &f, Instruction &i) {
    const std::uint32_t high = (f.op2 & 1) << 4;
    switch (f.op2) {
    case 0:
    case 1:
        i.operation = slli;
        i.immediate = (32 - (f.t | high)) & 31;
        break;
    case 2:
    case 3:
        i.operation = srai;
        i.immediate = f.s | high;
        break;
    case 4:
        i.operation = srli;
        i.immediate = f.s;
        break;
    case 6:
        if (f.sr != INTERRUPT && can_be_read(f.sr) && can_be_written(f.sr)) {
            i.operation = xsr;
            i.immediate = f.sr;
        }
        break;
    case 8:
        i.operation = src;
        break;
    case 9:
        if (f.s == 0)
            i.operation = srl;
        break;
    case 10:
        if (f.t == 0)
            i.operation = sll;
        break;
    case 11:
        if (f.s == 0)
            i.operation = sra;
        break;
    case 12:
        i.operation = mul16u;
        break;
    case 13:
        i.operation = mul16s;
        break;
    default:
        break;
    }
}

void move(const Fields &f, Instruction &i) {
    static constexpr Operation conditional[4] = {moveqz, movnez, movltz, movgez};
    i.immediate = f.sr;
    if (f.op2 == 0 && can_be_read(f.sr))
        i.operation = rsr;
    else if (f.op2 == 1 && can_be_written(f.sr))
        i.operation = wsr;
    else if (f.op2 >= 8 && f.op2 < 12)
        i.operation = conditional[f.op2 - 8];
}

void three_registers(const Fields &f, Instruction &i) {
    switch (f.op1) {
    case 0:
        arithmetic(f, i);
        break;
    case 1:
        shift(f, i);
        break;
    case 2:
        if (f.op2 == 8)
            i.operation = mull;
        break;
    case 3:
        move(f, i);
        break;
    case 4:
    case 5:
        i.operation = extui;
        i.s = static_cast<std::uint8_t>(f.s | (f.op1 & 1) << 4);
        i.immediate = (2u << f.op2) - 1;
        break;
    default:
        break;
    }
}

void load_or_store(const Fields &f, Instruction &i) {
    static constexpr Operation by_size[8] = {l8ui, l16ui, l32i, illegal, s8i, s16i, s32i, illegal};
    switch (f.r) {
    case 0:
    case 1:
    case 2:
    case 4:
    case 5:
    case 6:
        i.operation = by_size[f.r];
        i.immediate = f.imm8 << (f.r & 3);
        break;
    case 9:
        i.operation = l16si;
        i.immediate = f.imm8 << 1;
        break;
    case 10:
        i.operation = movi;
        i.immediate = sign_extended(f.s << 8 | f.imm8, 12);
        break;
    case 12:
        i.operation = addi;
        i.immediate = sign_extended(f.imm8, 8);
        break;
    case 13: // ADDMI
        i.operation = addi;
        i.immediate = sign_extended(f.imm8, 8) << 8;
        break;
    default:
        break;
    }
}

void jump_or_branch(const Fields &f, Instruction &i) {
    static constexpr Operation with_zero[4] = {beqz, bnez, bltz, bgez};
    static constexpr Operation with_constant[4] = {beqi, bnei, blti, bgei};
    const std::uint32_t m = f.t >> 2;
    const std::uint32_t after = i.pc + 4;
    switch (f.t & 3) {
    case 0:
        i.operation = j;
        i.immediate = after + f.offset18;
        break;
    case 1:
        i.operation = with_zero[m];
        i.immediate = after + f.imm12;
        break;
    case 2:
        i.operation = with_constant[m];
        i.immediate = after + sign_extended(f.imm8, 8);
        break;
    default:
        if (m >= 2) {
            i.operation = m == 2 ? bltui : bgeui;
            i.immediate = after + sign_extended(f.imm8, 8);
        }
        break;
    }
}

void compare(const Fields &f, Instruction &i) {
    static constexpr Operation tests[16] = {bnone, beq, blt, bltu, ball,  bbc, bbci, bbci,
                                            bany,  bne, bge, bgeu, bnall, bbs, bbsi, bbsi};
    i.operation = tests[f.r];
    if (i.operation == bbci || i.operation == bbsi)
        i.t = static_cast<std::uint8_t>(f.t | (f.r & 1) << 4);
    i.immediate = i.pc + 4 + sign_extended(f.imm8, 8);
}

void narrow_constant_or_branch(const Fields &f, Instruction &i) {
    if (f.t & 8) { // BEQZ.N, BNEZ.N
        i.operation = f.t & 4 ? bnez : beqz;
        i.immediate = i.pc + 4 + (f.r | (f.t & 3) << 4);
        return;
    }
    const std::uint32_t value = f.r | (f.t & 7) << 4;
    i.operation = movi; // MOVI.N: -32 to 95
    i.immediate = value < 96 ? value : value - 128;
    i.t = i.s;
}

void narrow_others(const Fields &f, Instruction &i) {
    if (f.r == 0)
        i.operation = mov;
    else if (f.r == 15 && f.t == 0)
        i.operation = ret;
    else if (f.r == 15 && f.t == 2)
        i.operation = break_n;
    else if (f.r == 15 && f.t == 3 && f.s == 0)
        i.operation = nop;
}

} // namespace

Instruction decode(std::uint32_t pc, std::uint32_t word) {
    const Fields f(word);
    Instruction i;
    i.pc = pc;
    i.length = static_cast<std::uint8_t>(length_of(word));
    i.r = static_cast<std::uint8_t>(f.r);
    i.s = static_cast<std::uint8_t>(f.s);
    i.t = static_cast<std::uint8_t>(f.t);
    switch (f.op0) {
    case 0:
        three_registers(f, i);
        break;
    case 1: // the offset is negative: 16 bits and ones
        i.operation = l32r;
        i.immediate = ((pc + 3) & ~3u) + (0xfffc0000 | f.imm16 << 2);
        break;
    case 2:
        load_or_store(f, i);
        break;
    case 5:
        if ((f.t & 3) == 0) {
            i.operation = call0;
            i.immediate = (pc & ~3u) + 4 + (f.offset18 << 2);
        }
        break;
    case 6:
        jump_or_branch(f, i);
        break;
    case 7:
        compare(f, i);
        break;
    case 8:
    case 9: // L32I.N, S32I.N
        i.operation = f.op0 == 8 ? l32i : s32i;
        i.immediate = f.r << 2;
        break;
    case 10:
        i.operation = add;
        break; // ADD.N
    case 11:   // ADDI.N: 0 stands for -1
        i.operation = addi;
        i.immediate = f.t ? f.t : 0xffffffff;
        i.t = i.r;
        break;
    case 12:
        narrow_constant_or_branch(f, i);
        break;
    case 13:
        narrow_others(f, i);
        break;
    default:
        break;
    }
    return i;
}

} // namespace lx106
