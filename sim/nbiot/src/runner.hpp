// Runs every point of a study for every seed, on several threads, and writes the tables.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "config.hpp"
#include "summary.hpp"

namespace nbiot {

struct RunRow {
    Factors factors;
    std::uint64_t seed = 0;
    std::vector<double> measures;
    double wall_s = 0, cpu_s = 0; // for the benchmark only; never in a table
};

struct StudyResult {
    std::vector<RunRow> runs;               // by variant, stack, payload, load, seed
    std::vector<std::vector<GainBin>> bins; // by point
};

// `progress(done, all)` is called from worker threads, one call at a time. The result does not
// depend on the number of threads.
StudyResult run_study(const Study &study, int threads,
                      const std::function<void(std::size_t, std::size_t)> &progress);

// Creates the directory of the tables; throws config::Error when it cannot be written.
void prepare_directory(const std::string &directory);

// runs.csv (a row a run), results.csv (a row a point, each measure with the half width of its 95 %
// confidence interval), coverage.csv (a row a point and bin of path gain). Throws
// std::runtime_error when a file cannot be written.
void write_tables(const Study &study, const StudyResult &result, const std::string &directory);

} // namespace nbiot
