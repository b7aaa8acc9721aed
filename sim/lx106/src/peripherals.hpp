// What lies beside memory: the registers of the FPGA board (its clock rate, its reset) and the
// Ethernet MAC. The serial port, which the firmware does not use, is not there: it reads as zero.
#pragma once

#include <cstdint>
#include <functional>

#include "ethernet_mac.hpp"

namespace lx106 {

// The cycle counter's rate, in Hz, as QEMU's LX106 has it. The firmware reads it; the chip's is
// twice as high, with two cycles an instruction.
inline constexpr std::uint32_t kCounterHz = 40'000'000;

class Peripherals {
public:
    // `reset` is called when the program resets the board; `look` before it reads what a frame that
    // has come may have changed.
    Peripherals(Memory &memory, EthernetMac::Send send, EthernetMac::Line line,
                std::function<void()> reset, std::function<void()> look);

    // Whether an address belongs here, in one of two ranges that show the same.
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
