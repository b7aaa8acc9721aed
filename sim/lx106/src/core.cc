#include "core.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace lx106 {

namespace {

constexpr Time kPicosecondsPerCycle = 1'000'000'000'000 / kCounterHz;
constexpr std::uint32_t kTimerLine = 1u << 6;
constexpr std::uint32_t kLevel1Lines = 0x3fff;

// Where handlers lie, from VECBASE on.
constexpr std::uint32_t kVectorAfterReset = 0x40000000;
constexpr std::uint32_t kDebugVector = 0x10, kKernelVector = 0x30, kUserVector = 0x50,
                        kDoubleVector = 0x70;
constexpr std::uint32_t kDebugLevel = 2;

} // namespace

Core::Core(Memory &memory, Peripherals &peripherals, Log log, Time instruction, Decoded *decoded)
    : memory_(memory), peripherals_(peripherals), log_(std::move(log)), clock_(instruction),
      shared_(decoded) {
    memory_.on_copied_code([this] { forget_code(); });
    registers.special[CONFIGID0] = 0xc28cdafa;
    registers.special[CONFIGID1] = 0x1082b6f6;
}

void Core::reset(std::uint32_t pc) {
    registers.pc = pc;
    registers.special[PS] = PS_EXCM | PS_INTLEVEL;
    registers.special[VECBASE] = kVectorAfterReset;
    registers.special[IBREAKENABLE] = 0;
    registers.special[LITBASE] &= ~1u;
    data_access_.fill(kAccessAll);
    fetch_access_.fill(kAccessAll);
    asleep_ = false;
    choose_fast_paths();
    forget_code();
}

void Core::halt() {
    halted_ = true;
    horizon_ = 0;
}

void Core::run(std::uint64_t executed) {
    halted_ = false;
    while (executed_ < executed && !halted_) {
        take_interrupt();
        if (asleep_)
            return;
        std::uint64_t until = executed;
        if (halts_) [[unlikely]] {
            meet_debugger();
            until = passing_ ? executed_ + 1 : std::max(halts_->next(clock_), executed_ + 1);
        }
        const std::uint64_t rings =
            alarm_ == kNever ? executed : std::max(clock_.number_at(alarm_), executed_ + 1);
        execute(std::min({executed, until, rings}));
        passing_ = false;
        if (held_)
            --executed_;
        if (now() >= alarm_) {
            alarm_ = kNever;
            set_line(kTimerLine, true);
        }
    }
}

void Core::use(Halts *halts) {
    halts_ = halts;
    choose_fast_paths();
    forget_code();
}

void Core::cover(Coverage &coverage) {
    own_.cover(coverage);
    if (shared_)
        shared_->cover(coverage);
}

void Core::meet_debugger() {
    std::optional<Halt> why = std::exchange(held_, std::nullopt);
    if (!why)
        why = halts_->due(registers, executed_, now());
    if (!why)
        return;
    halts_->halted(*why);
    passing_ = true;
}

void Core::hold(const Halt &why, std::uint32_t pc) {
    held_ = why;
    registers.pc = pc;
    horizon_ = 0;
}

void Core::set_time(Time time) {
    clock_.set(executed_, time);
    if (time >= alarm_) {
        alarm_ = kNever;
        set_line(kTimerLine, true);
    }
}

void Core::set_line(std::uint32_t mask, bool high) {
    std::uint32_t &pending = registers.special[INTERRUPT];
    pending = high ? pending | mask : pending & ~mask;
    horizon_ = 0;
}

// The level that an interrupt must exceed; exceptions in progress mask the first.
std::uint32_t Core::level() const {
    const std::uint32_t ps = registers.special[PS];
    return std::max(ps & PS_INTLEVEL, ps & PS_EXCM ? 1u : 0u);
}

bool Core::interrupt_due() const {
    const std::uint32_t pending =
        registers.special[INTERRUPT] & registers.special[INTENABLE] & kLevel1Lines;
    return pending && level() == 0;
}

void Core::take_interrupt() {
    if (!interrupt_due())
        return;
    asleep_ = false;
    if (halts_)
        halts_->enter_handler(registers.pc, registers.a[1]);
    registers.pc = raise(Cause::level1_interrupt, registers.pc);
}

std::uint32_t Core::raise(Cause cause, std::uint32_t pc) {
    auto &special = registers.special;
    std::uint32_t vector = kDoubleVector;
    if (special[PS] & PS_EXCM)
        special[DEPC] = pc;
    else {
        special[EPC1] = pc;
        vector = special[PS] & PS_UM ? kUserVector : kKernelVector;
    }
    special[EXCCAUSE] = static_cast<std::uint32_t>(cause);
    special[PS] |= PS_EXCM;
    return special[VECBASE] + vector;
}

std::uint32_t Core::raise(Cause cause, std::uint32_t pc, std::uint32_t address) {
    registers.special[EXCVADDR] = address;
    return raise(cause, pc);
}

std::uint32_t Core::raise_debug(std::uint32_t cause, std::uint32_t pc) {
    auto &special = registers.special;
    special[DEBUGCAUSE] = cause;
    special[EPC2] = pc;
    special[EPS2] = special[PS];
    special[PS] = (special[PS] & ~PS_INTLEVEL) | PS_EXCM | kDebugLevel;
    return special[VECBASE] + kDebugVector;
}

std::uint32_t Core::cycles() const {
    return static_cast<std::uint32_t>(now() / kPicosecondsPerCycle) + counter_offset_;
}

// The timer fires when the counter reaches the value; if it is there already, after a full turn. As
// in QEMU, the distance is counted from now, not from the beginning of the cycle.
void Core::set_alarm(std::uint32_t cycle) {
    const Time distance = static_cast<Time>(cycle - cycles() - 1) + 1;
    alarm_ = now() + distance * kPicosecondsPerCycle;
    registers.special[CCOMPARE0] = cycle;
    set_line(kTimerLine, false);
}

} // namespace lx106
