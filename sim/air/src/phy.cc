#include "phy.hpp"

#include <array>
#include <cmath>

namespace air {

namespace {

using namespace std::chrono_literals;

constexpr std::array<Rate, kRateCount> kRates{{
    {Modulation::dsss, 0, 10, 0},    {Modulation::dsss, 0, 20, 0},
    {Modulation::dsss, 0, 55, 0},    {Modulation::dsss, 0, 110, 0},
    {Modulation::ofdm, 0, 60, 24},   {Modulation::ofdm, 0, 90, 36},
    {Modulation::ofdm, 0, 120, 48},  {Modulation::ofdm, 0, 180, 72},
    {Modulation::ofdm, 0, 240, 96},  {Modulation::ofdm, 0, 360, 144},
    {Modulation::ofdm, 0, 480, 192}, {Modulation::ofdm, 0, 540, 216},
    {Modulation::ht, 0, 65, 26},     {Modulation::ht, 1, 130, 52},
    {Modulation::ht, 2, 195, 78},    {Modulation::ht, 3, 260, 104},
    {Modulation::ht, 4, 390, 156},   {Modulation::ht, 5, 520, 208},
    {Modulation::ht, 6, 585, 234},   {Modulation::ht, 7, 650, 260},
}};

// In order of speed; g interleaves DSSS and OFDM as an ERP station's rate set does, and n keeps
// DSSS below HT as the ESP8266 does, for bad links.
constexpr std::array<RateIndex, 4> kRatesB{0, 1, 2, 3};
constexpr std::array<RateIndex, 12> kRatesG{0, 1, 2, 4, 5, 3, 6, 7, 8, 9, 10, 11};
constexpr std::array<RateIndex, 12> kRatesN{0, 1, 2, 12, 3, 13, 14, 15, 16, 17, 18, 19};

constexpr Time kLongPreamble = 192us; // DSSS preamble and PLCP header at 1 Mb/s
constexpr Time kShortPreamble = 96us;
constexpr Time kOfdmPreamble = 20us; // training and SIGNAL
constexpr Time kHtMixedPreamble = 36us;
constexpr Time kSymbol = 4us;
constexpr Time kSignalExtension = 6us;
constexpr unsigned kServiceAndTailBits = 16 + 6;

} // namespace

const Rate &rate(RateIndex index) {
    return kRates[index];
}

std::span<const RateIndex> data_rates(Standard standard) {
    switch (standard) {
    case Standard::b:
        return kRatesB;
    case Standard::g:
        return kRatesG;
    case Standard::n:
        break;
    }
    return kRatesN;
}

std::optional<RateIndex> find_rate(Standard standard, double mbps) {
    for (const RateIndex index : data_rates(standard))
        if (std::fabs(rate(index).mbps() - mbps) < 0.01)
            return index;
    return std::nullopt;
}

Time ppdu_duration(RateIndex index, unsigned psdu_bytes, bool short_preamble) {
    const Rate &r = rate(index);
    const unsigned bits = 8 * psdu_bytes;
    if (r.modulation == Modulation::dsss) {
        const unsigned payload_us = (bits * 10 + r.kbps_100 - 1) / r.kbps_100;
        const bool is_short = short_preamble && index != kDsss1;
        return (is_short ? kShortPreamble : kLongPreamble) + payload_us * 1us;
    }
    const unsigned symbols =
        (kServiceAndTailBits + bits + r.bits_per_symbol - 1) / r.bits_per_symbol;
    const Time preamble = r.modulation == Modulation::ht ? kHtMixedPreamble : kOfdmPreamble;
    return preamble + symbols * kSymbol + kSignalExtension;
}

RateIndex control_rate(RateIndex received, std::span<const RateIndex> basic) {
    const Rate &r = rate(received);
    const bool dsss = r.modulation == Modulation::dsss;
    // A response to an HT frame is a non-HT OFDM frame.
    std::optional<RateIndex> best;
    const auto consider = [&](RateIndex candidate) {
        const Rate &c = rate(candidate);
        const bool same =
            dsss ? c.modulation == Modulation::dsss : c.modulation == Modulation::ofdm;
        if (same && c.kbps_100 <= r.kbps_100 && (!best || c.kbps_100 > rate(*best).kbps_100))
            best = candidate;
    };
    for (const RateIndex candidate : basic)
        consider(candidate);
    if (!best && !dsss)
        for (const RateIndex mandatory : {kOfdm6, RateIndex{6}, kOfdm24})
            consider(mandatory);
    return best.value_or(dsss ? kDsss1 : kOfdm6);
}

Time Timing::ack_timeout(Modulation response) const {
    const Time rx_start_delay = response == Modulation::dsss ? Time(192us) : Time(20us);
    return sifs + slot + rx_start_delay;
}

Timing cell_timing(bool long_slot) {
    return {long_slot ? Time(20us) : Time(9us), Time(10us)};
}

Access access_parameters(Standard standard) {
    switch (standard) {
    case Standard::b:
        return {2, 31, 1023};
    case Standard::g:
        return {2, 15, 1023};
    case Standard::n:
        break;
    }
    return {3, 15, 1023};
}

std::string_view name(Standard standard) {
    return standard == Standard::b ? "b" : standard == Standard::g ? "g" : "n";
}

} // namespace air
