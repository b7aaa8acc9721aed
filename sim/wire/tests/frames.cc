#include "frames.hpp"

#include <algorithm>

namespace wire_test {

namespace {

// The Internet checksum of RFC 1071, by 16-bit words with end-around carry.
std::uint16_t ones_sum(const Bytes &bytes) {
    std::uint32_t total = 0;
    for (std::size_t i = 0; i < bytes.size(); i += 2) {
        const unsigned low = i + 1 < bytes.size() ? bytes[i + 1] : 0u;
        total += bytes[i] * 256u + low;
        total = total % 65536 + total / 65536;
    }
    return static_cast<std::uint16_t>(total);
}

void append16(Bytes &out, std::size_t value) {
    out.push_back(static_cast<std::uint8_t>(value / 256));
    out.push_back(static_cast<std::uint8_t>(value % 256));
}

Bytes part(const Bytes &all, std::size_t from, std::size_t to) {
    return {all.begin() + static_cast<std::ptrdiff_t>(from),
            all.begin() + static_cast<std::ptrdiff_t>(to)};
}

Bytes pseudo(const Bytes &frame, std::size_t end) {
    Bytes out = part(frame, 26, 34);
    append16(out, frame[23]);
    append16(out, end - 34);
    const Bytes segment = part(frame, 34, end);
    out.insert(out.end(), segment.begin(), segment.end());
    return out;
}

Bytes frame_of(bool from_device, std::uint8_t protocol, const Bytes &transport) {
    const Bytes device{0x5c, 0xcf, 0x7f, 0, 0, 1}, server{2, 0x54, 0x57, 0, 0, 0xfe};
    const Bytes board{10, 77, 1, 1}, host{10, 77, 0, 1};
    Bytes out = from_device ? server : device;
    const auto add = [&](const Bytes &more) { out.insert(out.end(), more.begin(), more.end()); };
    add(from_device ? device : server);
    append16(out, 0x0800);
    add({0x45, 0});
    append16(out, 20 + transport.size());
    add({0, 7, 0x40, 0, 64, protocol, 0, 0});
    add(from_device ? board : host);
    add(from_device ? host : board);
    const std::uint16_t header = static_cast<std::uint16_t>(~ones_sum(part(out, 14, 34)));
    out[24] = static_cast<std::uint8_t>(header >> 8);
    out[25] = static_cast<std::uint8_t>(header);
    add(transport);
    const std::size_t at = protocol == 6 ? 50 : 40;
    const std::uint16_t sum = static_cast<std::uint16_t>(~ones_sum(pseudo(out, out.size())));
    out[at] = static_cast<std::uint8_t>(sum >> 8);
    out[at + 1] = static_cast<std::uint8_t>(sum);
    out.resize(std::max<std::size_t>(out.size(), 60));
    return out;
}

} // namespace

Bytes tcp_frame(bool from_device, const Tcp &tcp, std::string_view payload,
                std::uint16_t device_port) {
    Bytes segment;
    append16(segment, from_device ? device_port : kMqtt);
    append16(segment, from_device ? kMqtt : device_port);
    for (const std::uint32_t value : {tcp.sequence, tcp.acknowledgement}) {
        append16(segment, value >> 16);
        append16(segment, value & 0xffff);
    }
    segment.push_back(0x50);
    segment.push_back(tcp.flags);
    append16(segment, 8192);
    append16(segment, 0);
    append16(segment, 0);
    segment.insert(segment.end(), payload.begin(), payload.end());
    return frame_of(from_device, 6, segment);
}

Bytes udp_frame(bool from_device, std::string_view payload, std::uint16_t device_port) {
    Bytes datagram;
    append16(datagram, from_device ? device_port : kCoap);
    append16(datagram, from_device ? kCoap : device_port);
    append16(datagram, 8 + payload.size());
    append16(datagram, 0);
    datagram.insert(datagram.end(), payload.begin(), payload.end());
    return frame_of(from_device, 17, datagram);
}

Bytes arp_frame() {
    Bytes out(60);
    std::fill_n(out.begin(), 6, std::uint8_t{0xff});
    out[12] = 8;
    out[13] = 6;
    return out;
}

bool checksums_hold(const Bytes &frame) {
    const std::size_t end = 14 + frame[16] * 256u + frame[17];
    return end <= frame.size() && ones_sum(part(frame, 14, 34)) == 0xffff &&
           ones_sum(pseudo(frame, end)) == 0xffff;
}

std::string_view payload_of(const Bytes &frame) {
    const auto parts = wire::parse(frame);
    return {reinterpret_cast<const char *>(frame.data()) + parts->payload, parts->payload_bytes()};
}

} // namespace wire_test
