#include "config.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "damage.hpp"
#include "runner.hpp"
#include "schema_walk.hpp"
#include "stack.hpp"

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

std::string message(const std::string &text, const std::string &file = "s.json") {
    try {
        parse_study(text, file);
    } catch (const config::Error &error) {
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
    EXPECT_EQ(message(study(R"("scenario": {"indoor_loss_db": 200},)")),
              "s.json: scenario.indoor_loss_db: 200 is out of range; give a number from 0 to 60");
    EXPECT_NE(
        message(experiment(R"("stacks": ["mqtt", "quic"], "payload_bytes": [1], "loads": [1])"))
            .find("choose one of \"coap-non\""),
        std::string::npos);
    EXPECT_NE(message("{}").find("is missing"), std::string::npos);
    EXPECT_EQ(message(study(R"("variants": [{"name": "a"}, {"name": "b", "set": {"cell":
                  {"si_subframes": 96}}}],)")),
              "s.json: variants[1].set.cell.si_subframes: fill more than half of si_window_ms; use "
              "fewer");
}

// Dependencies between keys, as the schema's descriptions state them.
void settle(config::Json &document, config::Json &parent, const std::string &key) {
    if (key == "simulated_s") {
        parent.merge_patch({{"warmup_s", 0}, {"served_within_s", 1}, {"give_up_s", 1}});
    } else if (key == "warmup_s" || key == "give_up_s" || key == "served_within_s") {
        parent["simulated_s"] = 1e6;
        if (key != "served_within_s")
            parent["served_within_s"] = 0.1;
        if (key != "give_up_s")
            parent["give_up_s"] = 3600;
    } else if (key == "rsrp_thresholds_dbm" && parent[key].is_array() && parent[key][0] == -156) {
        parent[key] = {-44, -156};
    } else if (key == "si_period_ms") {
        parent.merge_patch({{"si_window_ms", 40}, {"si_subframes", 0}});
    } else if (key == "si_window_ms" || key == "si_subframes") {
        parent["si_period_ms"] = 2560;
        parent[key == "si_window_ms" ? "si_subframes" : "si_window_ms"] =
            key == "si_window_ms" ? 0 : 1600;
    } else if (key == "preambles") {
        document["cell"]["preamble_tone"] = 0;
        document["variants"][0]["set"]["cell"]["preamble_tone"] = 0;
    }
}

TEST(Schema, PromisesWhatTheReaderAccepts) {
    const std::string cell = R"("cell": {"levels": [{}, {}, {}], "uplink_tones": [12],
                                         "rsrp_thresholds_dbm": [-50, -156]})";
    const std::string model = R"("scenario": {}, "rrc": {}, "transport": {}, )" + cell;
    const config_test::Walk walk{
        schema(),
        [](const std::string &text) { return message(text, "d.json"); },
        {config::Json::parse(
            study(model + R"(, "variants": [{"name": "a", "set": {)" + model + "}}],"))},
        settle};
    EXPECT_GT(config_test::walk_schema(walk), 1000);
}

TEST(Schema, NamesTheStacks) {
    const config::Json &experiment = schema().root().at("$defs").at("experiment");
    EXPECT_EQ(experiment.at("properties").at("stacks").at("items").at("enum"), stack_names());
}

// Ten thousand damaged studies: refused or read, never a crash.
TEST(RandomInput, DamagedStudies) {
    const std::string seed = study(
        R"("cell": {"uplink_tones": [1, 3], "rsrp_thresholds_dbm": [-100, -120], "si_window_ms": 160},
           "variants": [{"name": "a", "set": {"rrc": {"procedure": "setup"}, "scenario": {"sites": 1}}}],)",
        R"(, "simulated_s": 90, "warmup_s": 5e0, "seeds": 2)");
    des::RandomStream random(1, "random-study");
    int refused = 0;
    for (int i = 0; i < 10000; ++i)
        refused += message(config_test::damaged(seed, random)).empty() ? 0 : 1;
    EXPECT_GT(refused, 5000);
    EXPECT_LT(refused, 10000);
}

TEST(Tables, RefuseADirectoryThatCannotBeMade) {
    EXPECT_THROW(prepare_directory("/dev/null/tables"), config::Error);
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
