// Frames as real hosts send them, built byte by byte.
#pragma once

#include <cstdint>
#include <string_view>

#include "frame.hpp"

namespace wire_test {

using wire::Bytes;

struct Tcp {
    std::uint8_t flags = wire::kAck;
    std::uint32_t sequence = 1000, acknowledgement = 2000;
};

constexpr std::uint16_t kDevicePort = 50000, kMqtt = 1883, kCoap = 5683;

// From device (10.77.1.1) to server (10.77.0.1), or back, with correct checksums.
Bytes tcp_frame(bool from_device, const Tcp &tcp, std::string_view payload = {},
                std::uint16_t device_port = kDevicePort);
Bytes udp_frame(bool from_device, std::string_view payload,
                std::uint16_t device_port = kDevicePort);
Bytes arp_frame();
// Whether the checksums of IPv4 and of TCP or UDP are right, computed apart from the code under
// test.
bool checksums_hold(const Bytes &frame);
// The payload's bytes.
std::string_view payload_of(const Bytes &frame);

} // namespace wire_test
