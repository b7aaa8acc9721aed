#include "packets.hpp"

#include <algorithm>

namespace wire {

namespace {

constexpr std::array<std::string_view, 16> kMqtt{"",          "CONNECT",  "CONNACK",     "PUBLISH",
                                                 "PUBACK",    "PUBREC",   "PUBREL",      "PUBCOMP",
                                                 "SUBSCRIBE", "SUBACK",   "UNSUBSCRIBE", "UNSUBACK",
                                                 "PINGREQ",   "PINGRESP", "DISCONNECT",  "AUTH"};
constexpr std::array<std::string_view, 4> kCoap{"CON", "NON", "ACK", "RST"};
constexpr unsigned kPublish = 3, kMostDigits = 4;

} // namespace

void MqttStream::byte(std::uint8_t value, std::vector<Packet> &found) {
    if (!inside_) {
        first_ = value;
        length_ = 0;
        digits_ = 0;
        inside_ = true;
        return;
    }
    length_ |= (value & 0x7fu) << (7 * digits_);
    ++digits_;
    if ((value & 0x80) != 0 && digits_ < kMostDigits)
        return;
    inside_ = false;
    skip_ = length_;
    const unsigned type = first_ >> 4;
    if (type != 0)
        found.push_back({kMqtt[type], type == kPublish ? (first_ >> 1 & 3u) : 0u});
}

void MqttStream::take(std::uint32_t sequence, bool syn, Span payload, std::vector<Packet> &found) {
    if (syn) {
        *this = {};
        next_ = sequence + 1;
        synchronised_ = true;
        return;
    }
    const auto ahead = static_cast<std::int32_t>(sequence - next_);
    if (!synchronised_ || ahead > 0) {
        inside_ = false;
        skip_ = 0;
        next_ = sequence;
        synchronised_ = true;
    } else if (ahead < 0) {
        const auto known = static_cast<std::size_t>(-static_cast<std::int64_t>(ahead));
        payload = payload.subspan(std::min(known, payload.size()));
    }
    next_ += static_cast<std::uint32_t>(payload.size());
    while (!payload.empty()) {
        const auto skipped =
            static_cast<std::size_t>(std::min<std::uint64_t>(skip_, payload.size()));
        skip_ -= skipped;
        payload = payload.subspan(skipped);
        if (payload.empty())
            return;
        byte(payload[0], found);
        payload = payload.subspan(1);
    }
}

std::vector<Packet> Packets::in(Side from, Span frame, const Parts &parts) {
    std::vector<Packet> found;
    const std::uint16_t server = from == Side::device ? parts.destination_port : parts.source_port;
    if (server != server_port_)
        return found;
    const Span payload = frame.subspan(parts.payload, parts.payload_bytes());
    if (!payload.empty())
        found.push_back({"DATA"});
    if (parts.tcp) {
        for (const auto &[flag, name] : {std::pair{kSyn, "SYN"}, {kFin, "FIN"}, {kRst, "RST"}})
            if ((parts.flags & flag) != 0)
                found.push_back({name});
        if (application_ == Application::mqtt && ((parts.flags & kSyn) != 0 || !payload.empty())) {
            const std::uint16_t device =
                from == Side::device ? parts.source_port : parts.destination_port;
            streams_[device][static_cast<std::size_t>(from)].take(
                parts.sequence, (parts.flags & kSyn) != 0, payload, found);
        }
    } else if (application_ == Application::coap && payload.size() >= 4 && payload[0] >> 6 == 1) {
        found.push_back({kCoap[payload[0] >> 4 & 3]}); // RFC 7252, 3
    }
    return found;
}

} // namespace wire
