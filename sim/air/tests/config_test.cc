#include "config_reader.hpp"

#include <fstream>
#include <functional>
#include <gtest/gtest.h>

namespace {

using namespace air;

std::string error_of(const std::string &json) {
    try {
        read_config(json, "c.json");
    } catch (const ConfigError &error) {
        return error.what();
    }
    return "";
}

struct BadConfig {
    const char *json;
    const char *key;    // that the message must name
    const char *remedy; // a part of it
};

void PrintTo(const BadConfig &config, std::ostream *out) {
    *out << config.key;
}

class BadConfigs : public testing::TestWithParam<BadConfig> {};

TEST_P(BadConfigs, AreRefusedWithKeyAndRemedy) {
    const std::string error = error_of(GetParam().json);
    EXPECT_EQ(error.rfind("c.json: " + std::string(GetParam().key) + ": ", 0), 0u) << error;
    EXPECT_NE(error.find(GetParam().remedy), std::string::npos) << error;
}

INSTANTIATE_TEST_SUITE_P(
    Config, BadConfigs,
    testing::Values(
        BadConfig{"{", "byte 2", "correct the syntax"}, BadConfig{"[]", "(top)", "{...}"},
        BadConfig{R"({"sed":1})", "sed", "spelling"},
        BadConfig{R"({"seed":-1})", "seed", "whole number"},
        BadConfig{R"({"cell":{"standard":"ac"}})", "cell.standard", R"("b", "g", "n")"},
        BadConfig{R"({"cell":{"dtim_period":0}})", "cell.dtim_period", "from 1 to 255"},
        BadConfig{R"({"cell":{"beacon_interval_tu":1.5}})", "cell.beacon_interval_tu",
                  "whole number"},
        BadConfig{R"({"cell":{"basic_rates_mbps":[3]}})", "cell.basic_rates_mbps", "[1, 2]"},
        BadConfig{R"({"stations":{}})", "stations", "[...]"},
        BadConfig{R"({"stations":[{}]})", "stations[0].port", "one of the two"},
        BadConfig{R"({"stations":[{"port":{}}]})", "stations[0].port.tap", "one of \"tap\""},
        BadConfig{R"({"stations":[{"port":{"tap":"averyveryverylongname"}}]})",
                  "stations[0].port.tap", "15 characters"},
        BadConfig{R"({"stations":[{"port":{"unix":{"bind":"a"}}}]})", "stations[0].port.unix.peer",
                  "give"},
        BadConfig{R"({"stations":[{"port":{"tap":"a"},"rate_mbps":7}]})", "stations[0].rate_mbps",
                  "choose one of 1 2 5.5 6"},
        BadConfig{R"({"stations":[{"port":{"tap":"a"},"standard":"n"}]})", "stations[0].standard",
                  "newest"},
        BadConfig{R"({"stations":[{"port":{"tap":"a"},"snr_db":3,"frame_error_rate":0}]})",
                  "stations[0].snr_db", "only one"},
        BadConfig{R"({"stations":[{"port":{"tap":"a"},"frame_error_rate":1.5}]})",
                  "stations[0].frame_error_rate", "from 0 to 1"},
        BadConfig{R"({"stations":[{"port":{"tap":"a"},"mac":"01:02:03:04:05:06"}]})",
                  "stations[0].mac", "first one even"},
        BadConfig{R"({"stations":[{"port":{"tap":"a"}},{"port":{"tap":"a"}}]})", "stations",
                  "its own"},
        BadConfig{R"({"stations":[{"port":{"tap":"a"},"mac":"02:00:00:00:00:01"},
                     {"port":{"tap":"b"},"mac":"02:00:00:00:00:01"}]})",
                  "stations", "its own"},
        BadConfig{
            R"({"cell":{"beacons":false},"stations":[{"port":{"tap":"a"},"modem_sleep":{}}]})",
            "stations[0].modem_sleep", "cell.beacons"},
        BadConfig{R"({"stations":[{"port":{"tap":"a"},"absences":[{"from_ms":5,"to_ms":5}]}]})",
                  "stations[0].absences[0].from_ms", "end later"},
        BadConfig{R"({"background":[{"profile":"web"}]})", "background[0].load_mbps",
                  "give a number"},
        BadConfig{R"({"background":[{"profile":"bulk","stations":0}]})", "background[0].stations",
                  "from 1"},
        BadConfig{
            R"({"background":[{"profile":"bulk","stations":900},{"profile":"bulk","stations":900}]})",
            "stations", "1000"},
        BadConfig{R"({"capture":{}})", "capture.path", "give"},
        BadConfig{R"({"duration_s":"long"})", "duration_s", "number"}));

TEST(Config, DefaultsAreThoseOfTheSchema) {
    const CellConfig config =
        read_config(R"({"stations":[{"port":{"tap":"a"},"modem_sleep":{}}]})", "c");
    EXPECT_EQ(config.parameters.retry_limit, 7u);
    EXPECT_EQ(config.access_point.beacon.interval_tu, 100);
    EXPECT_EQ(config.access_point.beacon.dtim_period, 1u);
    const StationSettings &station = config.stations.at(0).settings;
    EXPECT_EQ(station.standard, Standard::g);
    EXPECT_EQ(rate(station.top_rate).mbps(), 54);
    EXPECT_TRUE(station.sleep.enabled);
    EXPECT_EQ(station.sleep.idle, std::chrono::milliseconds(100));
    EXPECT_FALSE(station.rate_fallback);
}

TEST(Config, TheLoadOfAGroupIsSharedAndDirectionsTakeTurns) {
    const CellConfig config = read_config(
        R"({"background":[{"profile":"bulk","stations":4,"direction":"both","load_mbps":10}]})",
        "c");
    ASSERT_EQ(config.stations.size(), 4u);
    EXPECT_EQ(config.stations[0].load_bps, 2.5e6);
    EXPECT_EQ(config.stations[0].direction, Direction::down);
    EXPECT_EQ(config.stations[1].direction, Direction::up);
}

TEST(Config, SnrBringsFallback) {
    const CellConfig config =
        read_config(R"({"stations":[{"port":{"tap":"a"},"snr_db":20}]})", "c");
    EXPECT_TRUE(config.stations.at(0).settings.rate_fallback);
}

// Is every key of the schema known to the program? A null is wrong everywhere, and the message
// names its key.
TEST(Schema, EveryKeyIsRead) {
    std::ifstream stream("air.schema.json");
    const nlohmann::json schema = nlohmann::json::parse(stream);
    int keys = 0;
    const auto check = [&](const nlohmann::json &object, const std::string &path,
                           const std::function<nlohmann::json(const std::string &)> &document) {
        for (const auto &property : object.at("properties").items()) {
            const std::string error = error_of(document(property.key()).dump());
            EXPECT_EQ(error.rfind("c.json: " + path + property.key(), 0), 0u) << error;
            EXPECT_EQ(error.find("not a known key"), std::string::npos) << error;
            ++keys;
        }
    };
    const nlohmann::json null;
    check(schema, "", [&](auto &key) { return nlohmann::json{{key, null}}; });
    for (const char *part : {"cell", "capture", "clock"})
        check(schema.at("properties").at(part), std::string(part) + ".", [&](auto &key) {
            nlohmann::json object{{key, null}};
            if (part == std::string("capture") && key != "path")
                object["path"] = "x";
            return nlohmann::json{{part, object}};
        });
    const nlohmann::json &definitions = schema.at("$defs");
    check(definitions.at("station"), "stations[0].",
          [&](auto &key) { return nlohmann::json{{"stations", {{{key, null}}}}}; });
    check(definitions.at("modem_sleep"), "stations[0].modem_sleep.", [&](auto &key) {
        return nlohmann::json{{"stations", {{{"modem_sleep", {{key, null}}}}}}};
    });
    check(definitions.at("station").at("properties").at("request"), "stations[0].request.",
          [&](auto &key) { return nlohmann::json{{"stations", {{{"request", {{key, null}}}}}}}; });
    check(definitions.at("background"), "background[0].", [&](auto &key) {
        nlohmann::json object{{key, null}};
        if (key != "profile")
            object["profile"] = "bulk";
        return nlohmann::json{{"background", {object}}};
    });
    EXPECT_GT(keys, 60);
}

} // namespace
