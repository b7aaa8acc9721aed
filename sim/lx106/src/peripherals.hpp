// Memory-mapped peripherals: the registers of the FPGA board (clock rate, reset) and the Ethernet
// MAC. The serial port is missing and reads as zero, since the firmware does not use it.
#pragma once

#include <cstdint>
#include <functional>

#include "ethernet_mac.hpp"

namespace lx106 {

// The cycle counter's rate in Hz, as in QEMU's LX106. The firmware reads it; the chip's is twice as
// high, with two cycles per instruction.
inline constexpr std::uint32_t kCounterHz = 40'000'000;

class Peripherals {
public:
    // `receiver` is told when the program turns the MAC's receiver on or off. `reset` is called
    // when the program resets the board; `look` before it reads a register that a received frame
    // may change.
    Peripherals(Memory &memory, EthernetMac::Send send, EthernetMac::Line line,
                EthernetMac::Receiver receiver, std::function<void()> reset,
                std::function<void()> look);

    // True if an address belongs to the peripherals, in one of two equivalent ranges.
    [[nodiscard]] static bool owns(std::uint32_t address) {
        return address - 0x70000000 < kBytes || address - 0x90000000 < kBytes;
    }
    [[nodiscard]] std::uint32_t read(std::uint32_t address, unsigned size);
    void write(std::uint32_t address, std::uint32_t value, unsigned size);
    void reset();

    EthernetMac mac;

private:
    static constexpr std::uint32_t kBytes = 0x0e000000;
    [[nodiscard]] std::uint32_t read_fpga(std::uint32_t offset) const;
    void write_fpga(std::uint32_t offset, std::uint32_t value);

    std::function<void()> reset_, look_;
    std::uint32_t leds_ = 0;
};

} // namespace lx106
