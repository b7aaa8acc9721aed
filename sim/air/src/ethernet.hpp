// Ethernet pads short packets to a minimum length; 802.11 does not.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace air {

// Removes the bytes after the packet, by the packet's own length (IPv4: RFC 791, 3.1; IPv6: RFC
// 8200, 3; ARP: RFC 826). Frames longer than the minimum, of other protocols, or with an impossible
// length are returned unchanged.
std::span<const std::uint8_t> without_padding(std::span<const std::uint8_t> ethernet);
// Pads the frame with zeros to Ethernet's minimum length (IEEE 802.3-2018, 3.2.8), without check
// sequence.
std::vector<std::uint8_t> with_padding(std::span<const std::uint8_t> ethernet);

} // namespace air
