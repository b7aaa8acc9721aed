#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

#include "air_capture.hpp"
#include "bench_cell.hpp"
#include "ports/radio_control.hpp"

namespace {

using namespace std::chrono_literals;
using namespace air;
using air_test::BenchCell;
using air_test::Heard;
using ports::RadioControl;

std::string cell_with(const std::string &cell, const std::string &station) {
    return R"({"seed":1,"cell":{"channel":6)" + cell + R"(},"stations":[)" +
           air_test::station(1, station) + "]}";
}

const std::string kWpa2 = R"(,"security":"wpa2-psk")";

std::vector<FrameKind> kinds(const BenchCell &bench) {
    std::vector<FrameKind> out;
    for (const Heard &h : bench.heard)
        if (h.control == AirRecord::Control::none && h.kind != FrameKind::beacon)
            out.push_back(h.kind);
    return out;
}

const JoinTimes &first_join(const BenchCell &bench) {
    return bench.cell.stations()[0]->joins().at(0);
}

TEST(Join, AnActiveScanVisitsAllChannelsAndAsksOnEach) {
    BenchCell bench(cell_with("", R"(,"join":{})"));
    bench.run_until(3s);
    EXPECT_EQ(first_join(bench).scanned, 13 * 120ms);
    EXPECT_EQ(kinds(bench),
              (std::vector{FrameKind::probe_request, FrameKind::probe_response,
                           FrameKind::authentication, FrameKind::authentication,
                           FrameKind::association_request, FrameKind::association_response}));
    // On the cell's channel, the sixth.
    const auto probe = std::ranges::find(bench.heard, FrameKind::probe_request, &Heard::kind);
    EXPECT_GE(probe->start, 5 * 120ms);
    EXPECT_LT(probe->start, 5 * 120ms + 5ms);
}

TEST(Join, APassiveScanSendsNothing) {
    BenchCell bench(cell_with("", R"(,"join":{"scan":"passive"})"));
    bench.run_until(6s);
    EXPECT_EQ(first_join(bench).scanned, 13 * 360ms);
    EXPECT_EQ(kinds(bench).front(), FrameKind::authentication);
}

TEST(Join, ACachedChannelIsTheOnlyOne) {
    BenchCell bench(cell_with("", R"(,"join":{"scan":"cached"})"));
    bench.run_until(1s);
    EXPECT_EQ(first_join(bench).scanned, 120ms);
    EXPECT_LT(first_join(bench).joined, 125ms);
}

// Its beacons come each second: five of six times the dwell has none.
TEST(Join, APassiveScanThatHearsNoBeaconBeginsAnew) {
    BenchCell bench(
        cell_with(R"(,"beacon_interval_tu":3000)", R"(,"join":{"scan":"passive","channels":6})"));
    bench.run_until(60s);
    EXPECT_GT(first_join(bench).scanned, 6 * 360ms);
}

TEST(Join, Wpa2AddsFourFramesAndSixteenBytes) {
    for (const std::string &security : {std::string(), kWpa2}) {
        BenchCell bench(cell_with(security, R"(,"join":{"scan":"cached"})"));
        bench.run_until(1s);
        EXPECT_EQ(std::ranges::count(kinds(bench), FrameKind::eapol), security.empty() ? 0 : 4);
        EXPECT_EQ(first_join(bench).joined > first_join(bench).associated, !security.empty());
        bench.from_station(1, 100);
        bench.from_wired(1, 100);
        bench.run_until(2s);
        EXPECT_EQ(bench.delivered.size(), 2u);
        Frame data;
        data.payload_bytes = 100;
        data.encrypted = !security.empty();
        EXPECT_EQ(Burst::mpdu_bytes(data, false), security.empty() ? 136u : 152u);
    }
}

TEST(Join, AWrongPassphraseNeverJoins) {
    BenchCell bench(cell_with(kWpa2, R"(,"join":{"scan":"cached","passphrase":"otherwire"})"));
    bench.run_until(10s);
    EXPECT_TRUE(bench.cell.stations()[0]->joins().empty());
    EXPECT_GT(std::ranges::count(kinds(bench), FrameKind::deauthentication), 1);
    bench.from_station(1, 100);
    bench.from_wired(1, 100);
    bench.run_until(12s);
    EXPECT_TRUE(bench.delivered.empty());
}

TEST(Join, AHandshakeSurvivesLosses) {
    for (int seed = 1; seed <= 20; ++seed) {
        CellConfig config = read_config(
            cell_with(kWpa2, R"(,"join":{"scan":"cached"},"frame_error_rate":0.6)"), "test");
        config.seed = static_cast<std::uint64_t>(seed);
        BenchCell bench(config);
        bench.run_until(30s);
        EXPECT_FALSE(bench.cell.stations()[0]->joins().empty()) << "seed " << seed;
    }
}

TEST(Join, AfterAnAbsenceTheStationJoinsAnew) {
    BenchCell bench(cell_with(
        kWpa2, R"(,"join":{"scan":"cached"},"absences":[{"from_ms":1000,"to_ms":2000}])"));
    bench.run_until(3s);
    const auto &joins = bench.cell.stations()[0]->joins();
    ASSERT_EQ(joins.size(), 2u);
    EXPECT_EQ(joins[1].began, 2s);
}

// ---- a host that turns the radio on and off ----

struct Hosted : BenchCell {
    explicit Hosted(const std::string &more = "")
        : BenchCell(cell_with(kWpa2, R"(,"join":{"scan":"cached","begins":"port"})" + more)) {}
    void say(RadioControl word) { cell.from_station_port(1, ports::radio_control_frame(word)); }
    [[nodiscard]] long joined() const {
        return std::ranges::count_if(delivered, [](const auto &frame) {
            return ports::radio_control(frame.bytes) == RadioControl::joined;
        });
    }
};

TEST(Join, TheHostDecidesAndHearsOfIt) {
    Hosted bench;
    bench.run_until(1s);
    EXPECT_TRUE(kinds(bench).empty());
    bench.say(RadioControl::on);
    // A driver of the cell must wake up for each step meanwhile.
    bench.run_until(1s + 50ms);
    EXPECT_LT(bench.cell.next_moment(), 2s);
    bench.run_until(2s);
    EXPECT_EQ(bench.joined(), 1);
    EXPECT_EQ(bench.delivered.at(0).at, first_join(bench).joined);
    EXPECT_EQ(first_join(bench).began, 1s);
}

TEST(Join, ARadioThatIsTurnedOffSaysGoodbye) {
    Hosted bench;
    bench.say(RadioControl::on);
    bench.run_until(1s);
    bench.say(RadioControl::off);
    bench.from_station(1, 100);
    bench.run_until(2s);
    EXPECT_EQ(kinds(bench).back(), FrameKind::deauthentication);
    bench.from_wired(1, 100);
    bench.run_until(3s);
    EXPECT_EQ(bench.delivered.size(), 1u); // that it had joined
    bench.say(RadioControl::on);
    bench.run_until(4s);
    EXPECT_EQ(bench.joined(), 2);
}

TEST(Join, ARadioWithoutPowerIsNotAwake) {
    Hosted bench(R"(,"modem_sleep":{"idle_ms":100})");
    bench.run_until(1s);
    bench.say(RadioControl::on);
    bench.run_until(2s); // it joins in 0.13 s, and dozes 0.1 s later
    const Time dozing = bench.cell.stations()[0]->awake_time();
    bench.say(RadioControl::off);
    bench.say(RadioControl::off);
    bench.run_until(5s);
    EXPECT_EQ(bench.cell.stations()[0]->off_time(), 4s);
    EXPECT_EQ(bench.cell.stations()[0]->awake_time(), dozing);
    EXPECT_GT(dozing, 230ms);
    EXPECT_LT(dozing, 300ms);
}

// A crash says nothing; frames of the time before do not reach the program after it.
TEST(Join, ARadioThatIsTurnedOnTwiceJoinsTwice) {
    Hosted bench;
    bench.say(RadioControl::on);
    bench.run_until(1s);
    bench.from_wired(1, 1000);
    bench.say(RadioControl::on);
    bench.run_until(2s);
    EXPECT_EQ(bench.joined(), 2);
    EXPECT_EQ(bench.delivered.size(), 2u);
}

TEST(Join, NoReturnFromAnAbsenceWithTheRadioOff) {
    Hosted bench(R"(,"absences":[{"from_ms":1000,"to_ms":2000}])");
    bench.say(RadioControl::on);
    bench.run_until(1500ms);
    bench.say(RadioControl::off);
    bench.run_until(4s);
    EXPECT_EQ(bench.joined(), 1);
    bench.say(RadioControl::on);
    bench.run_until(5s);
    EXPECT_EQ(bench.joined(), 2);
}

// ---- what Wireshark makes of it ----

class JoinCapture : public testing::Test {
protected:
    std::string path_ = testing::TempDir() + "join-" + std::to_string(getpid()) + ".pcapng";
    void TearDown() override { std::remove(path_.c_str()); }
    void run(const std::string &standard) const {
        const CellConfig config =
            read_config(R"({"seed":1,"capture":{"path":")" + path_ + R"("},"cell":{"standard":")" +
                            standard + R"(","security":"wpa2-psk"},"stations":[)" +
                            air_test::station(1, R"(,"join":{"scan":"cached"})") + "," +
                            air_test::station(2, R"(,"join":{"scan":"cached"})") + "]}",
                        "test");
        des::EventQueue queue;
        Cell cell(queue, config, {});
        AirCapture capture(config, cell);
        cell.set_log(&capture);
        cell.start();
        queue.run_until(1s);
        const auto server = BenchCell::kServer;
        const MacAddress all{0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
        for (int i = 0; i < 3; ++i) {
            cell.from_station_port(1, BenchCell::ethernet(server, BenchCell::mac(1), 101));
            cell.from_wired_port(BenchCell::ethernet(BenchCell::mac(2), server, 102));
        }
        cell.from_wired_port(BenchCell::ethernet(all, server, 103));
        queue.run_until(2s);
        capture.flush();
    }
    std::string tshark(const std::string &passphrase, const std::string &filter) const {
        const std::string command =
            "tshark -r '" + path_ +
            "' -o wlan.enable_decryption:TRUE -o 'uat:80211_keys:\"wpa-pwd\",\"" + passphrase +
            ":thinwire\"' -Y '" + filter + "' -T fields -e eth.type -e llc.type 2>/dev/null";
        std::string output;
        if (FILE *pipe = popen(command.c_str(), "r")) {
            char buffer[4096];
            while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, pipe))
                output.append(buffer, n);
            pclose(pipe);
        }
        return output;
    }
    static long lines(const std::string &text) { return std::ranges::count(text, '\n'); }
};

// Unicast in both directions and group frames, with and without QoS headers and A-MPDUs.
TEST_F(JoinCapture, WiresharkDecryptsWithThePassphrase) {
    if (std::system("tshark --version >/dev/null 2>&1") != 0)
        GTEST_SKIP() << "tshark is not installed";
    for (const std::string standard : {"g", "n"}) {
        run(standard);
        const long encrypted = lines(tshark("thinwire", "wlan.fc.protected == 1"));
        EXPECT_GE(encrypted, 7) << standard; // and those that are repeated
        EXPECT_EQ(lines(tshark("thinwire", "wlan.fc.protected == 1 && llc.type == 0x88b5")),
                  encrypted)
            << standard;
        EXPECT_EQ(tshark("otherwire", "wlan.fc.protected == 1 && llc.type == 0x88b5"), "");
        EXPECT_EQ(tshark("thinwire", "_ws.malformed || _ws.expert.severity >= 6291456"), "");
        EXPECT_EQ(lines(tshark("thinwire", "wlan_rsna_eapol.keydes.msgnr")), 8);
    }
}

} // namespace
