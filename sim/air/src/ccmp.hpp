// CCMP: the protection of data frames under WPA2 (IEEE 802.11-2016, 12.5.3).
#pragma once

#include "wpa2_keys.hpp"

namespace air {

inline constexpr unsigned kCcmpHeaderBytes = 8, kCcmpMicBytes = 8;
// What protection adds to a frame.
inline constexpr unsigned kCcmpBytes = kCcmpHeaderBytes + kCcmpMicBytes;
// Identifiers of the pairwise and of the group key.
inline constexpr unsigned kPairwiseKey = 0, kGroupKey = 1;

std::vector<std::uint8_t> ccmp_header(std::uint64_t packet_number, unsigned key);
// `header` is the whole MAC header of a data frame with three addresses. Returns the encrypted
// payload and its MIC, as they follow the CCMP header.
std::vector<std::uint8_t> ccmp_encrypt(const Key &key, std::uint64_t packet_number,
                                       std::span<const std::uint8_t> header,
                                       std::span<const std::uint8_t> payload);

} // namespace air
