// The board: processor, memory and peripherals with a firmware in it, switched on. It knows no
// clock but its own, and no port: whoever runs it is its outside.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core.hpp"
#include "elf_image.hpp"
#include "memory.hpp"
#include "peripherals.hpp"

namespace lx106 {

// Called while an instruction is under way, at the board's time now().
class Outside {
public:
    virtual ~Outside() = default;
    // A frame leaves.
    virtual void send(std::span<const std::uint8_t> frame) = 0;
    // The program is about to see whether a frame has come: the moment to receive() those that
    // have.
    virtual void look() = 0;
    // The program writes to its log.
    virtual void log(std::span<const std::uint8_t> text) = 0;
};

class Board {
public:
    // With the firmware, its configuration words, and the time of an instruction. Throws
    // std::runtime_error when the firmware lies outside of memory, or the words are too long.
    Board(ElfImage firmware, std::string_view words, Time instruction, Outside &outside);

    // Executes until so many instructions are counted, or the processor sleeps. A reset is carried
    // out, and counted.
    void run(std::uint64_t executed);
    // A frame arrives.
    void receive(std::span<const std::uint8_t> frame) { peripherals_.mac.receive(frame); }
    // Whether a frame would be taken in, or refused for good; else it waits outside.
    [[nodiscard]] bool listens() const { return peripherals_.mac.listens(); }
    [[nodiscard]] Time now() const { return core_.now(); }
    [[nodiscard]] std::uint64_t resets() const { return resets_; }

    [[nodiscard]] Core &core() { return core_; }

private:
    void reset();
    void load();

    ElfImage firmware_;
    Memory memory_;
    Peripherals peripherals_;
    Core core_;
    std::uint32_t records_ = 0; // the address of the boot records
    std::uint64_t resets_ = 0;
    bool resetting_ = false;
};

} // namespace lx106
