#include "ethernet_mac.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace lx106 {

namespace {

enum Register : std::size_t {
    kMode = 0,
    kIntSource = 1,
    kIntMask = 2,
    kGap = 3,
    kGap1 = 4,
    kGap2 = 5,
    kPacketLength = 6,
    kCollision = 7,
    kTransmitDescriptors = 8,
    kMiiMode = 10,
    kAddress0 = 16,
    kAddress1 = 17,
    kHash0 = 18,
};

constexpr std::uint32_t kModeReceive = 0x1, kModeTransmit = 0x2, kModeNoBroadcast = 0x8,
                        kModeHashAll = 0x10, kModePromiscuous = 0x20, kModeReset = 0x800,
                        kModeHuge = 0x4000, kModePad = 0x8000;
constexpr std::uint32_t kSent = 0x1, kReceived = 0x4, kBusy = 0x10;

// Descriptors: owned by the MAC (ready to send, or empty), interrupt when done, last of the ring.
constexpr std::uint32_t kOwned = 0x8000, kInterrupt = 0x4000, kWrap = 0x2000;
constexpr std::uint32_t kTransmitPad = 0x1000, kTransmitStatus = 0x1ff;
constexpr std::uint32_t kReceiveStatus = 0x1ff, kReceivedByMistake = 0x80, kTooLong = 0x8;

constexpr std::size_t kAddressBytes = 6, kChecksumBytes = 4;
constexpr std::size_t kHugeBytes = 65536;
constexpr std::uint32_t kLeastToSend = 5; // bytes; a descriptor with fewer is ignored

// The index of a group address in the hash table: the upper six bits of the Ethernet checksum.
unsigned hash_of(std::span<const std::uint8_t> address) {
    std::uint32_t crc = 0xffffffff;
    for (std::uint8_t byte : address)
        for (int bit = 0; bit < 8; ++bit, byte >>= 1) {
            const std::uint32_t carry = (crc >> 31) ^ (byte & 1u);
            crc = crc << 1 ^ (carry ? 0x04c11db7 : 0);
        }
    return crc >> 26;
}

} // namespace

EthernetMac::EthernetMac(Memory &memory, Send send, Line line, Receiver receiver)
    : memory_(memory), send_(std::move(send)), line_(std::move(line)),
      receiver_(std::move(receiver)) {
    reset();
}

void EthernetMac::reset() {
    registers_.fill(0);
    registers_[kMode] = 0xa000;
    registers_[kGap] = 0x12;
    registers_[kGap1] = 0xc;
    registers_[kGap2] = 0x12;
    registers_[kPacketLength] = 0x400600;
    registers_[kCollision] = 0xf003f;
    registers_[kTransmitDescriptors] = 0x40;
    registers_[kMiiMode] = 0x64;
    next_to_send_ = 0;
    next_to_fill_ = 0x40;
}

bool EthernetMac::listens() const {
    return (registers_[kMode] & kModeReceive) && registers_[kTransmitDescriptors] < kDescriptors;
}

void EthernetMac::update_line(bool before) {
    const bool after = registers_[kIntSource] & registers_[kIntMask];
    if (before != after)
        line_(after);
}

void EthernetMac::set_source(std::uint32_t value) {
    const bool before = registers_[kIntSource] & registers_[kIntMask];
    registers_[kIntSource] = value;
    update_line(before);
}

void EthernetMac::set_mask(std::uint32_t value) {
    const bool before = registers_[kIntSource] & registers_[kIntMask];
    registers_[kIntMask] = value;
    update_line(before);
}

bool EthernetMac::is_for_us(std::span<const std::uint8_t> frame) const {
    if (frame.size() < kAddressBytes)
        return false;
    const auto address = frame.first(kAddressBytes);
    if (std::ranges::all_of(address, [](std::uint8_t byte) { return byte == 0xff; }))
        return !(registers_[kMode] & kModeNoBroadcast);
    if ((address[0] & 1) || (registers_[kMode] & kModeHashAll)) {
        const unsigned hash = hash_of(address);
        return registers_[kHash0 + hash / 32] >> hash % 32 & 1;
    }
    const std::uint32_t high = registers_[kAddress1], low = registers_[kAddress0];
    const std::uint8_t own[kAddressBytes] = {
        static_cast<std::uint8_t>(high >> 8), static_cast<std::uint8_t>(high),
        static_cast<std::uint8_t>(low >> 24), static_cast<std::uint8_t>(low >> 16),
        static_cast<std::uint8_t>(low >> 8),  static_cast<std::uint8_t>(low)};
    return std::ranges::equal(address, own);
}

void EthernetMac::receive(std::span<const std::uint8_t> frame) {
    if (!listens())
        return;
    const bool ours = is_for_us(frame);
    if (!ours && !(registers_[kMode] & kModePromiscuous))
        return;
    Descriptor &descriptor = descriptors_[next_to_fill_];
    if (!(descriptor.status & kOwned)) {
        set_source(registers_[kIntSource] | kBusy);
        return;
    }
    descriptor.status &= ~kReceiveStatus;
    if (!ours)
        descriptor.status |= kReceivedByMistake;
    store(descriptor, frame);
    if ((descriptor.status & kWrap) || next_to_fill_ + 1 == kDescriptors)
        next_to_fill_ = registers_[kTransmitDescriptors];
    else
        ++next_to_fill_;
    descriptor.status &= ~kOwned;
    if (descriptor.status & kInterrupt)
        set_source(registers_[kIntSource] | kReceived);
}

// Returns the frame, padded if the mode says so, with zeros in place of the checksum, which is not
// computed; a frame that does not fit is truncated and has no checksum.
void EthernetMac::store(Descriptor &descriptor, std::span<const std::uint8_t> frame) {
    const std::size_t longest = registers_[kPacketLength] & 0xffff;
    const std::size_t shortest = registers_[kPacketLength] >> 16;
    const bool huge = registers_[kMode] & kModeHuge;
    if (huge && frame.size() > longest)
        descriptor.status |= kTooLong;
    std::vector<std::uint8_t> bytes(frame.begin(), frame.end());
    const std::size_t limit = huge ? kHugeBytes : longest;
    const bool whole = bytes.size() < limit;
    if (!whole)
        bytes.resize(limit);
    std::size_t checksum = whole ? kChecksumBytes : 0;
    if ((registers_[kMode] & kModePad) && bytes.size() < shortest) {
        checksum -= std::min(checksum, shortest - bytes.size());
        bytes.resize(shortest);
    }
    bytes.resize(bytes.size() + checksum);
    if (std::uint8_t *to = memory_.change(descriptor.buffer, bytes.size()))
        std::memcpy(to, bytes.data(), bytes.size());
    descriptor.status = (descriptor.status & 0xffff) | static_cast<std::uint32_t>(bytes.size())
                                                           << 16;
}

void EthernetMac::transmit_if_ready() {
    Descriptor &descriptor = descriptors_[next_to_send_];
    const std::uint32_t length = descriptor.status >> 16;
    if (!(registers_[kMode] & kModeTransmit) || registers_[kTransmitDescriptors] == 0 ||
        !(descriptor.status & kOwned) || length < kLeastToSend)
        return;
    std::size_t size = length;
    if (descriptor.status & kTransmitPad)
        size = std::max<std::size_t>(size, registers_[kPacketLength] >> 16);
    if (!(registers_[kMode] & kModeHuge))
        size = std::min<std::size_t>(size, registers_[kPacketLength] & 0xffff);
    std::vector<std::uint8_t> frame(size);
    const std::size_t given = std::min<std::size_t>(length, size);
    if (const std::uint8_t *from = memory_.find(descriptor.buffer, given))
        std::memcpy(frame.data(), from, given);
    send_(frame);
    if ((descriptor.status & kWrap) || next_to_send_ + 1 >= registers_[kTransmitDescriptors] ||
        next_to_send_ + 1 >= kDescriptors)
        next_to_send_ = 0;
    else
        ++next_to_send_;
    descriptor.status &= ~(kOwned | kTransmitStatus);
    if (descriptor.status & kInterrupt)
        set_source(registers_[kIntSource] | kSent);
}

void EthernetMac::set_mode(std::uint32_t value) {
    const std::uint32_t set = value & ~registers_[kMode];
    const bool received = registers_[kMode] & kModeReceive;
    if (set & kModeReset)
        reset();
    registers_[kMode] = value;
    if (set & kModeReceive)
        next_to_fill_ = registers_[kTransmitDescriptors] % kDescriptors;
    if (set & kModeTransmit) {
        next_to_send_ = 0;
        transmit_if_ready();
    }
    if (received != static_cast<bool>(value & kModeReceive))
        receiver_(!received);
}

std::uint32_t EthernetMac::read_register(std::uint32_t offset) const {
    return offset / 4 < kRegisters ? registers_[offset / 4] : 0;
}

void EthernetMac::write_register(std::uint32_t offset, std::uint32_t value) {
    switch (offset / 4) {
    case kMode:
        set_mode(value);
        break;
    case kIntSource: // ones clear
        set_source(registers_[kIntSource] & ~value);
        break;
    case kIntMask:
        set_mask(value);
        break;
    case kTransmitDescriptors:
        if (value < kDescriptors)
            registers_[kTransmitDescriptors] = value;
        break;
    default:
        if (offset / 4 < kRegisters)
            registers_[offset / 4] = value;
        break;
    }
}

std::uint32_t EthernetMac::read_descriptor(std::uint32_t offset, unsigned size) const {
    const Descriptor &descriptor = descriptors_[offset / sizeof(Descriptor) % kDescriptors];
    const std::uint32_t word = offset & 4 ? descriptor.buffer : descriptor.status;
    const std::uint32_t value = word >> 8 * (offset & 3);
    return size == 4 ? value : value & ((1u << 8 * size) - 1);
}

void EthernetMac::write_descriptor(std::uint32_t offset, std::uint32_t value, unsigned size) {
    Descriptor &descriptor = descriptors_[offset / sizeof(Descriptor) % kDescriptors];
    std::uint32_t &word = offset & 4 ? descriptor.buffer : descriptor.status;
    const unsigned shift = 8 * (offset & 3);
    const std::uint32_t mask = (size == 4 ? 0xffffffff : (1u << 8 * size) - 1) << shift;
    word = (word & ~mask) | (value << shift & mask);
    transmit_if_ready();
}

} // namespace lx106
