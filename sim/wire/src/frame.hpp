// A view of an Ethernet frame with IPv4 and TCP or UDP, and what faults change in one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace wire {

using Bytes = std::vector<std::uint8_t>;
using Span = std::span<const std::uint8_t>;

// Flags of TCP (RFC 9293, 3.1).
constexpr std::uint8_t kFin = 0x01, kSyn = 0x02, kRst = 0x04, kPsh = 0x08, kAck = 0x10;

// Where the parts of a frame begin. Offsets count from the frame's first byte.
struct Parts {
    bool tcp = false;
    std::size_t ip = 0, transport = 0, payload = 0;
    std::size_t end = 0; // of the IP packet; Ethernet's padding follows
    std::uint16_t source_port = 0, destination_port = 0;
    std::uint32_t sequence = 0, acknowledgement = 0; // TCP
    std::uint8_t flags = 0;                          // TCP

    [[nodiscard]] std::size_t payload_bytes() const { return end - payload; }
    // What the segment takes of TCP's sequence numbers: SYN and FIN count as one byte each.
    [[nodiscard]] std::uint32_t sequence_length() const {
        return static_cast<std::uint32_t>(payload_bytes()) + ((flags & kSyn) != 0 ? 1u : 0u) +
               ((flags & kFin) != 0 ? 1u : 0u);
    }
};

// The parts of a frame; nothing if it is no whole, unfragmented IPv4 packet with TCP or UDP.
std::optional<Parts> parse(Span frame);

// Corrects the checksums of IPv4 (RFC 791) and of TCP or UDP (RFC 9293, RFC 768).
void correct_checksums(Bytes &frame, const Parts &parts);
void set_ports(Bytes &frame, const Parts &parts, std::uint16_t source, std::uint16_t destination);
// Cuts `bytes` from the end of the payload, at most all of it. If `valid`, lengths and checksums
// are corrected; else the frame is shorter than its IP header states.
void truncate(Bytes &frame, const Parts &parts, std::size_t bytes, bool valid);
// The segments that carry the same as `frame`, which is TCP, with at most `bytes` of payload each.
std::vector<Bytes> split(Span frame, const Parts &parts, std::size_t bytes);
// Inverts a bit of the payload, or of the transport header where there is no payload. If `valid`,
// the checksums are corrected.
void flip_bit(Bytes &frame, const Parts &parts, std::uint64_t bit, bool valid);
// A segment with RST towards the receiver of `frame`, which is TCP, with this sequence number.
Bytes reset_like(Span frame, const Parts &parts, std::uint32_t sequence);
// The answer of a host without that port to a TCP segment (RFC 9293, 3.10.7.1).
Bytes refusal_of(Span frame, const Parts &parts);

} // namespace wire
