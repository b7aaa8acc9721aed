#include "summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nbiot {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double ratio(double part, double whole) {
    return whole > 0 ? part / whole : kNan;
}

// The value below which the share `p` of the sorted `values` lies, interpolated.
double quantile(const std::vector<float> &values, double p) {
    if (values.empty())
        return kNan;
    const double position = p * static_cast<double>(values.size() - 1);
    const auto index = static_cast<std::size_t>(position);
    const double low = values[index];
    const double high = values[std::min(index + 1, values.size() - 1)];
    return low + (position - static_cast<double>(index)) * (high - low);
}

} // namespace

const std::vector<std::string> &measure_names() {
    static const std::vector<std::string> names{"device_throughput_bps",
                                                "cell_throughput_bps",
                                                "not_served_pct",
                                                "never_delivered_pct",
                                                "lowest_path_gain_db",
                                                "low_path_gain_db",
                                                "delay_mean_s",
                                                "delay_p50_s",
                                                "delay_p95_s",
                                                "delay_p99_s",
                                                "energy_mj",
                                                "level1_pct",
                                                "level2_pct",
                                                "preambles_per_report",
                                                "collision_pct",
                                                "retransmissions_per_report",
                                                "uplink_error_pct",
                                                "downlink_error_pct",
                                                "control_error_pct",
                                                "downlink_use_pct",
                                                "control_use_pct",
                                                "uplink_use_pct",
                                                "reports",
                                                "devices_peak",
                                                "events"};
    return names;
}

std::vector<double> measure(const Tally &tally, const Factors &factors,
                            const Conditions &conditions) {
    double throughput = 0, delay = 0, energy = 0;
    std::uint64_t delivered = 0, served = 0, level1 = 0, level2 = 0;
    std::vector<float> delays, served_gains;
    for (const Report &report : tally.reports) {
        energy += report.energy_mj;
        level1 += report.level == 1;
        level2 += report.level == 2;
        if (report.delay_s < 0)
            continue;
        ++delivered;
        throughput += 8.0 * factors.payload_bytes / report.delay_s;
        delay += report.delay_s;
        delays.push_back(report.delay_s);
        if (report.delay_s <= conditions.served_within_s) {
            ++served;
            served_gains.push_back(report.gain_db);
        }
    }
    std::sort(delays.begin(), delays.end());
    std::sort(served_gains.begin(), served_gains.end());
    const auto count = static_cast<double>(tally.reports.size());
    const auto arrivals = static_cast<double>(tally.arrivals);
    const double measured_s = conditions.simulated_s - conditions.warmup_s;
    const double all_ms = conditions.simulated_s * 1000 * conditions.cells;
    return {ratio(throughput, static_cast<double>(delivered)),
            tally.delivered_bits / (measured_s * conditions.cells),
            100 * ratio(count - static_cast<double>(served), count),
            100 * ratio(count - static_cast<double>(delivered), count),
            served_gains.empty() ? kNan : static_cast<double>(served_gains.front()),
            quantile(served_gains, 0.001),
            ratio(delay, static_cast<double>(delivered)),
            quantile(delays, 0.5),
            quantile(delays, 0.95),
            quantile(delays, 0.99),
            ratio(energy, count),
            100 * ratio(static_cast<double>(level1), count),
            100 * ratio(static_cast<double>(level2), count),
            ratio(static_cast<double>(tally.preambles), arrivals),
            100 * ratio(static_cast<double>(tally.preamble_collisions),
                        static_cast<double>(tally.preambles)),
            ratio(static_cast<double>(tally.transport_retransmissions), arrivals),
            100 * ratio(static_cast<double>(tally.uplink_errors),
                        static_cast<double>(tally.uplink_blocks)),
            100 * ratio(static_cast<double>(tally.downlink_errors),
                        static_cast<double>(tally.downlink_blocks)),
            100 * ratio(static_cast<double>(tally.control_errors),
                        static_cast<double>(tally.control_messages)),
            100 * (tally.downlink_ms + tally.control_ms) / all_ms,
            100 * tally.control_ms / all_ms,
            100 * tally.uplink_tone_ms / (12 * all_ms),
            count,
            static_cast<double>(tally.devices_peak),
            static_cast<double>(tally.events)};
}

void add_to_bins(const Tally &tally, double served_within_s, std::vector<GainBin> &bins) {
    for (const Report &report : tally.reports) {
        const int lower = static_cast<int>(std::floor(report.gain_db / kBinDb) * kBinDb);
        auto bin = std::lower_bound(bins.begin(), bins.end(), lower,
                                    [](const GainBin &b, int edge) { return b.lower_db < edge; });
        if (bin == bins.end() || bin->lower_db != lower)
            bin = bins.insert(bin, {lower, 0, 0});
        ++bin->reports;
        bin->served += report.delay_s >= 0 && report.delay_s <= served_within_s;
    }
}

Estimate estimate(const std::vector<double> &values) {
    // Student's t, 97.5 %, for 1 to 30 degrees of freedom; the normal value beyond.
    static constexpr double kT[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                                    2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                                    2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                                    2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
    double sum = 0;
    std::size_t n = 0;
    for (const double value : values)
        if (!std::isnan(value)) {
            sum += value;
            ++n;
        }
    if (n == 0)
        return {kNan, kNan};
    const double mean = sum / static_cast<double>(n);
    if (n == 1)
        return {mean, 0};
    double squares = 0;
    for (const double value : values)
        if (!std::isnan(value))
            squares += (value - mean) * (value - mean);
    const double t = n - 1 <= 30 ? kT[n - 2] : 1.960;
    return {mean, t * std::sqrt(squares / static_cast<double>(n - 1) / static_cast<double>(n))};
}

} // namespace nbiot
