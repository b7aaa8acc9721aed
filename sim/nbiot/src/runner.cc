#include "runner.hpp"

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include <unistd.h>

#include "system.hpp"

namespace nbiot {

namespace {

struct Task {
    std::size_t variant;
    RunPlan plan;
    Factors factors;
};

std::vector<Task> make_tasks(const Study &study) {
    const Experiment &e = study.experiment;
    std::vector<Task> tasks;
    for (std::size_t v = 0; v < study.variants.size(); ++v)
        for (const std::string &stack : e.stacks)
            for (const int payload : e.payload_bytes)
                for (const double load : e.loads)
                    for (int s = 0; s < e.seeds; ++s)
                        tasks.push_back({v,
                                         {make_stack(stack, payload), payload, load,
                                          e.first_seed + static_cast<std::uint64_t>(s),
                                          e.simulated_s, e.warmup_s, e.give_up_s},
                                         {study.variants[v].name, stack, payload, load}});
    return tasks;
}

bool same_links(const Cell &a, const Cell &b) {
    if (a.target_error != b.target_error || a.control_target_error != b.control_target_error ||
        a.uplink_tones != b.uplink_tones)
        return false;
    for (std::size_t level = 0; level < a.levels.size(); ++level)
        if (a.levels[level].control_repetitions != b.levels[level].control_repetitions)
            return false;
    return true;
}

double thread_cpu_s() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::string number(double value) {
    if (std::isnan(value))
        return "NA";
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}

std::string point_columns(const Factors &factors) {
    return factors.variant + "," + factors.stack + "," + std::to_string(factors.payload_bytes) +
           "," + number(factors.load);
}

void write_file(const std::string &directory, const std::string &name, const std::string &text) {
    std::ofstream file(directory + "/" + name, std::ios::binary);
    file << text;
    if (!file.flush())
        throw std::runtime_error(directory + "/" + name +
                                 ": (file): cannot be written; check "
                                 "space and rights");
}

} // namespace

StudyResult run_study(const Study &study, int threads,
                      const std::function<void(std::size_t, std::size_t)> &progress) {
    const std::vector<Task> tasks = make_tasks(study);
    std::vector<std::shared_ptr<const LinkTables>> tables; // shared where the cells' links agree
    for (std::size_t v = 0; v < study.variants.size(); ++v) {
        const Cell &cell = study.variants[v].model.cell;
        std::shared_ptr<const LinkTables> same;
        for (std::size_t other = 0; other < v && !same; ++other)
            if (same_links(cell, study.variants[other].model.cell))
                same = tables[other];
        tables.push_back(same ? same : std::make_shared<const LinkTables>(cell));
    }
    const auto seeds = static_cast<std::size_t>(study.experiment.seeds);
    StudyResult result;
    result.runs.resize(tasks.size());
    std::vector<std::vector<GainBin>> bins(tasks.size());
    std::atomic<std::size_t> next{0};
    std::size_t done = 0;
    std::mutex mutex;
    std::exception_ptr failure;

    const auto work = [&] {
        for (;;) {
            // The last tasks of the list are the heaviest (highest loads): begin with them.
            const std::size_t taken = next.fetch_add(1);
            if (taken >= tasks.size())
                return;
            const std::size_t index = tasks.size() - 1 - taken;
            const Task &task = tasks[index];
            const Model &model = study.variants[task.variant].model;
            try {
                const auto begin = std::chrono::steady_clock::now();
                const double cpu_begin = thread_cpu_s();
                System system(model, *tables[task.variant], task.plan);
                const Tally tally = system.run();
                const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
                const Conditions conditions{model.scenario.sites * model.scenario.sectors,
                                            task.plan.simulated_s, task.plan.warmup_s,
                                            study.experiment.served_within_s};
                result.runs[index] = {task.factors, task.plan.seed,
                                      measure(tally, task.factors, conditions), wall.count(),
                                      thread_cpu_s() - cpu_begin};
                add_to_bins(tally, study.experiment.served_within_s, bins[index]);
            } catch (...) {
                const std::lock_guard lock(mutex);
                failure = std::current_exception();
                next = tasks.size();
                return;
            }
            const std::lock_guard lock(mutex);
            progress(++done, tasks.size());
        }
    };
    std::vector<std::thread> pool;
    for (int i = 1; i < threads; ++i)
        pool.emplace_back(work);
    work();
    for (std::thread &thread : pool)
        thread.join();
    if (failure)
        std::rethrow_exception(failure);

    for (std::size_t first = 0; first < tasks.size(); first += seeds) {
        std::map<int, GainBin> sum;
        for (std::size_t i = first; i < first + seeds; ++i)
            for (const GainBin &bin : bins[i]) {
                GainBin &total = sum[bin.lower_db];
                total.lower_db = bin.lower_db;
                total.reports += bin.reports;
                total.served += bin.served;
            }
        result.bins.emplace_back();
        for (const auto &entry : sum)
            result.bins.back().push_back(entry.second);
    }
    return result;
}

void prepare_directory(const std::string &directory) {
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (error || access(directory.c_str(), W_OK | X_OK) != 0)
        throw config::Error("(command line)", "--out", directory + " cannot be written",
                            "name a directory that can");
}

void write_tables(const Study &study, const StudyResult &result, const std::string &directory) {
    const auto seeds = static_cast<std::size_t>(study.experiment.seeds);
    const std::string head = "variant,stack,payload_bytes,load";
    std::string runs = head + ",seed", points = head + ",seeds",
                coverage = head + ",path_gain_db,reports,served\n";
    for (const std::string &name : measure_names()) {
        runs += "," + name;
        points += "," + name + "," + name + "_ci95";
    }
    runs += "\n";
    points += "\n";
    for (const RunRow &row : result.runs) {
        runs += point_columns(row.factors) + "," + std::to_string(row.seed);
        for (const double value : row.measures)
            runs += "," + number(value);
        runs += "\n";
    }
    for (std::size_t first = 0, p = 0; first < result.runs.size(); first += seeds, ++p) {
        const Factors &factors = result.runs[first].factors;
        points += point_columns(factors) + "," + std::to_string(seeds);
        for (std::size_t m = 0; m < measure_names().size(); ++m) {
            std::vector<double> values;
            for (std::size_t i = first; i < first + seeds; ++i)
                values.push_back(result.runs[i].measures[m]);
            const Estimate e = estimate(values);
            points += "," + number(e.mean) + "," + number(e.half_width);
        }
        points += "\n";
        for (const GainBin &bin : result.bins[p])
            coverage += point_columns(factors) + "," + std::to_string(bin.lower_db) + "," +
                        std::to_string(bin.reports) + "," + std::to_string(bin.served) + "\n";
    }
    write_file(directory, "runs.csv", runs);
    write_file(directory, "results.csv", points);
    write_file(directory, "coverage.csv", coverage);
}

} // namespace nbiot
