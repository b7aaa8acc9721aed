// nbiot run STUDY --out DIR [--threads N]     runs a study, writes its tables
// nbiot check STUDY                           reads and checks it
// nbiot bench STUDY [--threads N]             wall time and events of every run, as CSV
#include <charconv>
#include <cstdio>
#include <cstring>
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
             "sim/nbiot/config/quick.json");
    if (options.command == "run" && options.out.empty())
        fail("(command line): --out: is missing; name the directory of the tables");
    return options;
}

void show_progress(std::size_t done, std::size_t all) {
    if (done % 10 == 0 || done == all)
        std::fprintf(stderr, "nbiot: %zu of %zu runs\n", done, all);
}

} // namespace

int main(int argc, char **argv) {
    const Options options = parse(argc, argv);
    try {
        const nbiot::Study study = nbiot::read_study(options.study);
        if (options.command == "check")
            return 0;
        const bool bench = options.command == "bench";
        const nbiot::StudyResult result =
            nbiot::run_study(study, options.threads, [bench](std::size_t done, std::size_t all) {
                bench ? void() : show_progress(done, all);
            });
        if (!bench) {
            nbiot::write_tables(study, result, options.out);
            return 0;
        }
        std::printf("variant,stack,payload_bytes,load,seed,events,wall_s,events_per_s,"
                    "simulated_per_wall\n");
        for (const nbiot::RunRow &row : result.runs) {
            const double events = row.measures.back();
            std::printf("%s,%s,%d,%g,%llu,%.0f,%.3f,%.0f,%.0f\n", row.factors.variant.c_str(),
                        row.factors.stack.c_str(), row.factors.payload_bytes, row.factors.load,
                        static_cast<unsigned long long>(row.seed), events, row.wall_s,
                        events / row.wall_s, study.experiment.simulated_s / row.wall_s);
        }
    } catch (const nbiot::ConfigError &error) {
        fail(error.what());
    } catch (const std::exception &error) {
        std::fprintf(stderr, "thinwire: error: %s\n", error.what());
        return 1;
    }
    return 0;
}
