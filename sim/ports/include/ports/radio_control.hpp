// What a host and its radio say to each other at a port that otherwise carries Ethernet frames: the
// radio is to join its cell, to leave it, and it has joined. Such a frame never enters the air.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace ports {

enum class RadioControl : std::uint8_t { on = 1, off = 2, joined = 3 };

using RadioControlFrame = std::array<std::uint8_t, 15>;

// From the host to the radio and back: both ends are this address. The type is the second of those
// for local experiments (IEEE 802-2014, 9.2.3).
inline RadioControlFrame radio_control_frame(RadioControl word) {
    return {0x02, 0x54, 0x57, 0xff, 0x00,
            0x02, 0x02, 0x54, 0x57, 0xff,
            0x00, 0x02, 0x88, 0xb6, static_cast<std::uint8_t>(word)};
}

inline std::optional<RadioControl> radio_control(std::span<const std::uint8_t> frame) {
    for (const RadioControl word : {RadioControl::on, RadioControl::off, RadioControl::joined})
        if (std::ranges::equal(frame, radio_control_frame(word)))
            return word;
    return std::nullopt;
}

} // namespace ports
