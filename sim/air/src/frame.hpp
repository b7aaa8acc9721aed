// A frame in the cell: an MSDU or a frame of the MAC itself.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "des/time.hpp"

namespace air {

using des::Time;
using MacAddress = std::array<std::uint8_t, 6>;
// The usual notation: six octets in hexadecimal, with colons.
std::string to_text(const MacAddress &mac);

// Stations are numbered from 1; 0 is the access point, which also stands for everything wired.
using StationId = std::int16_t;
inline constexpr StationId kAccessPoint = 0;
inline constexpr StationId kGroup = -1; // broadcast and multicast
inline constexpr std::uint16_t kNoFlow = 0xffff;

enum class FrameKind : std::uint8_t {
    data,
    null,    // null data: announces a change of power management
    ps_poll, // requests one buffered frame
    beacon,
    authentication,
    association_request,
    association_response,
    probe_request,
    probe_response,
    deauthentication,
    eapol, // of the 4-way handshake
};

struct Frame {
    FrameKind kind = FrameKind::data;
    StationId transmitter = kAccessPoint; // of this hop
    StationId receiver = kAccessPoint;    // of this hop; kGroup for all
    bool power_management = false;        // the station will doze after this frame
    bool more_data = false;
    bool received = false;     // by the receiver's MAC; further copies are duplicates
    bool delivered = false;    // handed to the receiver's upper layer
    bool acknowledged = false; // delivered, and the sender knows
    std::uint8_t attempts = 0;
    std::uint16_t sequence = 0;      // of the MAC; assigned at the first transmission
    std::uint16_t flow = kNoFlow;    // in-process source
    std::uint32_t flow_sequence = 0; // the source's own mark
    std::uint32_t payload_bytes = 0; // after the Ethernet header, or of the management body
    Time created{0};                 // when it entered the cell
    bool encrypted = false;          // by CCMP
    std::uint64_t packet_number = 0; // of CCMP; assigned at the first transmission
    // The whole Ethernet frame of data from a port or of EAPOL, or the body of a management frame;
    // empty for the data of in-process sources, of which only the length matters.
    std::vector<std::uint8_t> bytes;

    // Came from a port, so a host outside waits for it.
    [[nodiscard]] bool outside() const { return kind == FrameKind::data && !bytes.empty(); }
    // Its bytes are those of an Ethernet frame.
    [[nodiscard]] bool ethernet() const { return outside() || kind == FrameKind::eapol; }
};

inline constexpr unsigned kEthernetHeaderBytes = 14;
inline constexpr unsigned kFcsBytes = 4;
inline constexpr unsigned kAckBytes = 14;
inline constexpr unsigned kCtsBytes = 14;
inline constexpr unsigned kBlockAckBytes = 32; // compressed bitmap
inline constexpr unsigned kPsPollBytes = 20;
inline constexpr unsigned kSnapBytes = 8;
inline constexpr unsigned kDataHeaderBytes = 24;
inline constexpr unsigned kQosHeaderBytes = 26;

} // namespace air
