#include "config.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "runner.hpp"

namespace nbiot {
namespace {

std::string study(const std::string &extra, const std::string &experiment = "") {
    return R"({"schema": 1, )" + extra +
           R"("experiment": {"stacks": ["mqtt"], "payload_bytes": [25], "loads": [1])" +
           experiment + "}}";
}

std::string experiment(const std::string &keys) {
    return R"({"schema": 1, "experiment": {)" + keys + "}}";
}

std::string message(const std::string &text) {
    try {
        parse_study(text, "s.json");
    } catch (const ConfigError &error) {
        return error.what();
    }
    return "";
}

TEST(Config, TakesDefaultsFromTheirSources) {
    const Study s = parse_study(study(""), "s.json");
    ASSERT_EQ(s.variants.size(), 1u);
    EXPECT_EQ(s.variants[0].model.scenario.indoor_loss_db, 20);
    EXPECT_EQ(s.variants[0].model.cell.levels[2].control_repetitions, 128);
}

TEST(Config, AppliesVariantsOnTopOfTheStudy) {
    const Study s = parse_study(study(R"("transport": {"initial_window": 2},
                 "variants": [{"name": "a"}, {"name": "b", "set": {"transport": {"mss_bytes": 536}}}],)"),
                                "s.json");
    ASSERT_EQ(s.variants.size(), 2u);
    EXPECT_EQ(s.variants[1].model.transport.initial_window, 2);
    EXPECT_EQ(s.variants[1].model.transport.mss_bytes, 536);
    EXPECT_EQ(s.variants[0].model.transport.mss_bytes, 1220);
}

TEST(Config, NamesFileKeyAndRemedy) {
    EXPECT_EQ(message(study(R"("scenario": {"indoor_los_db": 20},)")),
              "s.json: scenario.indoor_los_db: is not a known key; remove it, or see "
              "config/nbiot.schema.json");
    EXPECT_EQ(message(study(R"("scenario": {"indoor_loss_db": 200},)")),
              "s.json: scenario.indoor_loss_db: 200 is out of range; write a value from 0 to 60");
    EXPECT_EQ(message(study("", R"(, "seeds": 1.5)")),
              "s.json: experiment.seeds: is not a whole number; write one from 1 to 10000");
    EXPECT_NE(message(experiment(R"("stacks": ["mqtt", "quic"])")).find("choose from coap-non"),
              std::string::npos);
    EXPECT_NE(message("{").find("is not JSON here"), std::string::npos);
    EXPECT_NE(message("{}").find("schema: is missing"), std::string::npos);
}

TEST(Config, RefusesWhatIsGivenTwice) {
    const std::string rest = R"(, "stacks": ["mqtt"], "payload_bytes": [25])";
    EXPECT_EQ(message(experiment(R"("loads": [1, 2, 1.0])" + rest)),
              "s.json: experiment.loads: 1.0 is given twice; name it once");
    EXPECT_EQ(message(experiment(R"("loads": [1], "loads": [2])" + rest)),
              "s.json: loads: is given twice in one object; keep one");
}

TEST(Config, RefusesNumbersThatAreNone) {
    const std::string rest = R"(, "stacks": ["mqtt"], "loads": [1])";
    EXPECT_EQ(message(experiment(R"("payload_bytes": [25.5])" + rest)),
              "s.json: experiment.payload_bytes: 25.5 is not a whole number; write one from 1 to "
              "10000");
    EXPECT_EQ(message(experiment(R"("payload_bytes": [1e999])" + rest)),
              "s.json: (number): one is too large to read; write less digits");
}

TEST(Config, NamesAFileThatCannotBeRead) {
    EXPECT_THROW(read_study("/nonexistent/study.json"), ConfigError);
    EXPECT_THROW(read_study("/"), ConfigError);
}

TEST(Tables, RefuseADirectoryThatCannotBeMade) {
    EXPECT_THROW(prepare_directory("/dev/null/tables"), ConfigError);
}

TEST(Config, RefusesWhatCannotBeRun) {
    EXPECT_NE(message(study("", R"(, "simulated_s": 90, "warmup_s": 60)")), "");
    EXPECT_NE(message(study(R"("cell": {"rsrp_thresholds_dbm": [-117, -107]},)")), "");
    EXPECT_NE(message(study(R"("cell": {"levels": []},)")), "");
    EXPECT_NE(message(study(R"("cell": {"preamble_tone": 10},)")), "");
    EXPECT_EQ(message(study(R"("cell": {"si_period_ms": 160, "si_window_ms": 320},)")),
              "s.json: cell.si_window_ms: is longer than si_period_ms; shorten it");
    EXPECT_EQ(message(study(R"("cell": {"si_subframes": 96},)")),
              "s.json: cell.si_subframes: fill more than half of si_window_ms; use fewer");
    EXPECT_NE(message(study(R"("scenario": {"sites": 3},)")), "");
    EXPECT_NE(message(study(R"("variants": [{"name": "a"}, {"name": "a"}],)")), "");
}

TEST(Study, DoesNotDependOnTheNumberOfThreads) {
    const Study s = parse_study(
        study("", R"(, "seeds": 3, "simulated_s": 100, "warmup_s": 10, "give_up_s": 20)"),
        "s.json");
    const StudyResult one = run_study(s, 1, [](std::size_t, std::size_t) {});
    const StudyResult three = run_study(s, 3, [](std::size_t, std::size_t) {});
    ASSERT_EQ(one.runs.size(), 3u);
    for (std::size_t i = 0; i < one.runs.size(); ++i)
        EXPECT_EQ(one.runs[i].measures, three.runs[i].measures);
}

TEST(Estimate, IsStudentsInterval) {
    const Estimate e = estimate({1, 2, 3, 4, 5});
    EXPECT_DOUBLE_EQ(e.mean, 3);
    EXPECT_NEAR(e.half_width, 2.776 * std::sqrt(2.5) / std::sqrt(5.0), 1e-9);
    EXPECT_EQ(estimate({7}).half_width, 0);
}

TEST(Estimate, LeavesOutWhatIsUndefined) {
    EXPECT_DOUBLE_EQ(estimate({2, std::nan(""), 4}).mean, 3);
}

} // namespace
} // namespace nbiot
