// The bytes of 802.11 frames, as a monitor hears them (IEEE 802.11-2016, 9.3; without FCS).
#pragma once

#include <vector>

#include "burst.hpp"
#include "ccmp.hpp"

namespace air {

// Addresses of everything that can appear in a frame, and the keys of what is encrypted.
class AddressBook {
public:
    virtual ~AddressBook() = default;
    [[nodiscard]] virtual MacAddress station_mac(StationId id) const = 0;
    // Of the frames between the access point and this station, or of group-addressed ones
    // (kGroup).
    [[nodiscard]] virtual const Key &temporal_key(StationId id) const = 0;
};

struct Dot11Frame {
    std::vector<std::uint8_t> bytes;
    std::uint32_t original_bytes =
        0; // on the air, without FCS; more than bytes.size() for in-process data
};

// Payloads of in-process sources have the local experimental EtherType 0x88B5 and are truncated
// after it.
Dot11Frame write_dot11(const AirRecord &record, const AddressBook &addresses, bool qos);

} // namespace air
