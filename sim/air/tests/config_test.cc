#include "config_reader.hpp"

#include <gtest/gtest.h>

#include "schema_walk.hpp"

namespace {

using namespace air;

std::string error_of(const std::string &json, const std::string &file = "c.json") {
    try {
        read_config(json, file);
    } catch (const config::Error &error) {
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
        BadConfig{R"({"cell":{"basic_rates_mbps":[3]}})", "cell.basic_rates_mbps[0]", "1, 2, 5.5"},
        BadConfig{R"({"stations":{}})", "stations", "[...]"},
        BadConfig{R"({"stations":[{}]})", "stations[0].port", "one of the two"},
        BadConfig{R"({"stations":[{"port":{}}]})", "stations[0].port", "1 to 1 of \"tap\""},
        BadConfig{R"({"stations":[{"port":{"tap":"averyveryverylongname"}}]})",
                  "stations[0].port.tap", "15 characters"},
        BadConfig{R"({"stations":[{"port":{"unix":{"bind":"a"}}}]})", "stations[0].port.unix.peer",
                  "give"},
        BadConfig{R"({"stations":[{"port":{"tap":"a"},"arrival_delay_ms":[2,1]}]})",
                  "stations[0].arrival_delay_ms", "in order"},
        BadConfig{R"({"stations":[{"port":{"tap":"a"},"rate_mbps":65}]})", "stations[0].rate_mbps",
                  "choose one of 1 2 5.5 6"},
        BadConfig{R"({"stations":[{"port":{"tap":"a"},"standard":"n"}]})", "stations[0].standard",
                  "newest"},
        BadConfig{R"({"stations":[{"port":{"tap":"a"},"snr_db":3,"frame_error_rate":0}]})",
                  "stations[0].snr_db", "only one"},
        BadConfig{R"({"stations":[{"port":{"tap":"a"},"frame_error_rate":1.5}]})",
                  "stations[0].frame_error_rate", "from 0 to 1"},
        BadConfig{R"({"stations":[{"port":{"tap":"a"},"mac":"01:02:03:04:05:06"}]})",
                  "stations[0].mac", "first one even"},
        BadConfig{R"({"stations":[{"port":{"tap":"a"},"join":{}}]})", "stations[0].mac",
                  "its address"},
        BadConfig{R"({"cell":{"channel":9},"stations":[{"port":{"tap":"a"},
                     "mac":"02:00:00:00:00:01","join":{"channels":8}}]})",
                  "stations[0].join", "to 9 or more"},
        BadConfig{R"({"stations":[{"request":{},"mac":"02:00:00:00:00:01",
                     "join":{"begins":"port"}}]})",
                  "stations[0].join", "to start"},
        BadConfig{R"({"stations":[{"port":{"tap":"a"}},{"port":{"tap":"a"}}]})", "stations",
                  "its own"},
        BadConfig{R"({"stations":[{"port":{"tap":"a"},"mac":"02:00:00:00:00:01"},
                     {"port":{"tap":"b"},"mac":"02:00:00:00:00:01"}]})",
                  "stations", "its own"},
        BadConfig{
            R"({"cell":{"beacons":false},"stations":[{"port":{"tap":"a"},"modem_sleep":{}}]})",
            "stations[0].modem_sleep", "cell.beacons"},
        BadConfig{R"({"stations":[{"port":{"tap":"a"},
                     "modem_sleep":{"fetch":"ps_poll","idle_wake_share":0.1}}]})",
                  "stations[0].modem_sleep", "set fetch to null_frame"},
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

// Dependencies between keys, as the schema's descriptions state them.
void settle(nlohmann::json &document, nlohmann::json &parent, const std::string &key) {
    const auto drop = [&](const char *other) { parent.erase(other); };
    if (key == "tap")
        drop("unix");
    else if (key == "unix")
        drop("tap");
    else if (key == "port" || key == "request")
        drop(key == "port" ? "request" : "port");
    else if (key == "from_ms")
        parent["to_ms"] = 1e9;
    else if (key == "to_ms")
        parent["from_ms"] = 0;
    else if (key == "processing_min_ms" || key == "response_min_ms")
        parent[key.substr(0, key.find('_')) + "_max_ms"] = 1e6;
    else if (key == "rate_mbps" && parent[key].is_number())
        parent["standard"] = find_rate(Standard::n, parent[key].get<double>()) ? "n" : "g";
    else if (key == "profile")
        drop("absences");
    else if (key == "stations" && &parent != &document)
        document.erase("stations");
    else if (key == "beacons" && parent.contains("channel"))
        for (const char *list : {"/stations/0", "/background/0"})
            if (const nlohmann::json::json_pointer station(list); document.contains(station))
                document[station].erase("modem_sleep");
}

TEST(Schema, PromisesWhatTheReaderAccepts) {
    const std::string radio =
        R"("modem_sleep": {"idle_ms": 9}, "absences": [{"from_ms": 1, "to_ms": 2}])";
    const std::string rest =
        R"("cell": {"standard": "n", "channel": 1}, "clock": {}, "capture": {"path": "p"}, "stations": [{)" +
        radio;
    const std::string background =
        R"("background": [{"profile": "bulk", "load_mbps": 1, )" + radio + "}]";
    const auto documents = {
        "{" + rest + R"(, "mac": "02:00:00:00:00:01", "port": {"tap": "t1"}}],
            "wired": {"unix": {"bind": "/b", "peer": "/p"}}, )" +
            background + "}",
        "{" + rest +
            R"(, "port": {"unix": {"bind": "/c", "peer": "/q"}}}], "wired": {"tap": "t0"}})",
        "{" + rest + R"(, "request": {"pause_ms": 1}}]})",
        "{" + rest +
            R"(, "mac": "02:00:00:00:00:01", "port": {"tap": "t1"}, "join": {"channels": 13}}]})"};
    config_test::Walk walk{
        schema(), [](const std::string &text) { return error_of(text, "d.json"); }, {}, settle};
    for (const std::string &document : documents)
        walk.documents.push_back(nlohmann::json::parse(document));
    EXPECT_GT(config_test::walk_schema(walk), 1000);
}

} // namespace
