// From a run's tally to its measures, and from the measures of several seeds to means with
// confidence intervals.
#pragma once

#include <string>
#include <vector>

#include "tally.hpp"

namespace nbiot {

struct Factors { // of one point of the experiment
    std::string variant, stack;
    int payload_bytes = 0;
    double load = 0;
};

struct Conditions {
    int cells = 21;
    double simulated_s = 0, warmup_s = 0, served_within_s = 20;
};

// The names of the measures, in the order of measure().
const std::vector<std::string> &measure_names();

// The measures of one run; NaN for a mean over no reports.
std::vector<double> measure(const Tally &tally, const Factors &factors,
                            const Conditions &conditions);

// Served and all reports by coupling gain, in bins of `kBinDb`; the bin is named by its lower edge.
inline constexpr double kBinDb = 2;
struct GainBin {
    int lower_db = 0;
    std::uint64_t reports = 0, served = 0;
};
void add_to_bins(const Tally &tally, double served_within_s, std::vector<GainBin> &bins);

struct Estimate {
    double mean = 0;
    double half_width = 0; // of the 95 % interval (Student's t); 0 with one seed
};
// Over the seeds, leaving out NaN.
Estimate estimate(const std::vector<double> &values);

} // namespace nbiot
