// Where the processor halts for a debugger. A halt is between two instructions, takes no time, and
// changes nothing: the program goes on as if there had been none.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "clock.hpp"

namespace lx106 {

struct Registers;

struct Halt {
    enum class Reason { step, breakpoint, watchpoint, time, request };
    Reason reason = Reason::step;
    std::uint32_t address = 0; // that a watchpoint watches
};

// Which accesses a watchpoint watches, by GDB's numbers: Z2, Z3, Z4.
enum class Watched : std::uint8_t { stores = 2, loads = 3, both = 4 };

class Halts {
public:
    virtual ~Halts() = default;

    // The processor stands before the instruction at its pc, and goes on when this returns.
    virtual void halted(const Halt &why) = 0;
    // Whether the user asks for a halt. Called at least every few thousand instructions.
    [[nodiscard]] virtual bool requested() = 0;

    // ---- set by the debugger while the processor is halted ----

    std::set<std::uint32_t> breakpoints;
    struct Watch {
        std::uint32_t address, size;
        Watched which;
        auto operator<=>(const Watch &) const = default;
    };
    std::set<Watch> watches;
    // Before the first instruction that begins at this time or later and does not mask interrupts:
    // a debugger finds no way back from the handler of the one that has ended a sleep. After
    // kDeferred masked instructions it halts in spite of that.
    Time time = kNever;
    // After an instruction; while it was within these addresses, after the next one. What an
    // interrupt's handler does meanwhile does not count.
    void step(const Registers &registers, std::uint64_t executed, std::uint32_t from = 0,
              std::uint32_t to = 0);

    // ---- for the processor ----

    // Why to halt here, if it has not been noticed by an access or at a breakpoint.
    std::optional<Halt> due(const Registers &registers, std::uint64_t executed, Time now);
    // When due() must be asked again: an instruction's number.
    [[nodiscard]] std::uint64_t next(const Clock &clock) const;
    // A handler has been entered. The registers were these before.
    void enter_handler(std::uint32_t pc, std::uint32_t stack);
    [[nodiscard]] std::optional<Halt> watching(std::uint32_t address, std::uint32_t size,
                                               bool store) const;
    [[nodiscard]] bool watches_any(bool store) const;

private:
    static constexpr std::uint64_t kDeferred = 20'000;
    static constexpr std::uint64_t kNoStep = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t step_ends_ = kNoStep, deferred_until_ = kNoStep;
    std::uint32_t range_from_ = 0, range_to_ = 0;
    // Where an interrupt's handler returns to: address and stack pointer.
    std::optional<std::pair<std::uint32_t, std::uint32_t>> handler_returns_;
};

} // namespace lx106
