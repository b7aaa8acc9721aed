#include "dot11_writer.hpp"

#include "cell.hpp"

#include <ports/little_endian.hpp>

namespace air {

namespace {

using ports::Bytes;
using ports::put;
using ports::put16;

// First octet of Frame Control: version 0, type, subtype.
enum Subtype : std::uint8_t {
    kAssociationRequest = 0x00,
    kAssociationResponse = 0x10,
    kBeacon = 0x80,
    kAuthentication = 0xb0,
    kProbeRequest = 0x40,
    kProbeResponse = 0x50,
    kDeauthentication = 0xc0,
    kBlockAck = 0x94,
    kPsPoll = 0xa4,
    kCts = 0xc4,
    kAck = 0xd4,
    kData = 0x08,
    kQosData = 0x88,
    kNull = 0x48,
};
// Second octet.
enum Flag : std::uint8_t {
    kToDs = 0x01,
    kFromDs = 0x02,
    kRetry = 0x08,
    kPowerManagement = 0x10,
    kMoreData = 0x20,
    kProtected = 0x40,
};

constexpr std::uint16_t kExperimentalEtherType = 0x88b5;
constexpr std::size_t kSmallestEtherType =
    0x600; // below: the length of an 802.3 frame with its own LLC
constexpr MacAddress kBroadcast{0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

std::uint32_t duration_us(Time reserved) {
    return static_cast<std::uint32_t>((reserved + Time(999)) / std::chrono::microseconds(1));
}

MacAddress radio_address(StationId id, const AddressBook &addresses) {
    return id == kAccessPoint ? access_point_mac()
           : id == kGroup     ? kBroadcast
                              : addresses.station_mac(id);
}

std::uint8_t subtype_of(FrameKind kind, bool qos) {
    switch (kind) {
    case FrameKind::data:
        return qos ? kQosData : kData;
    case FrameKind::eapol:
        return kData;
    case FrameKind::null:
        return kNull;
    case FrameKind::ps_poll:
        return kPsPoll;
    case FrameKind::beacon:
        return kBeacon;
    case FrameKind::authentication:
        return kAuthentication;
    case FrameKind::probe_request:
        return kProbeRequest;
    case FrameKind::probe_response:
        return kProbeResponse;
    case FrameKind::deauthentication:
        return kDeauthentication;
    case FrameKind::association_request:
        return kAssociationRequest;
    case FrameKind::association_response:
        break;
    }
    return kAssociationResponse;
}

Bytes write_control(const AirRecord &record, const AddressBook &addresses) {
    const MacAddress sender = radio_address(record.frame->transmitter, addresses);
    const MacAddress responder = radio_address(record.frame->receiver, addresses);
    Bytes out;
    switch (record.control) {
    case AirRecord::Control::cts: // to itself
        out = {kCts, 0};
        put16(out, duration_us(record.reserved));
        put(out, sender);
        break;
    case AirRecord::Control::ack:
        out = {kAck, 0};
        put16(out, 0);
        put(out, sender);
        break;
    default:
        out = {kBlockAck, 0};
        put16(out, 0);
        put(out, sender);
        put(out, responder);
        put16(out, 0x0005); // compressed, normal acknowledgement policy, TID 0
        put16(out, std::uint32_t{record.block_ack_start} << 4);
        ports::put_le(out, record.block_ack_bitmap, 8);
        break;
    }
    return out;
}

// Destination and source in the sense of Ethernet.
std::pair<MacAddress, MacAddress> ends_of(const Frame &frame, const AddressBook &addresses) {
    MacAddress destination, source;
    if (frame.ethernet()) {
        std::copy_n(frame.bytes.begin(), 6, destination.begin());
        std::copy_n(frame.bytes.begin() + 6, 6, source.begin());
        return {destination, source};
    }
    const auto end = [&](StationId id) {
        return id == kAccessPoint && frame.flow != kNoFlow ? wired_mac()
                                                           : radio_address(id, addresses);
    };
    return {end(frame.receiver), end(frame.transmitter)};
}

void put_payload(Bytes &out, const Frame &frame) {
    if (frame.kind != FrameKind::data && frame.kind != FrameKind::eapol) {
        put(out, frame.bytes);
        return;
    }
    static constexpr std::uint8_t kSnap[] = {0xaa, 0xaa, 0x03, 0x00, 0x00, 0x00};
    if (!frame.ethernet()) {
        put(out, kSnap);
        out.push_back(kExperimentalEtherType >> 8);
        out.push_back(kExperimentalEtherType & 0xff);
        return;
    }
    const std::size_t type = std::size_t{frame.bytes[12]} << 8 | frame.bytes[13];
    const std::span<const std::uint8_t> ethernet(frame.bytes);
    if (type >= kSmallestEtherType) {
        put(out, kSnap);
        put(out, ethernet.subspan(12));
    } else {
        put(out, ethernet.subspan(kEthernetHeaderBytes));
    }
}

// `out` is the MAC header. Of the data of in-process sources only the CCMP header follows: there is
// nothing to encrypt.
void put_encrypted(Bytes &out, const Frame &frame, const AddressBook &addresses) {
    const bool group = frame.receiver == kGroup;
    const StationId station = group                               ? kGroup
                              : frame.transmitter == kAccessPoint ? frame.receiver
                                                                  : frame.transmitter;
    Bytes sealed;
    if (frame.ethernet()) {
        Bytes plain;
        put_payload(plain, frame);
        sealed = ccmp_encrypt(addresses.temporal_key(station), frame.packet_number, out, plain);
    }
    put(out, ccmp_header(frame.packet_number, group ? kGroupKey : kPairwiseKey));
    put(out, sealed);
}

} // namespace

Dot11Frame write_dot11(const AirRecord &record, const AddressBook &addresses, bool qos) {
    Dot11Frame result;
    Bytes &out = result.bytes;
    if (record.control != AirRecord::Control::none) {
        out = write_control(record, addresses);
        result.original_bytes = static_cast<std::uint32_t>(out.size());
        return result;
    }
    const Frame &frame = *record.frame;
    const bool data = frame.kind == FrameKind::data || frame.kind == FrameKind::null ||
                      frame.kind == FrameKind::eapol;
    const bool up = frame.transmitter != kAccessPoint;
    const bool qos_data = qos && frame.kind == FrameKind::data && frame.receiver != kGroup;
    unsigned flags = (record.retry ? kRetry : 0) | (frame.power_management ? kPowerManagement : 0) |
                     (frame.more_data ? kMoreData : 0);
    if (data)
        flags |= up ? kToDs : kFromDs;
    if (frame.encrypted)
        flags |= kProtected;
    out.reserve(64 + frame.bytes.size());
    out.push_back(subtype_of(frame.kind, qos_data));
    out.push_back(static_cast<std::uint8_t>(flags));
    const MacAddress receiver = radio_address(frame.receiver, addresses);
    const MacAddress transmitter = radio_address(frame.transmitter, addresses);
    if (frame.kind == FrameKind::ps_poll) {
        put16(out, 0xc000u | static_cast<unsigned>(frame.transmitter)); // association identifier
        put(out, receiver);
        put(out, transmitter);
        result.original_bytes = static_cast<std::uint32_t>(out.size());
        return result;
    }
    put16(out, duration_us(record.reserved));
    if (data) {
        const auto [destination, source] = ends_of(frame, addresses);
        put(out, up ? receiver : destination);
        put(out, transmitter);
        put(out, up ? destination : source);
    } else {
        put(out, receiver);
        put(out, transmitter);
        put(out, frame.kind == FrameKind::probe_request ? kBroadcast : access_point_mac());
    }
    put16(out, std::uint32_t{frame.sequence} << 4);
    if (qos_data)
        put16(out, 0); // TID 0; normal acknowledgement, in an A-MPDU implicit block ack
    if (frame.encrypted)
        put_encrypted(out, frame, addresses);
    else if (frame.kind != FrameKind::null)
        put_payload(out, frame);
    result.original_bytes = Burst::mpdu_bytes(frame, qos) - kFcsBytes;
    if (frame.outside()) // an 802.3 frame has no SNAP header of its own
        result.original_bytes = static_cast<std::uint32_t>(out.size());
    return result;
}

} // namespace air
