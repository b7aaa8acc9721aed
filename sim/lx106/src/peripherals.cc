#include "peripherals.hpp"

namespace lx106 {

namespace {

constexpr std::uint32_t kFpga = 0x0d020000, kFpgaBytes = 0x10000;
constexpr std::uint32_t kMac = 0x0d030000, kMacBytes = 0x54, kMacIntSource = 0x4;
constexpr std::uint32_t kDescriptors = 0x0d030400, kDescriptorBytes = 0x400;
constexpr std::uint32_t kBuildDate = 0x09272011, kResetKey = 0xdead;

} // namespace

Peripherals::Peripherals(Memory &memory, EthernetMac::Send send, EthernetMac::Line line,
                         EthernetMac::Receiver receiver, std::function<void()> reset,
                         std::function<void()> look)
    : mac(memory, std::move(send), std::move(line), std::move(receiver)), reset_(std::move(reset)),
      look_(std::move(look)) {}

void Peripherals::reset() {
    mac.reset();
    leds_ = 0;
}

std::uint32_t Peripherals::read_fpga(std::uint32_t offset) const {
    switch (offset) {
    case 0x0:
        return kBuildDate;
    case 0x4:
        return kCounterHz;
    case 0x8:
        return leds_;
    default:
        return 0;
    }
}

void Peripherals::write_fpga(std::uint32_t offset, std::uint32_t value) {
    if (offset == 0x8)
        leds_ = value;
    else if (offset == 0x10 && value == kResetKey)
        reset_();
}

std::uint32_t Peripherals::read(std::uint32_t address, unsigned size) {
    const std::uint32_t place = address & 0x0fffffff;
    std::uint32_t value = 0;
    if (place - kFpga < kFpgaBytes)
        value = read_fpga(place - kFpga);
    else if (place - kMac < kMacBytes) {
        if (place - kMac == kMacIntSource)
            look_();
        value = mac.read_register(place - kMac);
    } else if (place - kDescriptors < kDescriptorBytes) {
        look_();
        value = mac.read_descriptor(place - kDescriptors, size);
    }
    return size == 4 ? value : value & ((1u << 8 * size) - 1);
}

void Peripherals::write(std::uint32_t address, std::uint32_t value, unsigned size) {
    const std::uint32_t place = address & 0x0fffffff;
    if (place - kFpga < kFpgaBytes)
        write_fpga(place - kFpga, value);
    else if (place - kMac < kMacBytes)
        mac.write_register(place - kMac, value);
    else if (place - kDescriptors < kDescriptorBytes)
        mac.write_descriptor(place - kDescriptors, value, size);
}

} // namespace lx106
