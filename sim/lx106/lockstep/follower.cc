#include "follower.hpp"

#include <algorithm>
#include <cstdio>

namespace lx106 {

namespace {

constexpr std::uint32_t kEthernetLine = 1u << 1, kTimerLine = 1u << 6;
constexpr std::uint32_t kVectorBytes = 0x80, kDebugVector = 0x10, kDataBreak = 0x04;
constexpr Time kCycle = 1'000'000'000'000 / kCounterHz;

template <typename... Values> std::string text(const char *format, Values... values) {
    char buffer[160];
    std::snprintf(buffer, sizeof buffer, format, values...);
    return buffer;
}

// QEMU logged the state before an instruction, where its instruction budget ended, and then took an
// interrupt instead of executing it.
bool interrupted_before(const Registers &state, const Registers &after) {
    const auto &special = after.special;
    return special[EXCCAUSE] == static_cast<std::uint32_t>(Cause::level1_interrupt) &&
           special[EPC1] == state.pc && after.pc - special[VECBASE] < kVectorBytes &&
           (special[PS] & ~state.special[PS] & PS_EXCM) && after.a == state.a;
}

} // namespace

Follower::Follower(const ElfImage &firmware, std::string_view words, Time instruction,
                   std::vector<std::uint8_t> compared)
    : firmware_(firmware), board_(firmware, words, instruction, *this), instruction_(instruction),
      slack_(kCycle + 2 * instruction), compared_(std::move(compared)) {}

void Follower::send(std::span<const std::uint8_t> frame) {
    sent_.emplace_back(frame.begin(), frame.end());
}

void Follower::log(std::span<const std::uint8_t> line) {
    log_.append(line.begin(), line.end());
}

std::string Follower::compare_sent(const Frame &frame) {
    ++counts_.frames_out;
    if (sent_.empty())
        return "QEMU's board sent a frame that this one did not send";
    const bool same = sent_.front() == frame;
    sent_.pop_front();
    return same ? ""
                : text("frame %llu differs", static_cast<unsigned long long>(counts_.frames_out));
}

Instruction Follower::instruction_at(std::uint32_t pc) const {
    for (const Segment &segment : firmware_.segments)
        if (pc >= segment.address && pc - segment.address + 3 <= segment.data.size()) {
            const std::uint8_t *at = segment.data.data() + (pc - segment.address);
            return decode(pc, at[0] | static_cast<std::uint32_t>(at[1]) << 8 |
                                  static_cast<std::uint32_t>(at[2]) << 16);
        }
    return {};
}

bool Follower::may_sleep(const Registers &state) const {
    return instruction_at(state.pc).operation == Operation::waiti;
}

bool Follower::reads_clock(const Registers &state) const {
    const Instruction i = instruction_at(state.pc);
    const bool special = i.operation == Operation::rsr || i.operation == Operation::wsr ||
                         i.operation == Operation::xsr;
    return special && (i.immediate == CCOUNT || i.immediate == CCOMPARE0);
}

std::string Follower::follow_inputs(const Registers &before) {
    Core &core = board_.core();
    const std::uint32_t raised = before.special[INTERRUPT] & ~core.registers.special[INTERRUPT];
    if ((raised & kEthernetLine) && !expected_.empty()) {
        board_.receive(expected_.front());
        expected_.pop_front();
        ++counts_.frames_in;
    }
    if ((raised & kTimerLine) && core.alarm() != kNever) {
        const Time early = core.alarm() - core.now();
        if (clock_known_ && early > slack_)
            return text("the alarm rings %llu ps early", static_cast<unsigned long long>(early));
        core.set_time(core.alarm());
    }
    return "";
}

std::string Follower::follow_clock(const Registers &after) {
    Core &core = board_.core();
    const Time end = core.now() + instruction_;
    const auto ahead =
        static_cast<std::int32_t>(after.special[CCOUNT] - static_cast<std::uint32_t>(end / kCycle));
    if (ahead < 0 && clock_known_)
        return text("CCOUNT is %d cycles behind", -ahead);
    if (ahead != 0) {
        const auto cycles = static_cast<std::uint32_t>(ahead);
        const Time later = (end / kCycle + cycles) * kCycle - end;
        if (clock_known_ && later > slack_)
            return text("CCOUNT is %llu ps ahead", static_cast<unsigned long long>(later));
        core.set_time(core.now() + later);
    }
    clock_known_ = true;
    return "";
}

std::string Follower::difference(const Registers &qemu) {
    const Registers &own = board_.core().registers;
    std::string found;
    if (own.pc != qemu.pc)
        found += text(" pc %08x, in QEMU %08x;", own.pc, qemu.pc);
    for (unsigned i = 0; i < own.a.size(); ++i)
        if (own.a[i] != qemu.a[i])
            found += text(" a%u %08x, in QEMU %08x;", i, own.a[i], qemu.a[i]);
    for (const std::uint8_t i : compared_)
        if (i != CCOUNT && own.special[i] != qemu.special[i])
            found += text(" special register %u %08x, in QEMU %08x;", i, own.special[i],
                          qemu.special[i]);
    return found;
}

// True if the exception just taken interrupted a memory access.
bool Follower::broken_off() {
    const auto &registers = board_.core().registers;
    if (registers.pc == registers.special[VECBASE] + kDebugVector)
        return registers.special[DEBUGCAUSE] == kDataBreak;
    switch (static_cast<Cause>(registers.special[EXCCAUSE])) {
    case Cause::illegal_instruction:
    case Cause::syscall:
        return false;
    default:
        return true;
    }
}

// Where no instruction can be fetched, QEMU logs the state only after the exception.
bool Follower::fails_to_fetch() {
    Core &core = board_.core();
    const std::uint32_t pc = core.registers.pc;
    const auto &special = core.registers.special;
    const Time time = core.now();
    board_.run(core.executed() + 1);
    core.set_time(time); // and does not count that instruction
    const auto cause = static_cast<Cause>(special[EXCCAUSE]);
    return special[EXCVADDR] == pc &&
           (cause == Cause::no_instruction || cause == Cause::fetch_prohibited);
}

std::string Follower::step(const Registers &before, const Registers *after) {
    Core &core = board_.core();
    if (after && interrupted_before(before, *after))
        return "";
    if (!following_) {
        if (before.pc != firmware_.entry)
            return ""; // the loop that waits for the reset, or QEMU's own code after it
        following_ = true;
        clock_known_ = false;
    }
    // QEMU logs a state twice where its instruction budget ended before it.
    if (before == last_ && !difference(before).empty())
        return "";
    const std::uint32_t last_pc = last_.pc;
    last_ = before;
    std::string found = follow_inputs(before);
    const std::uint32_t pc = core.registers.pc;
    core.take_interrupt();
    counts_.interrupts += core.registers.pc != pc;
    if (found.empty())
        found = difference(before);
    if (!found.empty() && fails_to_fetch())
        found = difference(before);
    const Instruction next = instruction_at(core.registers.pc);
    if (found.empty() && after && reads_clock(before))
        found = follow_clock(*after);
    if (!found.empty())
        return text("after the instruction at %08x:", last_pc) + found;
    operations_.insert(next.operation);
    const bool in_vectors = core.registers.pc - core.registers.special[VECBASE] < kVectorBytes;
    const std::uint64_t resets = board_.resets();
    board_.run(core.executed() + 1);
    ++counts_.instructions;
    if (board_.resets() != resets) {
        ++counts_.resets;
        following_ = false;
        return "";
    }
    if (!in_vectors && core.registers.pc - core.registers.special[VECBASE] < kVectorBytes) {
        ++counts_.exceptions;
        if (broken_off()) // which QEMU does not count as executed
            core.set_time(core.now() - std::min(core.now(), instruction_));
    }
    if (core.asleep()) {
        ++counts_.sleeps;
        clock_known_ = false;
    }
    return "";
}

} // namespace lx106
