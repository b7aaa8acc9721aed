// The 2.4 GHz physical layers: rates, PPDU durations, interframe times.
// IEEE 802.11-2016 clauses 15 and 16 (DSSS, HR/DSSS), 17 and 18 (OFDM, ERP), 19 (HT, 20 MHz, mixed
// format, long guard interval, one spatial stream).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "des/time.hpp"

namespace air {

using des::Time;

enum class Standard : std::uint8_t { b, g, n };
enum class Modulation : std::uint8_t { dsss, ofdm, ht };

// One entry of the rate table; stations and frames refer to rates by index.
struct Rate {
    Modulation modulation;
    std::uint8_t mcs;              // HT only
    std::uint16_t kbps_100;        // in units of 100 kb/s
    std::uint16_t bits_per_symbol; // OFDM and HT: data bits of one 4 us symbol
    [[nodiscard]] double mbps() const { return kbps_100 / 10.0; }
};
using RateIndex = std::uint8_t;

inline constexpr RateIndex kDsss1 = 0;
inline constexpr RateIndex kOfdm6 = 4;
inline constexpr RateIndex kOfdm24 = 8;
inline constexpr std::size_t kRateCount = 20;

const Rate &rate(RateIndex index);
// The rates a station of this standard may send data with, slowest first: b its four, g also
// OFDM's, n HT's.
std::span<const RateIndex> data_rates(Standard standard);
std::optional<RateIndex> find_rate(Standard standard, double mbps);

// Duration of a PPDU that carries `psdu_bytes` (MAC header to FCS; an A-MPDU with its delimiters),
// with ERP's 6 us signal extension for OFDM and HT. `short_preamble` applies to DSSS above 1 Mb/s.
Time ppdu_duration(RateIndex index, unsigned psdu_bytes, bool short_preamble);

// The rate of an ACK, block ack or CTS that answers a frame received at `received`: the highest
// basic rate of the same modulation not above it; for OFDM and HT, failing that, the mandatory 6,
// 12 or 24 Mb/s (10.7.6.5).
RateIndex control_rate(RateIndex received, std::span<const RateIndex> basic);

// Timing parameters that all stations of one cell share.
struct Timing {
    Time slot;
    Time sifs;
    Time difs() const { return sifs + 2 * slot; }
    // Start of a response, at the latest, counted from the end of the frame (10.3.2.9): SIFS, one
    // slot and the time from the preamble's start to PHY-RXSTART.
    Time ack_timeout(Modulation response) const;
};

// Short slots, unless an 802.11b station is associated.
Timing cell_timing(bool long_slot);

// Contention window and interframe slots of one transmitter: DCF for b and g, EDCA's best effort
// for n.
struct Access {
    unsigned ifs_slots; // slots after SIFS: 2 is DIFS, 3 AIFS of best effort, 1 PIFS
    unsigned cw_min;
    unsigned cw_max;
};
Access access_parameters(Standard standard);

std::string_view name(Standard standard);

} // namespace air
