// The OpenCores Ethernet MAC of QEMU's board (its model: open_eth), without the PHY's registers,
// which the firmware does not use: descriptors in rings, buffers in memory, one interrupt line.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>

#include "memory.hpp"

namespace lx106 {

class EthernetMac {
public:
    using Send = std::function<void(std::span<const std::uint8_t> frame)>;
    using Line = std::function<void(bool high)>;
    using Receiver = std::function<void(bool on)>;

    // `send` receives each frame sent, `line` each change of the interrupt line, `receiver` each
    // time at which the program turns the receiver on or off.
    EthernetMac(Memory &memory, Send send, Line line, Receiver receiver);

    // Resets registers and descriptors. The interrupt line keeps its state, as in QEMU
    // (firmware/boards/lx106/src/eth.c works around that).
    void reset();
    // True if a frame would be accepted, or dropped for good; otherwise it waits outside.
    [[nodiscard]] bool listens() const;
    // Receives a frame. A frame for another station is dropped; without a free buffer it is lost.
    void receive(std::span<const std::uint8_t> frame);

    [[nodiscard]] std::uint32_t read_register(std::uint32_t offset) const;
    void write_register(std::uint32_t offset, std::uint32_t value);
    // Accesses the 1 KiB of descriptors by bytes: `size` is 1, 2 or 4.
    [[nodiscard]] std::uint32_t read_descriptor(std::uint32_t offset, unsigned size) const;
    void write_descriptor(std::uint32_t offset, std::uint32_t value, unsigned size);

private:
    struct Descriptor {
        std::uint32_t status = 0; // length in the upper half, flags in the lower
        std::uint32_t buffer = 0; // its address
    };
    static constexpr std::size_t kDescriptors = 128, kRegisters = 21;

    void set_source(std::uint32_t value);
    void set_mask(std::uint32_t value);
    void set_mode(std::uint32_t value);
    void update_line(bool before);
    [[nodiscard]] bool is_for_us(std::span<const std::uint8_t> frame) const;
    void store(Descriptor &descriptor, std::span<const std::uint8_t> frame);
    void transmit_if_ready();

    Memory &memory_;
    Send send_;
    Line line_;
    Receiver receiver_;
    std::array<std::uint32_t, kRegisters> registers_{};
    std::array<Descriptor, kDescriptors> descriptors_{};
    std::size_t next_to_send_ = 0, next_to_fill_ = 0;
};

} // namespace lx106
