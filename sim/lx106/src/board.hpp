// The board: processor, memory and peripherals running a firmware. It has only its own clock and no
// port: its caller implements the outside.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core.hpp"
#include "firmware.hpp"
#include "memory.hpp"
#include "peripherals.hpp"

namespace lx106 {

// Called while an instruction is under way, at the board's time now().
class Outside {
public:
    virtual ~Outside() = default;
    // The board sends a frame.
    virtual void send(std::span<const std::uint8_t> frame) = 0;
    // The program is about to check for frames: now receive() those that have arrived.
    virtual void look() = 0;
    // The program turns its receiver on, or off.
    virtual void receiver(bool on) = 0;
    // The program writes to its log.
    virtual void log(std::span<const std::uint8_t> text) = 0;
};

// What the firmware finds in its variables when it begins, in place of their first values.
struct Presets {
    struct Word {
        std::uint32_t address, value;
        bool each_start; // at each start of the firmware, or at the first alone
    };
    std::uint32_t pc = 0; // the words are written before this instruction
    std::vector<Word> words;
};

class Board {
public:
    // Creates a board from the firmware, its configuration words, and the duration of an
    // instruction. Throws std::runtime_error when the firmware does not fit into memory or the
    // words are too long.
    Board(std::shared_ptr<const Firmware> firmware, std::string_view words, Time instruction,
          Outside &outside);
    Board(ElfImage firmware, std::string_view words, Time instruction, Outside &outside);

    // Executes until this number of instructions is counted, or the processor sleeps. Performs and
    // counts resets.
    void run(std::uint64_t executed);
    // Throws std::runtime_error if the board has no memory at the address of a word.
    void preset(Presets presets);
    // Sets the configuration words of each later start; the last ones are also those of all after
    // it. Throws std::runtime_error when they are too long.
    void later_words(std::vector<std::string> words);
    // Resets the board from outside, and counts it. Without power, RAM and RTC memory are lost.
    void restart(bool power_lost);
    // Receives a frame.
    void receive(std::span<const std::uint8_t> frame) { peripherals_.mac.receive(frame); }
    // True if a frame would be accepted, or dropped for good; otherwise it waits outside.
    [[nodiscard]] bool listens() const { return peripherals_.mac.listens(); }
    [[nodiscard]] Time now() const { return core_.now(); }
    [[nodiscard]] std::uint64_t resets() const { return resets_; }

    [[nodiscard]] Core &core() { return core_; }
    [[nodiscard]] Memory &memory() { return memory_; }

private:
    void reset();
    void load();
    void place_records(std::string_view words);
    void run_once(std::uint64_t executed);
    void run_to_presets(std::uint64_t executed);

    std::shared_ptr<const Firmware> firmware_;
    Memory memory_;
    Peripherals peripherals_;
    Core core_;
    std::uint32_t records_ = 0; // the address of the boot records
    std::uint64_t resets_ = 0;
    bool resetting_ = false;
    std::vector<std::string> later_words_;
    Presets presets_;
    bool preset_due_ = false;
};

} // namespace lx106
