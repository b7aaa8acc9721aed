// Recognises the packets of MQTT and CoAP, and segments of TCP, in the frames that pass.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "config.hpp"
#include "frame.hpp"

namespace wire {

struct Packet {
    std::string_view name;
    unsigned qos = 0; // of an MQTT PUBLISH
};

// The packets of one direction of an MQTT connection (OASIS MQTT 3.1.1, 2.2). Bytes that were seen
// before, in a retransmission of TCP, contain no new packet. After a gap the next segment counts as
// the beginning of a packet.
class MqttStream {
public:
    // Appends the packets whose fixed header ends in this segment.
    void take(std::uint32_t sequence, bool syn, Span payload, std::vector<Packet> &found);

private:
    void byte(std::uint8_t value, std::vector<Packet> &found);

    std::uint32_t next_ = 0;
    std::uint64_t skip_ = 0; // of the packet, still to come
    std::uint32_t length_ = 0;
    unsigned digits_ = 0; // of the remaining length, read so far
    std::uint8_t first_ = 0;
    bool synchronised_ = false, inside_ = false;
};

class Packets {
public:
    Packets(Application application, std::uint16_t server_port)
        : application_(application), server_port_(server_port) {}
    // What a frame from this side contains: DATA for any payload, and the names of its packets.
    [[nodiscard]] std::vector<Packet> in(Side from, Span frame, const Parts &parts);

private:
    Application application_;
    std::uint16_t server_port_;
    // By the device's port.
    std::map<std::uint16_t, std::array<MqttStream, 2>> streams_;
};

} // namespace wire
