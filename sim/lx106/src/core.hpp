// The processor: it executes instructions, takes exceptions and interrupts, and sleeps.
//
// Missing in comparison with QEMU's LX106: instruction breakpoints and the debugger's instruction
// counter (IBREAK, ICOUNT: registers without a function); interrupts above level 1, which nothing
// on the board raises; and semihosting calls other than SYS_write.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "clock.hpp"
#include "firmware.hpp"
#include "halts.hpp"
#include "instruction.hpp"
#include "memory.hpp"
#include "peripherals.hpp"
#include "special_registers.hpp"

namespace lx106 {

// EXCCAUSE (manual, table 4-64).
enum class Cause : std::uint32_t {
    illegal_instruction = 0,
    syscall = 1,
    level1_interrupt = 4,
    unaligned = 9,
    no_instruction = 14, // nothing answers at the address
    no_data = 15,
    fetch_prohibited = 20,
    load_prohibited = 28,
    store_prohibited = 29,
};

struct Registers {
    std::array<std::uint32_t, 16> a{};
    std::uint32_t pc = 0;
    std::array<std::uint32_t, 256> special{};
    bool operator==(const Registers &) const = default;
};

class Core {
public:
    using Log = std::function<void(std::span<const std::uint8_t> text)>;

    // `decoded` holds instructions of the code that was lent to the memory; null: none was.
    Core(Memory &memory, Peripherals &peripherals, Log log, Time instruction,
         Decoded *decoded = nullptr);

    // Resets the processor; execution continues at `pc`. The other registers keep their values.
    void reset(std::uint32_t pc);
    // Executes until `executed` instructions are counted, the processor sleeps, or halt() is
    // called.
    void run(std::uint64_t executed);
    // Makes run() return after the current instruction.
    void halt();
    // Enters a pending interrupt; the next instruction is then the handler's first.
    void take_interrupt();

    // True while the processor sleeps after WAITI, until an interrupt.
    [[nodiscard]] bool asleep() const { return asleep_; }
    [[nodiscard]] std::uint64_t executed() const { return executed_; }
    [[nodiscard]] Time now() const { return clock_.at(executed_); }
    // CCOUNT.
    [[nodiscard]] std::uint32_t cycles() const;
    // When the program first read CCOUNT, from which its clock counts; kNever if it has not.
    [[nodiscard]] Time first_count() const { return first_count_; }
    // When the timer will fire; kNever if it has fired or was never set.
    [[nodiscard]] Time alarm() const { return alarm_; }
    // Sets the current time.
    void set_time(Time time);
    // Sets the interrupt line of a peripheral.
    void set_line(std::uint32_t mask, bool high);
    // Sets where it halts for a debugger; null: nowhere. Call it again after a change of
    // breakpoints, watchpoints or code in memory.
    void use(Halts *halts);
    // Adds what is executed from now on to `coverage`. Other boards must not share the
    // instructions.
    void cover(Coverage &coverage);

    Registers registers;

private:
    static constexpr std::uint8_t kAccessAll = 2; // of a region, after a reset

    // The result of a slow access; without a value, the processor has entered a handler.
    struct Loaded {
        bool done;
        std::uint32_t value;
    };

    void execute(std::uint64_t until);
    void meet_debugger();
    // Notes a halt at the current instruction, which is not executed.
    void hold(const Halt &why, std::uint32_t pc);
    [[nodiscard]] const Instruction *fetch(std::uint32_t pc);
    [[nodiscard]] std::uint32_t at_zero();
    void forget_code();
    void decode_alone();

    [[nodiscard]] Loaded load(std::uint32_t pc, std::uint32_t address, unsigned size);
    [[nodiscard]] bool store(std::uint32_t pc, std::uint32_t address, std::uint32_t value,
                             unsigned size);
    [[nodiscard]] bool watched(std::uint32_t address, unsigned size, std::uint32_t which) const;
    void choose_fast_paths();
    void write_tlb(bool data, std::uint32_t address, std::uint32_t attribute);

    // These return the address of the handler.
    std::uint32_t raise(Cause cause, std::uint32_t pc);
    std::uint32_t raise(Cause cause, std::uint32_t pc, std::uint32_t address);
    std::uint32_t raise_debug(std::uint32_t cause, std::uint32_t pc);
    [[nodiscard]] std::uint32_t level() const;
    [[nodiscard]] bool interrupt_due() const;

    [[nodiscard]] std::uint32_t read_special(std::uint32_t number);
    void write_special(std::uint32_t number, std::uint32_t value);
    void set_alarm(std::uint32_t cycle);
    void semihosting_call();

    Memory &memory_;
    Peripherals &peripherals_;
    Log log_;
    Clock clock_;
    Time alarm_ = kNever, first_count_ = kNever;
    std::uint32_t counter_offset_ = 0; // CCOUNT minus the cycles since power-on
    std::uint64_t executed_ = 0;
    std::uint64_t horizon_ = 0; // execute() returns when so many are executed
    bool asleep_ = false, halted_ = false;
    std::array<std::uint8_t, 8> data_access_{}, fetch_access_{}; // by 512 MiB (manual, 4.6.3)
    // Sizes of the blocks that loads, stores and literals access without further checks; 0 while a
    // check is necessary.
    std::uint32_t fast_load_bytes_ = 0, fast_store_bytes_ = 0, fast_literal_bytes_ = 0;
    std::uint32_t watch_base_ = 0, watch_bytes_ = 0; // stores that a breakpoint watches
    Halts *halts_ = nullptr;
    std::optional<Halt> held_;
    bool passing_ = false; // the next instruction is executed in spite of the debugger
    Instruction passed_;
    // Instructions of the firmware's code, as every board executes them; null: there are none.
    Decoded *const shared_;
    Decoded own_;
    Decoded *decoded_ = nullptr; // one of the two
};

} // namespace lx106
