// The keys of WPA2-Personal and what is computed with them (IEEE 802.11-2016, 12.7.1 and J.4).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "frame.hpp"

namespace air {

inline constexpr std::size_t kKeyBytes = 16, kPmkBytes = 32, kNonceBytes = 32, kMicBytes = 16;
using Key = std::array<std::uint8_t, kKeyBytes>;
using MasterKey = std::array<std::uint8_t, kPmkBytes>;
using Nonce = std::array<std::uint8_t, kNonceBytes>;
using Mic = std::array<std::uint8_t, kMicBytes>;

// The pairwise transient key for CCMP.
struct PairwiseKeys {
    Key confirmation{}; // KCK
    Key encryption{};   // KEK
    Key temporal{};     // TK
};

// PBKDF2 of the passphrase with the SSID as salt: 4096 rounds of HMAC-SHA1.
MasterKey master_key(std::string_view passphrase, std::string_view ssid);
// PRF-384 of the pairwise master key over both addresses and both nonces.
PairwiseKeys pairwise_keys(const MasterKey &master, const MacAddress &access_point,
                           const MacAddress &station, const Nonce &of_access_point,
                           const Nonce &of_station);
// HMAC-SHA1-128 of an EAPOL frame whose MIC field is zero.
Mic eapol_mic(const Key &confirmation, std::span<const std::uint8_t> frame);
// AES key wrap (RFC 3394) of whole blocks of 8 bytes, two at least, and its inverse: empty if the
// data were not wrapped with this key.
std::vector<std::uint8_t> wrap_key(const Key &encryption, std::span<const std::uint8_t> data);
std::vector<std::uint8_t> unwrap_key(const Key &encryption, std::span<const std::uint8_t> wrapped);
// AES-CCM with M = 8 and L = 2: the ciphertext and its MIC.
std::vector<std::uint8_t> ccm_encrypt(const Key &key, std::span<const std::uint8_t> nonce,
                                      std::span<const std::uint8_t> authenticated,
                                      std::span<const std::uint8_t> plain);

} // namespace air
