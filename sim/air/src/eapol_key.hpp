// EAPOL-Key frames of the 4-way handshake (IEEE 802.11-2016, 12.7.2 and 12.7.6), and the RSN
// element.
#pragma once

#include <optional>

#include "wpa2_keys.hpp"

namespace air {

struct EapolKey {
    bool acknowledge = false; // from the access point
    bool install = false;
    bool secure = false;
    bool encrypted = false; // the key data are wrapped
    bool mic_present = false;
    std::uint64_t replay = 0;
    std::uint64_t group_packets = 0; // the receive sequence counter of the group key
    Nonce nonce{};
    std::vector<std::uint8_t> data;
};

// WPA2-Personal with CCMP for all frames; with its identifier and length (9.4.2.25).
std::vector<std::uint8_t> rsn_element();
// The key data of the third message: the RSN element and the group key, padded for wrapping.
std::vector<std::uint8_t> group_key_data(const Key &group);
// The group key in key data; none if there is none, or if the data are malformed.
std::optional<Key> find_group_key(std::span<const std::uint8_t> data);

// The EAPOL frame, with its MIC if there is a key for it.
std::vector<std::uint8_t> write_eapol_key(const EapolKey &key, const Key *confirmation);
// Empty if the bytes are no EAPOL-Key frame of a pairwise key of this kind.
std::optional<EapolKey> read_eapol_key(std::span<const std::uint8_t> frame);
bool mic_is_right(std::span<const std::uint8_t> frame, const Key &confirmation);

} // namespace air
