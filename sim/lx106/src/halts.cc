#include "halts.hpp"

#include <algorithm>

#include "core.hpp"

namespace lx106 {

void Halts::step(const Registers &registers, std::uint64_t executed, std::uint32_t from,
                 std::uint32_t to) {
    step_ends_ = executed + 1;
    const bool within = registers.pc >= from && registers.pc < to;
    range_from_ = within ? from : 0;
    range_to_ = within ? to : 0;
    handler_returns_.reset();
}

std::optional<Halt> Halts::due(const Registers &registers, std::uint64_t executed, Time now) {
    if (now >= time) {
        const bool masked = registers.special[PS] & (PS_EXCM | PS_INTLEVEL);
        deferred_until_ = std::min(deferred_until_, executed == 0 ? 0 : executed + kDeferred);
        if (masked && executed < deferred_until_)
            return std::nullopt;
        time = kNever;
        deferred_until_ = kNoStep;
        return Halt{Halt::Reason::time, 0};
    }
    if (executed >= step_ends_) {
        step_ends_ = executed + 1;
        if (handler_returns_ != std::nullopt &&
            *handler_returns_ != std::pair(registers.pc, registers.a[1]))
            return std::nullopt;
        handler_returns_.reset();
        if (registers.pc >= range_from_ && registers.pc < range_to_)
            return std::nullopt;
        step_ends_ = kNoStep;
        return Halt{Halt::Reason::step, 0};
    }
    if (requested())
        return Halt{Halt::Reason::request, 0};
    return std::nullopt;
}

std::uint64_t Halts::next(const Clock &clock) const {
    return std::min(step_ends_, time == kNever ? kNoStep : clock.number_at(time));
}

void Halts::enter_handler(std::uint32_t pc, std::uint32_t stack) {
    if (step_ends_ != kNoStep && !handler_returns_)
        handler_returns_ = {pc, stack};
}

std::optional<Halt> Halts::watching(std::uint32_t address, std::uint32_t size, bool store) const {
    for (const Watch &watch : watches) {
        const std::uint64_t end = std::uint64_t{watch.address} + watch.size;
        if (watch.which != (store ? Watched::loads : Watched::stores) && address < end &&
            watch.address < std::uint64_t{address} + size)
            return Halt{Halt::Reason::watchpoint, watch.address};
    }
    return std::nullopt;
}

bool Halts::watches_any(bool store) const {
    return std::ranges::any_of(watches, [store](const Watch &watch) {
        return watch.which != (store ? Watched::loads : Watched::stores);
    });
}

} // namespace lx106
