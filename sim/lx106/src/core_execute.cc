// The execution of each instruction (manual, chapter 6).
#include "core.hpp"

#include <bit>
#include <cstring>

namespace lx106 {

namespace {

using std::int16_t, std::int32_t, std::int64_t, std::uint32_t, std::uint64_t;

constexpr uint32_t kDebugBreak = 0x08, kDebugNarrowBreak = 0x10;
constexpr uint32_t kDebugLevel = 2;
constexpr uint32_t kRegionMask = 0xe0000000;
constexpr unsigned kRegionBits = 29;

int32_t as_signed(uint32_t value) {
    return static_cast<int32_t>(value);
}

uint32_t low_half(uint64_t value) {
    return static_cast<uint32_t>(value);
}

uint32_t shifted_left(uint32_t value, uint32_t sar) {
    return low_half(static_cast<uint64_t>(value) << ((32 - sar) & 63));
}

uint32_t shifted_right(uint32_t high, uint32_t low, uint32_t sar) {
    return low_half((static_cast<uint64_t>(high) << 32 | low) >> sar);
}

uint32_t shifted_arithmetically(uint32_t value, uint32_t sar) {
    return low_half(static_cast<uint64_t>(static_cast<int64_t>(as_signed(value)) >> sar));
}

uint32_t signed_product(uint32_t one, uint32_t other) {
    return static_cast<uint32_t>(static_cast<int16_t>(one) * static_cast<int16_t>(other));
}

// Bits below the sign that equal it.
uint32_t sign_copies(uint32_t value) {
    return static_cast<uint32_t>(std::countl_zero(as_signed(value) < 0 ? ~value : value)) - 1;
}

} // namespace

// The loop keeps its state in local variables; they are stored to the members before a call.
void Core::execute(uint64_t until) {
    horizon_ = until;
    uint32_t pc = registers.pc;
    uint64_t count = executed_;
    auto *const a = registers.a.data();
    auto &special = registers.special;
    std::uint8_t *const data = memory_.data();
    const std::uint8_t *const code = memory_.code();
    const Decoded &decoded = *decoded_;
    const Instruction *i = decoded.begin();

    do {
        ++count;
        if ((++i)->pc != pc) {
            i = decoded.find(pc);
            if (i->pc != pc) [[unlikely]] {
                i = fetch(pc);
                if (!i) {
                    i = decoded.begin();
                    pc = registers.pc;
                    continue;
                }
            }
        }
        uint32_t next = pc + i->length;

        const auto load_into = [&]<typename Value>(std::uint8_t target, Value) {
            const uint32_t address = a[i->s] + i->immediate;
            const uint32_t offset = address - Memory::kDataBase;
            if (offset < fast_load_bytes_ && !(address & (sizeof(Value) - 1))) [[likely]] {
                Value value;
                std::memcpy(&value, data + offset, sizeof value);
                a[target] = static_cast<uint32_t>(static_cast<int32_t>(value));
                return;
            }
            executed_ = count;
            const Loaded loaded = load(pc, address, sizeof(Value));
            if (loaded.done)
                a[target] =
                    static_cast<uint32_t>(static_cast<int32_t>(static_cast<Value>(loaded.value)));
            else
                next = registers.pc;
        };
        const auto store_from = [&]<typename Value>(Value value) {
            const uint32_t address = a[i->s] + i->immediate;
            const uint32_t offset = address - Memory::kDataBase;
            if (offset < fast_store_bytes_ && !(address & (sizeof(Value) - 1)) &&
                address - watch_base_ >= watch_bytes_) [[likely]] {
                std::memcpy(data + offset, &value, sizeof value);
                return;
            }
            executed_ = count;
            if (!store(pc, address, value, sizeof(Value)))
                next = registers.pc;
        };
        const auto branch_if = [&](bool condition) {
            if (condition)
                next = i->immediate;
        };

        switch (i->operation) {
            // clang-format off: one line an instruction
        using enum Operation;
        case illegal: next = i->length ? raise(Cause::illegal_instruction, pc) : at_zero(); break;
        case ret: next = a[0]; break;
        case jx: next = a[i->s]; break;
        case callx0: { const uint32_t target = a[i->s]; a[0] = next; next = target; break; }
        case call0: a[0] = next; next = i->immediate; break;
        case j: next = i->immediate; break;

        case beqz: branch_if(a[i->s] == 0); break;
        case bnez: branch_if(a[i->s] != 0); break;
        case bltz: branch_if(as_signed(a[i->s]) < 0); break;
        case bgez: branch_if(as_signed(a[i->s]) >= 0); break;
        case beqi: branch_if(a[i->s] == kBranchConstants[i->r]); break;
        case bnei: branch_if(a[i->s] != kBranchConstants[i->r]); break;
        case blti: branch_if(as_signed(a[i->s]) < as_signed(kBranchConstants[i->r])); break;
        case bgei: branch_if(as_signed(a[i->s]) >= as_signed(kBranchConstants[i->r])); break;
        case bltui: branch_if(a[i->s] < kUnsignedBranchConstants[i->r]); break;
        case bgeui: branch_if(a[i->s] >= kUnsignedBranchConstants[i->r]); break;
        case beq: branch_if(a[i->s] == a[i->t]); break;
        case bne: branch_if(a[i->s] != a[i->t]); break;
        case blt: branch_if(as_signed(a[i->s]) < as_signed(a[i->t])); break;
        case bge: branch_if(as_signed(a[i->s]) >= as_signed(a[i->t])); break;
        case bltu: branch_if(a[i->s] < a[i->t]); break;
        case bgeu: branch_if(a[i->s] >= a[i->t]); break;
        case bany: branch_if((a[i->s] & a[i->t]) != 0); break;
        case bnone: branch_if((a[i->s] & a[i->t]) == 0); break;
        case ball: branch_if((~a[i->s] & a[i->t]) == 0); break;
        case bnall: branch_if((~a[i->s] & a[i->t]) != 0); break;
        case bbc: branch_if(!(a[i->s] >> (a[i->t] & 31) & 1)); break;
        case bbs: branch_if(a[i->s] >> (a[i->t] & 31) & 1); break;
        case bbci: branch_if(!(a[i->s] >> i->t & 1)); break;
        case bbsi: branch_if(a[i->s] >> i->t & 1); break;

        case l8ui: load_into(i->t, std::uint8_t()); break;
        case l16ui: load_into(i->t, std::uint16_t()); break;
        case l16si: load_into(i->t, int16_t()); break;
        case l32i: load_into(i->t, uint32_t()); break;
        case s8i: store_from(static_cast<std::uint8_t>(a[i->t])); break;
        case s16i: store_from(static_cast<std::uint16_t>(a[i->t])); break;
        case s32i: store_from(a[i->t]); break;

        case add: a[i->r] = a[i->s] + a[i->t]; break;
        case addx2: a[i->r] = (a[i->s] << 1) + a[i->t]; break;
        case addx4: a[i->r] = (a[i->s] << 2) + a[i->t]; break;
        case addx8: a[i->r] = (a[i->s] << 3) + a[i->t]; break;
        case sub: a[i->r] = a[i->s] - a[i->t]; break;
        case subx2: a[i->r] = (a[i->s] << 1) - a[i->t]; break;
        case subx4: a[i->r] = (a[i->s] << 2) - a[i->t]; break;
        case subx8: a[i->r] = (a[i->s] << 3) - a[i->t]; break;
        case addi: a[i->t] = a[i->s] + i->immediate; break;
        case neg: a[i->r] = 0 - a[i->t]; break;
        case abs: a[i->r] = as_signed(a[i->t]) < 0 ? 0 - a[i->t] : a[i->t]; break;
        case and_: a[i->r] = a[i->s] & a[i->t]; break;
        case or_: a[i->r] = a[i->s] | a[i->t]; break;
        case xor_: a[i->r] = a[i->s] ^ a[i->t]; break;
        case mull: a[i->r] = a[i->s] * a[i->t]; break;
        case mul16u: a[i->r] = (a[i->s] & 0xffff) * (a[i->t] & 0xffff); break;
        case mul16s: a[i->r] = signed_product(a[i->s], a[i->t]); break;
        case nsa: a[i->t] = sign_copies(a[i->s]); break;
        case nsau: a[i->t] = static_cast<uint32_t>(std::countl_zero(a[i->s])); break;
        case movi: a[i->t] = i->immediate; break;
        case mov: a[i->t] = a[i->s]; break;
        case moveqz: if (a[i->t] == 0) a[i->r] = a[i->s]; break;
        case movnez: if (a[i->t] != 0) a[i->r] = a[i->s]; break;
        case movltz: if (as_signed(a[i->t]) < 0) a[i->r] = a[i->s]; break;
        case movgez: if (as_signed(a[i->t]) >= 0) a[i->r] = a[i->s]; break;
        case extui: a[i->r] = a[i->t] >> i->s & i->immediate; break;

        case slli: a[i->r] = a[i->s] << i->immediate; break;
        case srli: a[i->r] = a[i->t] >> i->immediate; break;
        case srai: a[i->r] = shifted_arithmetically(a[i->t], i->immediate); break;
        case sll: a[i->r] = shifted_left(a[i->s], special[SAR]); break;
        case srl: a[i->r] = shifted_right(0, a[i->t], special[SAR]); break;
        case sra: a[i->r] = shifted_arithmetically(a[i->t], special[SAR]); break;
        case src: a[i->r] = shifted_right(a[i->s], a[i->t], special[SAR]); break;
        case ssr: special[SAR] = a[i->s] & 31; break;
        case ssl: special[SAR] = 32 - (a[i->s] & 31); break;
        case ssa8l: special[SAR] = (a[i->s] & 3) * 8; break;
        case ssa8b: special[SAR] = 32 - (a[i->s] & 3) * 8; break;
        case ssai: special[SAR] = i->immediate; break;

        case nop: break;
        case rer: a[i->t] = 0; break; // there is no external register to read
        case rfe: special[PS] &= ~PS_EXCM; next = special[EPC1]; horizon_ = 0; break;
        case rfde: next = special[DEPC]; horizon_ = 0; break;
        case syscall: next = raise(Cause::syscall, pc); break;
        case read_tlb0: a[i->t] = a[i->s] & kRegionMask; break;
        case probe_tlb: a[i->t] = (a[i->s] & kRegionMask) | 1; break;
        case write_itlb: write_tlb(false, a[i->s], a[i->t]); break;
        case write_dtlb: write_tlb(true, a[i->s], a[i->t]); break;
            // clang-format on

        case l32r: {
            const uint32_t offset = i->immediate - Memory::kCodeBase;
            if (offset < fast_literal_bytes_) [[likely]] {
                std::memcpy(&a[i->t], code + offset, sizeof a[i->t]);
                break;
            }
            executed_ = count;
            const std::uint8_t target = i->t; // another board may use the place meanwhile
            const Loaded loaded = load(pc, i->immediate, sizeof a[target]);
            if (loaded.done)
                a[target] = loaded.value;
            else
                next = registers.pc;
            break;
        }
        case read_tlb1: {
            const auto &access = i->immediate ? data_access_ : fetch_access_;
            a[i->t] = (a[i->s] & kRegionMask) | access[a[i->s] >> kRegionBits];
            break;
        }
        case rsr:
            executed_ = count;
            a[i->t] = read_special(i->immediate);
            break;
        case wsr:
            executed_ = count;
            write_special(i->immediate, a[i->t]);
            break;
        case xsr: {
            executed_ = count;
            const std::uint8_t target = i->t; // the write may forget the instruction
            const uint32_t before = read_special(i->immediate);
            write_special(i->immediate, a[target]);
            a[target] = before;
            break;
        }
        case rsil:
            a[i->t] = special[PS];
            special[PS] = (special[PS] & ~PS_INTLEVEL) | i->s;
            horizon_ = 0;
            break;
        case waiti:
            special[PS] = (special[PS] & ~PS_INTLEVEL) | i->s;
            asleep_ = !interrupt_due();
            horizon_ = 0;
            break;
        case rfi: // from the level's own registers, EPCn and EPSn
            next = special[EPC1 + i->immediate - 1];
            special[PS] = special[EPS2 + i->immediate - 2];
            horizon_ = 0;
            break;
        case break_:
        case break_n:
            if (level() < kDebugLevel)
                next = raise_debug(i->operation == break_ ? kDebugBreak : kDebugNarrowBreak, pc);
            break;
        case simcall:
            executed_ = count;
            semihosting_call();
            break;
        }
        pc = next;
    } while (count < horizon_);

    executed_ = count;
    registers.pc = pc;
}

} // namespace lx106
