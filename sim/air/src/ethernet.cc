#include "ethernet.hpp"

#include <algorithm>

#include "frame.hpp"

namespace air {

namespace {

constexpr std::size_t kLeastEthernet = 60; // without check sequence
constexpr unsigned kIpv4 = 0x0800, kArp = 0x0806, kIpv6 = 0x86dd;
constexpr std::size_t kIpv4Header = 20, kIpv6Header = 40, kArpHeader = 8;

// Length of the packet after the Ethernet header, in bytes; 0 if its header does not state it.
std::size_t packet_bytes(unsigned type, std::span<const std::uint8_t> packet) {
    const auto pair = [&](std::size_t at) { return std::size_t{packet[at]} << 8 | packet[at + 1]; };
    switch (type) {
    case kIpv4:
        return packet.size() < kIpv4Header || pair(2) < kIpv4Header ? 0 : pair(2);
    case kIpv6:
        return packet.size() < kIpv6Header ? 0 : kIpv6Header + pair(4);
    case kArp: // hardware and protocol address, of sender and target
        return packet.size() < kArpHeader ? 0 : kArpHeader + 2 * (packet[4] + packet[5]);
    default:
        return 0;
    }
}

} // namespace

std::span<const std::uint8_t> without_padding(std::span<const std::uint8_t> ethernet) {
    if (ethernet.size() > kLeastEthernet || ethernet.size() < kEthernetHeaderBytes)
        return ethernet;
    const unsigned type = unsigned{ethernet[12]} << 8 | ethernet[13];
    const std::size_t bytes = packet_bytes(type, ethernet.subspan(kEthernetHeaderBytes));
    return bytes == 0 ? ethernet
                      : ethernet.first(std::min(ethernet.size(), kEthernetHeaderBytes + bytes));
}

std::vector<std::uint8_t> with_padding(std::span<const std::uint8_t> ethernet) {
    std::vector<std::uint8_t> frame(ethernet.begin(), ethernet.end());
    frame.resize(std::max(frame.size(), kLeastEthernet));
    return frame;
}

} // namespace air
