#include "link.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "numeric.hpp"
#include "spec.hpp"

namespace nbiot {

namespace {

// The table's grid: sixteen linear steps in each octave from 2^-14 to 2^7, found by the bits of the
// ratio itself.
constexpr int kLowestExponent = -14;
constexpr int kOctaves = 21;
constexpr int kStepBits = 4;
constexpr int kSteps = 1 << kStepBits;
constexpr int kTableSize = kOctaves * kSteps + 1;

double grid_snr(int index) {
    return std::ldexp(1 + static_cast<double>(index % kSteps) / kSteps,
                      kLowestExponent + index / kSteps);
}

// Mean and variance of the information density 1 - log2(1 + e^-L), L normal with mean 4 snr and
// variance 8 snr, by the trapezoidal rule over +-8 standard deviations.
BitChannel integrate(double snr) {
    const double mean = 4 * snr;
    const double sigma = std::sqrt(8 * snr);
    constexpr int kPoints = 400;
    constexpr double kInverseLn2 = 1.4426950408889634;
    double first = 0, second = 0, weights = 0;
    for (int i = 0; i <= kPoints; ++i) {
        const double z = -8 + 16.0 * i / kPoints;
        const double weight = portable_exp(-z * z / 2);
        const double llr = mean + sigma * z;
        const double softplus = llr > 30 ? portable_exp(-std::min(llr, 600.0))
                                         : des::portable_log(1 + portable_exp(-llr));
        const double density = 1 - softplus * kInverseLn2;
        weights += weight;
        first += weight * density;
        second += weight * density * density;
    }
    const double capacity = first / weights;
    return {capacity, std::max(second / weights - capacity * capacity, 1e-12)};
}

const std::array<BitChannel, kTableSize> &bit_table() {
    static const auto table = [] {
        std::array<BitChannel, kTableSize> t{};
        for (int i = 0; i < kTableSize; ++i)
            t[static_cast<std::size_t>(i)] = integrate(grid_snr(i));
        return t;
    }();
    return table;
}

// Averages f(g1, g2) over two independent unit exponentials with g1 = g2 = s / 2, s of the Gamma(2)
// density s e^-s, on a logarithmic grid: the branches add before decoding, so their sum decides.
template <typename F> double average_two_branches(F f) {
    struct Point {
        double gain, weight;
    };
    static const auto points = [] {
        std::array<Point, 65> list{};
        for (std::size_t i = 0; i < list.size(); ++i) {
            const double s = from_db(-25 + 37.0 * static_cast<double>(i) / 64);
            list[i] = {s / 2, s * s * portable_exp(-s)};
        }
        return list;
    }();
    double sum = 0, weights = 0;
    for (const Point &point : points) {
        weights += point.weight;
        sum += point.weight * f(point.gain);
    }
    return sum / weights;
}

// Reference symbols of one port in an estimation window, in units of data power.
double downlink_pilots(int subframes) {
    return spec::kPilotEfficiency * spec::kReferenceBoost * spec::kDownlinkPilotsPerPortMs *
           std::min(subframes, spec::kChannelEstimationMs);
}

// Half the binary logarithm of n, the last term of the approximation. Numbers of bits are whole,
// and few of them occur.
double half_log2(double n) {
    constexpr std::size_t kKnown = 8192;
    const auto exact = [](double bits) { return 0.5 * to_db(bits) * 0.33219280948873623; };
    static const auto table = [&] {
        std::vector<double> list(kKnown);
        for (std::size_t i = 1; i < kKnown; ++i)
            list[i] = exact(static_cast<double>(i));
        return list;
    }();
    const auto whole = static_cast<std::size_t>(n);
    return whole > 0 && whole < kKnown && static_cast<double>(whole) == n ? table[whole] : exact(n);
}

template <typename F> double bisect_db(F error_at, double target) {
    double low = -30, high = 40;
    for (int i = 0; i < 20; ++i) {
        const double middle = (low + high) / 2;
        (error_at(from_db(middle)) > target ? low : high) = middle;
    }
    return high;
}

} // namespace

BitChannel bit_channel(double snr) {
    static const auto &table = bit_table();
    if (!(snr > grid_snr(0))) { // both are linear in the ratio there
        const double scale = snr > 0 ? snr / grid_snr(0) : 0;
        return {table.front().capacity * scale, table.front().dispersion * scale + 1e-12};
    }
    const auto bits = std::bit_cast<std::uint64_t>(snr); // sign 0, exponent, mantissa
    constexpr int kShift = 52 - kStepBits;
    const auto index = static_cast<std::int64_t>(bits >> kShift) -
                       (static_cast<std::int64_t>(1023 + kLowestExponent) << kStepBits);
    if (index >= kTableSize - 1)
        return table.back();
    const double part =
        static_cast<double>(bits & ((1ull << kShift) - 1)) / static_cast<double>(1ull << kShift);
    const BitChannel &a = table[static_cast<std::size_t>(index)];
    const BitChannel &b = table[static_cast<std::size_t>(index) + 1];
    return {a.capacity + part * (b.capacity - a.capacity),
            a.dispersion + part * (b.dispersion - a.dispersion)};
}

double block_error(const Received &received, int info_bits, int bits_per_symbol) {
    if (received.energy <= 0)
        return 1;
    static const double gap = from_db(-kCodeGapDb);
    const double mother_symbols = 3.0 * info_bits / bits_per_symbol;
    const double symbols = std::min(received.symbols, mother_symbols);
    const double snr = received.energy * gap / symbols;
    const BitChannel bit = bit_channel(snr / bits_per_symbol);
    const double n = symbols * bits_per_symbol;
    const double margin = n * bit.capacity - info_bits;
    const double deviation = std::sqrt(n * bit.dispersion);
    constexpr double kCertain = 8; // standard deviations, beyond the logarithmic term
    if (margin > kCertain * deviation)
        return 0;
    if (margin + 8 < -kCertain * deviation)
        return 1;
    return normal_tail((margin + half_log2(n)) / deviation);
}

double required_snr_db(const Format &format, double branch_share, double target) {
    const int info = format.bits + spec::kTransportBlockCrcBits;
    return bisect_db(
        [&](double snr) {
            return average_two_branches([&](double gain) {
                const double branch = estimated_snr(snr * branch_share * gain, format.pilots);
                return block_error({format.symbols, format.symbols * 2 * branch}, info,
                                   format.bits_per_symbol);
            });
        },
        target);
}

void FormatTable::finish(double target_error, double branch_share) {
    for (Format &format : formats_)
        format.required_snr_db = required_snr_db(format, branch_share, target_error);
    std::sort(formats_.begin(), formats_.end(), [](const Format &a, const Format &b) {
        if (a.bits != b.bits)
            return a.bits < b.bits;
        return a.duration_ms != b.duration_ms ? a.duration_ms < b.duration_ms
                                              : a.required_snr_db < b.required_snr_db;
    });
    const auto count = static_cast<int>(formats_.size());
    const auto candidate = [this](int index) {
        const Format &format = formats_[static_cast<std::size_t>(index)];
        return Candidate{format.bits, format.duration_ms, index};
    };
    for (int bin = 0; bin < kBins; ++bin) {
        const double snr = kLowestDb + kStepDb * bin;
        auto &best = best_[static_cast<std::size_t>(bin)];
        int shortest = 1 << 30;
        for (int i = count - 1; i >= 0; --i) { // larger blocks first: keep the Pareto front
            const Format &format = formats_[static_cast<std::size_t>(i)];
            if (format.required_snr_db <= snr && format.duration_ms < shortest) {
                if (!best.empty() && best.back().bits == format.bits)
                    best.back() = candidate(i);
                else
                    best.push_back(candidate(i));
                shortest = format.duration_ms;
            }
        }
        std::reverse(best.begin(), best.end());
    }
    for (int i = 0; i < count; ++i) {
        if (robust_.empty() || robust_.back().bits != formats_[static_cast<std::size_t>(i)].bits)
            robust_.push_back(candidate(i));
        else if (formats_[static_cast<std::size_t>(i)].required_snr_db <
                 formats_[static_cast<std::size_t>(robust_.back().index)].required_snr_db)
            robust_.back() = candidate(i);
    }
}

FormatTable FormatTable::downlink(double target_error) {
    FormatTable table;
    for (int row = 0; row < spec::kTbsRows; ++row)
        for (std::size_t column = 0; column < spec::kResourceCounts.size(); ++column)
            for (const int repetitions : spec::kDownlinkRepetitions) {
                const int bits = spec::kDownlinkTbs[row][column];
                const int subframes = spec::kResourceCounts[column] * repetitions;
                if (bits == 0 || subframes > 2560)
                    continue;
                table.formats_.push_back(
                    {bits, subframes, spec::kTones, repetitions, 2,
                     static_cast<double>(subframes) * spec::kDownlinkSymbolsPerMs,
                     downlink_pilots(subframes), 0});
            }
    table.finish(target_error, 1.0 / spec::kDownlinkPorts);
    return table;
}

FormatTable FormatTable::uplink(int tones, double target_error) {
    FormatTable table;
    const auto kind = static_cast<std::size_t>(
        std::find(spec::kToneCounts.begin(), spec::kToneCounts.end(), tones) -
        spec::kToneCounts.begin());
    const int unit_ms = spec::kResourceUnitMs[kind];
    const int rows = tones == 1 ? static_cast<int>(spec::kSingleToneMcs.size()) : spec::kTbsRows;
    for (int mcs = 0; mcs < rows; ++mcs) {
        const spec::SingleToneMcs code = tones == 1
                                             ? spec::kSingleToneMcs[static_cast<std::size_t>(mcs)]
                                             : spec::SingleToneMcs{2, mcs};
        for (std::size_t column = 0; column < spec::kResourceCounts.size(); ++column)
            for (const int repetitions : spec::kUplinkRepetitions) {
                const int bits = spec::kUplinkTbs[code.i_tbs][column];
                const int ms = spec::kResourceCounts[column] * repetitions * unit_ms;
                if (bits == 0)
                    continue;
                table.formats_.push_back(
                    {bits, ms, tones, repetitions, code.bits_per_symbol,
                     static_cast<double>(ms) * tones * spec::kUplinkSymbolsPerToneMs,
                     spec::kPilotEfficiency * tones * spec::kUplinkPilotsPerToneMs *
                         std::min(ms, spec::kChannelEstimationMs),
                     0});
            }
    }
    table.finish(target_error, 1.0);
    return table;
}

const Format &FormatTable::choose(int bits, double snr_db, int overhead_ms) const {
    const int bin =
        std::clamp(static_cast<int>(std::floor((snr_db - kLowestDb) / kStepDb)), 0, kBins - 1);
    const auto &best = best_[static_cast<std::size_t>(bin)];
    const auto &list = best.empty() ? robust_ : best;
    int chosen = 0;
    long least = std::numeric_limits<long>::max();
    for (const Candidate &candidate : list) {
        const int blocks = (bits + candidate.bits - 1) / candidate.bits;
        const long cost = static_cast<long>(blocks) * (candidate.duration_ms + overhead_ms);
        if (cost < least) {
            chosen = candidate.index;
            least = cost;
        }
        if (blocks == 1)
            break;
    }
    return formats_[static_cast<std::size_t>(chosen)];
}

double control_error(double a, double b, int subframes) {
    const double pilots = downlink_pilots(subframes);
    const double symbols = static_cast<double>(subframes) * spec::kDownlinkSymbolsPerMs;
    const double snr = estimated_snr(a, pilots) + estimated_snr(b, pilots);
    return block_error({symbols, symbols * snr}, spec::kDciBits, 2);
}

double required_control_snr_db(int repetitions, double target) {
    return bisect_db(
        [&](double snr) {
            return average_two_branches([&](double gain) {
                const double branch = snr * gain / spec::kDownlinkPorts;
                return control_error(branch, branch, repetitions);
            });
        },
        target);
}

double preamble_detection(double snr, int repetitions) {
    static const double loss = from_db(-spec::kPreambleLossDb);
    const double groups = 2.0 * spec::kSymbolGroups * repetitions; // over both antennas
    const double signal = spec::kSymbolsPerGroup * snr * loss / 2; // of one antenna's group
    const double root = std::sqrt(groups);
    return normal_tail((spec::kFalseAlarmQuantile * root - groups * signal) /
                       (root * std::sqrt(1 + 2 * signal)));
}

} // namespace nbiot
