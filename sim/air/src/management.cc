#include "management.hpp"

#include <algorithm>

#include <ports/little_endian.hpp>

#include "eapol_key.hpp"

namespace air {

namespace {

using ports::Bytes;
using ports::put16;

constexpr std::string_view kSsid = "thinwire";
constexpr std::uint16_t kCapabilityEss = 0x0001;
constexpr std::uint16_t kCapabilityPrivacy = 0x0010;
constexpr std::uint16_t kCapabilityShortPreamble = 0x0020;
constexpr std::uint16_t kCapabilityShortSlot = 0x0400;
constexpr std::uint16_t kListenInterval = 3;

enum ElementId : std::uint8_t {
    kSsidElement = 0,
    kRatesElement = 1,
    kChannelElement = 3,
    kTimElement = 5,
    kErpElement = 42,
    kHtCapabilitiesElement = 45,
    kExtendedRatesElement = 50,
    kHtOperationElement = 61,
};

void put_element(Bytes &out, ElementId id, std::span<const std::uint8_t> body) {
    out.push_back(id);
    out.push_back(static_cast<std::uint8_t>(body.size()));
    ports::put(out, body);
}

std::uint16_t capabilities(Standard standard, const CellParameters &cell, bool long_slot) {
    unsigned value = kCapabilityEss;
    if (cell.wpa2)
        value |= kCapabilityPrivacy;
    if (cell.short_preamble)
        value |= kCapabilityShortPreamble;
    if (standard != Standard::b && !long_slot)
        value |= kCapabilityShortSlot;
    return static_cast<std::uint16_t>(value);
}

// Supported rates, eight in the first element and the rest in the extended one; basic rates have
// bit 7.
void put_rates(Bytes &out, Standard standard, const CellParameters &cell) {
    Bytes rates;
    const Standard legacy = standard == Standard::n ? Standard::g : standard;
    for (const RateIndex index : data_rates(legacy)) {
        const bool basic = std::ranges::find(cell.basic_rates, index) != cell.basic_rates.end();
        rates.push_back(static_cast<std::uint8_t>(rate(index).kbps_100 / 5 | (basic ? 0x80 : 0)));
    }
    const std::size_t first = std::min<std::size_t>(rates.size(), 8);
    put_element(out, kRatesElement, std::span(rates).first(first));
    if (rates.size() > first)
        put_element(out, kExtendedRatesElement, std::span(rates).subspan(first));
}

void put_ht_capabilities(Bytes &out) {
    Bytes body(26, 0);
    body[0] = 0x0c; // 20 MHz only, spatial multiplexing power save off
    body[2] = 0x03; // A-MPDU up to 65535 bytes
    body[3] = 0xff; // MCS 0 to 7
    put_element(out, kHtCapabilitiesElement, body);
}

void put_tim(Bytes &out, const BeaconFields &fields) {
    Bytes bitmap((fields.traffic.size() + 1 + 7) / 8, 0);
    for (std::size_t i = 0; i < fields.traffic.size(); ++i)
        if (fields.traffic[i])
            bitmap[(i + 1) / 8] |= static_cast<std::uint8_t>(1u << ((i + 1) % 8));
    // Only the octets between the first and the last set bit; the first is even.
    const auto set = [](std::uint8_t octet) { return octet != 0; };
    const auto begin = std::ranges::find_if(bitmap, set);
    std::size_t first = static_cast<std::size_t>(begin - bitmap.begin());
    std::size_t last = bitmap.size();
    while (last > first && bitmap[last - 1] == 0)
        --last;
    if (first >= last)
        first = last = 0;
    first &= ~std::size_t{1};
    Bytes body{static_cast<std::uint8_t>(fields.dtim_count),
               static_cast<std::uint8_t>(fields.dtim_period),
               static_cast<std::uint8_t>(first | (fields.group_traffic ? 1 : 0))};
    if (first == last)
        body.push_back(0);
    body.insert(body.end(), bitmap.begin() + static_cast<std::ptrdiff_t>(first),
                bitmap.begin() + static_cast<std::ptrdiff_t>(last));
    put_element(out, kTimElement, body);
}

void put_name(Bytes &out) {
    put_element(out, kSsidElement,
                std::span(reinterpret_cast<const std::uint8_t *>(kSsid.data()), kSsid.size()));
}

void put_rsn(Bytes &out, const CellParameters &cell) {
    if (cell.wpa2)
        ports::put(out, rsn_element());
}

} // namespace

std::string_view network_name() {
    return kSsid;
}

Bytes beacon_body(const BeaconFields &fields, const CellParameters &cell) {
    Bytes out;
    ports::put_le(out, static_cast<std::uint64_t>(fields.timestamp / std::chrono::microseconds(1)),
                  8);
    put16(out, fields.interval_tu);
    put16(out, capabilities(fields.standard, cell, fields.long_slot));
    put_name(out);
    put_rates(out, fields.standard, cell);
    const std::uint8_t channel[] = {static_cast<std::uint8_t>(fields.channel)};
    put_element(out, kChannelElement, channel);
    if (fields.traffic_map)
        put_tim(out, fields);
    if (fields.standard == Standard::b) {
        put_rsn(out, cell);
        return out;
    }
    // NonERP_Present and Use_Protection
    const std::uint8_t erp[] = {static_cast<std::uint8_t>(fields.protection ? 0x03 : 0x00)};
    put_element(out, kErpElement, erp);
    put_rsn(out, cell);
    if (fields.standard == Standard::n) {
        put_ht_capabilities(out);
        Bytes operation(22, 0);
        operation[0] = static_cast<std::uint8_t>(fields.channel);
        put_element(out, kHtOperationElement, operation);
    }
    return out;
}

Bytes management_body(FrameKind kind, Standard standard, const CellParameters &cell,
                      unsigned association_id) {
    Bytes out;
    if (kind == FrameKind::authentication) {
        put16(out, 0);                           // open system
        put16(out, association_id == 0 ? 1 : 2); // asks or answers
        put16(out, 0);                           // success
    } else if (kind == FrameKind::association_request) {
        put16(out, capabilities(standard, cell, false));
        put16(out, kListenInterval);
        put_name(out);
        put_rates(out, standard, cell);
        put_rsn(out, cell);
    } else if (kind == FrameKind::association_response) {
        put16(out, capabilities(standard, cell, false));
        put16(out, 0); // success
        put16(out, 0xc000 | association_id);
        put_rates(out, standard, cell);
    } else if (kind == FrameKind::probe_request) {
        put_name(out);
        put_rates(out, standard, cell);
    } else if (kind == FrameKind::deauthentication) {
        put16(out, association_id == 0 ? kReasonLeaving : kReasonHandshakeTimeout);
    }
    if (standard == Standard::n &&
        (kind == FrameKind::association_request || kind == FrameKind::association_response ||
         kind == FrameKind::probe_request))
        put_ht_capabilities(out);
    return out;
}

} // namespace air
