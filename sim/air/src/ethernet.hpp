// What Ethernet adds to a short packet, and 802.11 does not have: padding to a least length.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace air {

// The frame without what follows its packet, by the packet's own length (IPv4: RFC 791, 3.1; IPv6:
// RFC 8200, 3; ARP: RFC 826). Frames longer than the least length, of other protocols, or whose
// length cannot be true, are left as they are.
std::span<const std::uint8_t> without_padding(std::span<const std::uint8_t> ethernet);
// The frame with zeros to Ethernet's least length (IEEE 802.3-2018, 3.2.8), without check sequence.
std::vector<std::uint8_t> with_padding(std::span<const std::uint8_t> ethernet);

} // namespace air
