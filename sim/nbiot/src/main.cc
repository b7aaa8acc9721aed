// nbiot run STUDY --out DIR [--threads N]     runs a study, writes its tables
// nbiot check STUDY                           reads and checks it
// nbiot bench STUDY [--out DIR] [--threads N] the same run; prints events, wall and processor time
//                                             of every run as CSV, and sums by load
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>

#include "config.hpp"
#include "runner.hpp"

namespace {

constexpr int kBadInput = 2;

struct Options {
    std::string command, study, out;
    int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
};

[[noreturn]] void fail(const std::string &message) {
    std::fprintf(stderr, "thinwire: error: %s\n", message.c_str());
    std::exit(kBadInput);
}

Options parse(int argc, char **argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--out" || word == "--threads") {
            if (++i == argc)
                fail("(command line): " + word + ": needs a value; see the head of main.cc");
            const std::string value = argv[i];
            if (word == "--out") {
                options.out = value;
                continue;
            }
            const auto [end, error] =
                std::from_chars(value.data(), value.data() + value.size(), options.threads);
            if (error != std::errc{} || end != value.data() + value.size() || options.threads < 1 ||
                options.threads > 1024)
                fail("(command line): --threads: " + value + " is no count; write 1 to 1024");
        } else if (options.command.empty()) {
            options.command = word;
        } else if (options.study.empty()) {
            options.study = word;
        } else {
            fail("(command line): " + word +
                 ": is not understood; write nbiot run|check|bench "
                 "STUDY [--out DIR] [--threads N]");
        }
    }
    if (options.command != "run" && options.command != "check" && options.command != "bench")
        fail("(command line): command: is missing or unknown; write nbiot run|check|bench STUDY");
    if (options.study.empty())
        fail("(command line): study: is missing; name a JSON file, for example "
             "sim/nbiot/config/quick/study.json");
    if (options.command == "run" && options.out.empty())
        fail("(command line): --out: is missing; name the directory of the tables");
    return options;
}

void show_progress(std::size_t done, std::size_t all) {
    if (std::getenv("THINWIRE_PROGRESS")) // hil/system/progress.py reads it
        std::fprintf(stderr, "progress %.4f %zu of %zu runs\n",
                     static_cast<double>(done) / static_cast<double>(all), done, all);
    else if (done % 10 == 0 || done == all)
        std::fprintf(stderr, "nbiot: %zu of %zu runs\n", done, all);
}

struct Cost {
    std::size_t runs = 0;
    double events = 0, wall_s = 0, cpu_s = 0;
    void print(const std::string &what, double simulated_s) const {
        std::printf("%s,%.0f,%.3f,%.3f,%.0f,%.0f\n", what.c_str(), events, wall_s, cpu_s,
                    events / cpu_s, simulated_s * static_cast<double>(runs) / cpu_s);
    }
};

// Processor time is the thread's own: it does not count what other programs take of a core.
void print_benchmark(const nbiot::Study &study, const nbiot::StudyResult &result) {
    std::map<double, Cost> by_load;
    Cost all;
    std::printf("variant,stack,payload_bytes,load,seed,events,wall_s,cpu_s,events_per_cpu_s,"
                "simulated_per_cpu\n");
    for (const nbiot::RunRow &row : result.runs) {
        const Cost cost{1, row.measures.back(), row.wall_s, row.cpu_s};
        char what[160];
        std::snprintf(what, sizeof what, "%s,%s,%d,%g,%llu", row.factors.variant.c_str(),
                      row.factors.stack.c_str(), row.factors.payload_bytes, row.factors.load,
                      static_cast<unsigned long long>(row.seed));
        cost.print(what, study.experiment.simulated_s);
        for (Cost *sum : {&by_load[row.factors.load], &all}) {
            ++sum->runs;
            sum->events += cost.events;
            sum->wall_s += cost.wall_s;
            sum->cpu_s += cost.cpu_s;
        }
    }
    for (const auto &[load, cost] : by_load) {
        char what[64];
        std::snprintf(what, sizeof what, "sum,,,%g,%zu runs", load, cost.runs);
        cost.print(what, study.experiment.simulated_s);
    }
    all.print("sum,,,," + std::to_string(all.runs) + " runs", study.experiment.simulated_s);
}

} // namespace

int main(int argc, char **argv) {
    const Options options = parse(argc, argv);
    try {
        const nbiot::Study study = nbiot::read_study(options.study);
        if (options.command == "check")
            return 0;
        if (!options.out.empty())
            nbiot::prepare_directory(options.out); // before the work, not after it
        const nbiot::StudyResult result = nbiot::run_study(study, options.threads, show_progress);
        if (!options.out.empty())
            nbiot::write_tables(study, result, options.out);
        if (options.command == "bench")
            print_benchmark(study, result);
    } catch (const config::Error &error) {
        fail(error.what());
    } catch (const std::exception &error) {
        std::fprintf(stderr, "thinwire: error: %s\n", error.what());
        return 1;
    }
    return 0;
}
