#include "frame.hpp"

#include <algorithm>

namespace wire {

namespace {

constexpr std::size_t kEthernet = 14, kLeastIp = 20, kLeastTcp = 20, kUdp = 8, kLeastEthernet = 60;
constexpr std::size_t kTotalLength = 2, kFragment = 6, kProtocol = 9, kIpChecksum = 10;
constexpr std::size_t kSource = 12, kDestination = 16, kMac = 6;
constexpr std::size_t kTcpChecksum = 16, kUdpChecksum = 6, kUdpLength = 4;
constexpr std::uint8_t kTcp = 6, kUdpProtocol = 17;
constexpr std::uint16_t kIpv4 = 0x0800;

std::uint16_t get16(Span bytes, std::size_t at) {
    return static_cast<std::uint16_t>(bytes[at] << 8 | bytes[at + 1]);
}

std::uint32_t get32(Span bytes, std::size_t at) {
    return std::uint32_t{get16(bytes, at)} << 16 | get16(bytes, at + 2);
}

void put16(Bytes &bytes, std::size_t at, std::size_t value) {
    bytes[at] = static_cast<std::uint8_t>(value >> 8);
    bytes[at + 1] = static_cast<std::uint8_t>(value);
}

void put32(Bytes &bytes, std::size_t at, std::uint32_t value) {
    put16(bytes, at, value >> 16);
    put16(bytes, at + 2, value & 0xffff);
}

std::uint32_t sum(Span bytes, std::uint32_t start = 0) {
    for (std::size_t i = 0; i < bytes.size(); ++i)
        start += i % 2 == 0 ? std::uint32_t{bytes[i]} << 8 : bytes[i];
    return start;
}

std::uint16_t folded(std::uint32_t value) {
    while (value >> 16 != 0)
        value = (value & 0xffff) + (value >> 16);
    return static_cast<std::uint16_t>(~value);
}

// A TCP segment without payload or options, from the receiver of `frame` to its sender.
Bytes segment(Span frame, const Parts &parts) {
    Bytes out(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(parts.ip + kLeastIp));
    out.resize(kLeastEthernet);
    out[parts.ip] = 0x45;
    put16(out, parts.ip + kTotalLength, kLeastIp + kLeastTcp);
    out[parts.ip + kLeastIp + 12] = 5 << 4; // data offset, in words
    return out;
}

void finish(Bytes &out) {
    if (const auto parts = parse(out))
        correct_checksums(out, *parts);
}

} // namespace

std::optional<Parts> parse(Span frame) {
    if (frame.size() < kEthernet + kLeastIp || get16(frame, 12) != kIpv4)
        return std::nullopt;
    Parts parts;
    parts.ip = kEthernet;
    const Span ip = frame.subspan(kEthernet);
    const std::size_t header = std::size_t{ip[0] & 0xfu} * 4, total = get16(ip, kTotalLength);
    if (ip[0] >> 4 != 4 || header < kLeastIp || total < header || total > ip.size())
        return std::nullopt;
    if ((get16(ip, kFragment) & 0x3fff) != 0) // more fragments, or an offset
        return std::nullopt;
    parts.transport = kEthernet + header;
    parts.end = kEthernet + total;
    const std::size_t rest = total - header;
    if (ip[kProtocol] == kTcp) {
        if (rest < kLeastTcp)
            return std::nullopt;
        const std::size_t offset = std::size_t{frame[parts.transport + 12]} / 16 * 4;
        if (offset < kLeastTcp || offset > rest)
            return std::nullopt;
        parts.tcp = true;
        parts.payload = parts.transport + offset;
        parts.sequence = get32(frame, parts.transport + 4);
        parts.acknowledgement = get32(frame, parts.transport + 8);
        parts.flags = frame[parts.transport + 13];
    } else if (ip[kProtocol] == kUdpProtocol && rest >= kUdp) {
        parts.payload = parts.transport + kUdp;
    } else {
        return std::nullopt;
    }
    parts.source_port = get16(frame, parts.transport);
    parts.destination_port = get16(frame, parts.transport + 2);
    return parts;
}

void correct_checksums(Bytes &frame, const Parts &parts) {
    put16(frame, parts.ip + kIpChecksum, 0);
    const Span all(frame);
    put16(frame, parts.ip + kIpChecksum,
          folded(sum(all.subspan(parts.ip, parts.transport - parts.ip))));
    const std::size_t at = parts.transport + (parts.tcp ? kTcpChecksum : kUdpChecksum);
    if (!parts.tcp && get16(frame, at) == 0)
        return; // the sender computes none
    put16(frame, at, 0);
    const std::size_t length = parts.end - parts.transport;
    const std::uint32_t pseudo = sum(all.subspan(parts.ip + kSource, 8)) +
                                 frame[parts.ip + kProtocol] + static_cast<std::uint32_t>(length);
    const std::uint16_t checksum = folded(sum(all.subspan(parts.transport, length), pseudo));
    put16(frame, at, !parts.tcp && checksum == 0 ? 0xffff : checksum);
}

void set_ports(Bytes &frame, const Parts &parts, std::uint16_t source, std::uint16_t destination) {
    put16(frame, parts.transport, source);
    put16(frame, parts.transport + 2, destination);
    correct_checksums(frame, parts);
}

void truncate(Bytes &frame, const Parts &parts, std::size_t bytes, bool valid) {
    const std::size_t end = parts.end - std::min(bytes, parts.payload_bytes());
    frame.resize(end);
    if (!valid)
        return;
    put16(frame, parts.ip + kTotalLength, end - parts.ip);
    if (!parts.tcp)
        put16(frame, parts.transport + kUdpLength, end - parts.transport);
    Parts shorter = parts;
    shorter.end = end;
    correct_checksums(frame, shorter);
    frame.resize(std::max(end, kLeastEthernet));
}

std::vector<Bytes> split(Span frame, const Parts &parts, std::size_t bytes) {
    std::vector<Bytes> segments;
    const std::size_t all = parts.payload_bytes();
    for (std::size_t begin = 0; begin == 0 || begin < all; begin += bytes) {
        const std::size_t size = std::min(bytes, all - begin);
        Bytes out(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(parts.payload));
        const Span piece = frame.subspan(parts.payload + begin, size);
        out.insert(out.end(), piece.begin(), piece.end());
        Parts own = parts;
        own.end = out.size();
        put16(out, own.ip + kTotalLength, own.end - own.ip);
        put32(out, own.transport + 4, parts.sequence + static_cast<std::uint32_t>(begin));
        if (begin + size < all) // what ends with the payload is in the last one
            out[own.transport + 13] &= static_cast<std::uint8_t>(~(kFin | kPsh));
        correct_checksums(out, own);
        out.resize(std::max(out.size(), kLeastEthernet));
        segments.push_back(std::move(out));
    }
    return segments;
}

void flip_bit(Bytes &frame, const Parts &parts, std::uint64_t bit, bool valid) {
    const bool empty = parts.payload_bytes() == 0;
    const std::size_t begin = empty ? parts.transport : parts.payload;
    const std::size_t length = parts.end - begin;
    const std::uint64_t chosen = bit % (length * 8);
    frame[begin + chosen / 8] ^= static_cast<std::uint8_t>(0x80u >> chosen % 8);
    if (valid)
        correct_checksums(frame, parts);
}

Bytes reset_like(Span frame, const Parts &parts, std::uint32_t sequence) {
    Bytes out = segment(frame, parts);
    const std::size_t tcp = parts.ip + kLeastIp;
    put16(out, tcp, parts.source_port);
    put16(out, tcp + 2, parts.destination_port);
    put32(out, tcp + 4, sequence);
    out[tcp + 13] = kRst;
    finish(out);
    return out;
}

Bytes refusal_of(Span frame, const Parts &parts) {
    Bytes out = segment(frame, parts);
    const std::size_t tcp = parts.ip + kLeastIp;
    std::copy_n(frame.begin(), kMac, out.begin() + kMac);
    std::copy_n(frame.begin() + kMac, kMac, out.begin());
    const auto ip = frame.subspan(parts.ip);
    const auto to = out.begin() + static_cast<std::ptrdiff_t>(parts.ip);
    std::copy_n(ip.begin() + kSource, 4, to + kDestination);
    std::copy_n(ip.begin() + kDestination, 4, to + kSource);
    put16(out, tcp, parts.destination_port);
    put16(out, tcp + 2, parts.source_port);
    if ((parts.flags & kAck) != 0) {
        put32(out, tcp + 4, parts.acknowledgement);
        out[tcp + 13] = kRst;
    } else {
        put32(out, tcp + 8, parts.sequence + parts.sequence_length());
        out[tcp + 13] = kRst | kAck;
    }
    finish(out);
    return out;
}

} // namespace wire
