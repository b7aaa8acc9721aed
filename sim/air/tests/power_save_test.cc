#include <gtest/gtest.h>

#include "bench_cell.hpp"

namespace {

using namespace std::chrono_literals;
using namespace air;
using air_test::BenchCell;
using air_test::Heard;
using air_test::station;

constexpr Time kBeacon = 102400us;

std::string cell_of(const std::string &cell, const std::string &stations) {
    return R"({"cell":{)" + cell + R"(},"stations":[)" + stations + "]}";
}

const std::string kSleeper = station(1, R"(,"modem_sleep":{"idle_ms":50})");

// A frame for a sleeping station waits for the next beacon, and no longer.
TEST(PowerSave, AFrameWaitsForTheBeacon) {
    BenchCell bench(cell_of("", kSleeper));
    bench.run_until(5 * kBeacon + 30ms);
    ASSERT_FALSE(bench.cell.stations()[0]->listening());
    bench.from_wired(1, 100);
    bench.run_until(6 * kBeacon);
    EXPECT_TRUE(bench.delivered.empty());
    bench.run_until(6 * kBeacon + 4ms);
    ASSERT_EQ(bench.delivered.size(), 1u);
    EXPECT_EQ(bench.delivered[0].to, 1);
    EXPECT_EQ(bench.cell.access_point().kept_frames(1), 1u);
}

const std::string kSlow = station(1, R"(,"modem_sleep":{"idle_ms":50,"fetch_delay_ms":12})");

// The station fetches a buffered frame this long after the beacon, with its radio on.
TEST(PowerSave, AStationCanTakeItsTimeToAsk) {
    BenchCell bench(cell_of("", kSlow));
    bench.run_until(5 * kBeacon + 30ms);
    bench.from_wired(1, 100);
    bench.run_until(6 * kBeacon + 5ms);
    EXPECT_LT(bench.cell.next_moment(), 6 * kBeacon + 13ms); // the outside runs the cell then
    bench.run_until(6 * kBeacon + 11ms);
    EXPECT_TRUE(bench.cell.stations()[0]->listening());
    EXPECT_TRUE(bench.delivered.empty());
    bench.run_until(6 * kBeacon + 16ms);
    EXPECT_EQ(bench.delivered.size(), 1u);
}

// A station that sends meanwhile is awake: the access point sends at once, and there is no later
// poll.
TEST(PowerSave, WhoSpeaksNeedNotAsk) {
    BenchCell bench(cell_of("", kSlow));
    bench.run_until(5 * kBeacon + 30ms);
    bench.from_wired(1, 100);
    bench.run_until(6 * kBeacon + 5ms);
    bench.from_station(1, 100);
    bench.run_until(6 * kBeacon + 10ms);
    EXPECT_EQ(bench.delivered.size(), 2u);
    bench.run_until(6 * kBeacon + 30ms);
    EXPECT_EQ(bench.count([](const Heard &h) {
        return h.kind == FrameKind::null && !h.power_management &&
               h.control == AirRecord::Control::none;
    }),
              0u);
}

// At some beacons that do not name it, a station wakes as if they did: frames that have arrived
// since the beacon are sent to it, and it sleeps again soon. Here at each beacon.
TEST(PowerSave, AStationCanWakeForNothing) {
    BenchCell bench(cell_of("", station(1, R"(,"modem_sleep":{"idle_ms":50,"fetch_delay_ms":12,)"
                                           R"("idle_wake_share":1,"idle_wake_ms":8})")));
    bench.run_until(5 * kBeacon + 5ms);
    bench.from_wired(1, 100);
    EXPECT_LT(bench.cell.next_moment(), 5 * kBeacon + 14ms);
    bench.run_until(5 * kBeacon + 16ms);
    EXPECT_EQ(bench.delivered.size(), 1u);
    bench.run_until(5 * kBeacon + 60ms); // traffic keeps it awake as ever
    EXPECT_TRUE(bench.cell.stations()[0]->listening());
    bench.run_until(7 * kBeacon + 19ms);
    EXPECT_TRUE(bench.cell.stations()[0]->listening());
    bench.run_until(7 * kBeacon + 25ms); // none came
    EXPECT_FALSE(bench.cell.stations()[0]->listening());
    bench.from_wired(1, 100);
    bench.run_until(8 * kBeacon);
    EXPECT_EQ(bench.delivered.size(), 1u);
}

// The choice of beacons is random, from the cell's seed.
TEST(PowerSave, AStationWakesForNothingAtAShareOfTheBeacons) {
    const auto wakes = [](const std::string &seed) {
        BenchCell bench(R"({"seed":)" + seed + R"(,"stations":[)" +
                        station(1, R"(,"modem_sleep":{"idle_ms":50,"idle_wake_share":0.25})") +
                        "]}");
        std::vector<Time> at;
        bench.run_until(400 * kBeacon);
        for (const Heard &h : bench.heard)
            if (h.kind == FrameKind::null && !h.power_management &&
                h.control == AirRecord::Control::none)
                at.push_back(h.start);
        return at;
    };
    const auto first = wakes("1");
    EXPECT_GT(first.size(), 70u); // 100 expected; three standard deviations are 26
    EXPECT_LT(first.size(), 130u);
    EXPECT_EQ(first, wakes("1"));
    EXPECT_NE(first, wakes("2"));
}

TEST(PowerSave, WithoutSleepAFrameIsThereAtOnce) {
    BenchCell bench(cell_of("", station(1)));
    bench.run_until(5 * kBeacon + 30ms);
    bench.from_wired(1, 100);
    bench.run_until(5 * kBeacon + 31ms);
    EXPECT_EQ(bench.delivered.size(), 1u);
}

// The station announces sleep and return by null frames with the power management bit.
TEST(PowerSave, NullFramesAnnounceSleepAndWaking) {
    BenchCell bench(cell_of("", kSleeper));
    bench.run_until(2 * kBeacon + 30ms);
    EXPECT_EQ(bench.count([](const Heard &h) {
        return h.kind == FrameKind::null && h.power_management &&
               h.control == AirRecord::Control::none;
    }),
              1u);
    bench.from_wired(1, 100);
    bench.run_until(3 * kBeacon + 10ms);
    EXPECT_EQ(bench.count([](const Heard &h) {
        return h.kind == FrameKind::null && !h.power_management &&
               h.control == AirRecord::Control::none;
    }),
              1u);
}

// Inside the awake window after traffic, a frame is delivered at once; later it is buffered again.
TEST(PowerSave, TheAwakeWindowFollowsTraffic) {
    BenchCell bench(cell_of("", kSleeper));
    bench.run_until(4 * kBeacon + 10ms);
    bench.from_station(1, 100); // the board sends: it wakes up
    bench.run_until(4 * kBeacon + 40ms);
    bench.from_wired(1, 100);
    bench.run_until(4 * kBeacon + 42ms);
    EXPECT_EQ(bench.delivered.size(), 2u); // one up, one down
    bench.run_until(4 * kBeacon + 97ms);   // 55 ms of silence
    EXPECT_FALSE(bench.cell.stations()[0]->listening());
    bench.from_wired(1, 100);
    bench.run_until(5 * kBeacon - 1us);
    EXPECT_EQ(bench.delivered.size(), 2u);
}

// With a DTIM period of 3 the ESP8266 wakes for every third beacon only: the frame waits for that
// one.
TEST(PowerSave, ListensToDtimBeaconsOnly) {
    BenchCell bench(cell_of(R"("dtim_period":3)", kSleeper));
    bench.run_until(4 * kBeacon + 10ms); // DTIM beacons are the 1st, 4th, 7th
    bench.from_wired(1, 100);
    bench.run_until(7 * kBeacon - 1us);
    EXPECT_TRUE(bench.delivered.empty());
    bench.run_until(7 * kBeacon + 4ms);
    EXPECT_EQ(bench.delivered.size(), 1u);
}

// A listen interval of 1 hears every beacon, whatever the DTIM period.
TEST(PowerSave, ListenIntervalCountsBeacons) {
    BenchCell bench(cell_of(R"("dtim_period":3)",
                            station(1, R"(,"modem_sleep":{"idle_ms":50,"listen_interval":1})")));
    bench.run_until(4 * kBeacon + 10ms);
    bench.from_wired(1, 100);
    bench.run_until(5 * kBeacon + 4ms);
    EXPECT_EQ(bench.delivered.size(), 1u);
}

// Broadcasts wait for the DTIM while one station sleeps, and reach sleeping and awake stations.
TEST(PowerSave, BroadcastsFollowTheDtim) {
    BenchCell bench(cell_of(R"("dtim_period":2)", kSleeper + "," + station(2)));
    bench.run_until(3 * kBeacon + 60ms); // DTIM beacons are the 1st, 3rd, 5th
    const auto arp =
        BenchCell::ethernet({0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, BenchCell::kServer, 46);
    bench.cell.from_wired_port(arp);
    bench.cell.from_wired_port(arp);
    bench.run_until(5 * kBeacon);
    EXPECT_TRUE(bench.delivered.empty());
    bench.run_until(5 * kBeacon + 10ms);
    EXPECT_EQ(bench.delivered.size(), 4u);
    // The first of the two has the More Data bit.
    std::vector<bool> more;
    for (const Heard &h : bench.heard)
        if (h.kind == FrameKind::data && h.receiver == kGroup)
            more.push_back(h.more_data);
    EXPECT_EQ(more, (std::vector<bool>{true, false}));
}

TEST(PowerSave, WithoutSleepersBroadcastsGoAtOnce) {
    BenchCell bench(cell_of(R"("dtim_period":10)", station(1) + "," + station(2)));
    bench.run_until(2 * kBeacon + 10ms);
    bench.cell.from_wired_port(
        BenchCell::ethernet({0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, BenchCell::kServer, 46));
    bench.run_until(2 * kBeacon + 13ms);
    EXPECT_EQ(bench.delivered.size(), 2u);
}

// PS-Poll fetches one frame at a time, More Data triggers the next poll, and the station never
// announces that it is awake.
TEST(PowerSave, PsPollFetchesOneFrameAtATime) {
    BenchCell bench(cell_of("", station(1, R"(,"modem_sleep":{"idle_ms":50,"fetch":"ps_poll"})")));
    bench.run_until(3 * kBeacon + 10ms);
    for (int i = 0; i < 3; ++i)
        bench.from_wired(1, 100, static_cast<std::uint8_t>(i));
    bench.run_until(4 * kBeacon + 10ms);
    ASSERT_EQ(bench.delivered.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_EQ(bench.delivered[i].bytes.back(), i); // in order
    const auto sent = [&](FrameKind kind) {
        return bench.count([kind](const Heard &h) {
            return h.kind == kind && h.control == AirRecord::Control::none;
        });
    };
    EXPECT_EQ(sent(FrameKind::ps_poll), 3u);
    EXPECT_EQ(sent(FrameKind::null), 1u); // the announcement of sleep
    EXPECT_FALSE(bench.cell.stations()[0]->listening());
}

// An idle station with modem sleep has its radio on for a few percent of the time, not for all of
// it.
TEST(PowerSave, AnIdleStationIsMostlyAsleep) {
    BenchCell bench(cell_of("", kSleeper));
    bench.run_until(100s);
    const double awake = des::to_seconds(bench.cell.stations()[0]->sleep().awake_time());
    EXPECT_NEAR(awake, 0.05 + 976 * 0.003, 0.05); // the first idle time, then 3 ms for each beacon
}

// Does the access point's buffer for a sleeping station stay bounded?
TEST(PowerSave, TheAccessPointKeepsNoMoreThanItsQueue) {
    BenchCell bench(cell_of(R"("queue_frames":5)", kSleeper));
    bench.run_until(3 * kBeacon + 10ms);
    for (int i = 0; i < 9; ++i)
        bench.from_wired(1, 100);
    bench.run_until(5 * kBeacon);
    EXPECT_EQ(bench.delivered.size(), 5u);
    EXPECT_EQ(bench.cell.access_point().link_to(1).counters.queue_drops, 4u);
}

// Does a sleeping station get stuck on a bad link, where polls, announcements and frames are given
// up?
TEST(PowerSave, NobodyGetsStuckOnABadLink) {
    for (const char *fetch : {"null_frame", "ps_poll"}) {
        BenchCell bench(
            cell_of(R"("retry_limit":1)",
                    station(1, R"(,"frame_error_rate":0.6,"modem_sleep":{"idle_ms":50,"fetch":")" +
                                   std::string(fetch) + "\"}")));
        for (int i = 0; i < 300; ++i) {
            bench.from_wired(1, 100);
            bench.run_until((i + 1) * 130ms);
        }
        bench.run_until(60s);
        const std::size_t end = bench.delivered.size();
        EXPECT_EQ(end + bench.cell.access_point().link_to(1).counters.given_up, 300u) << fetch;
        EXPECT_GT(end, 100u) << fetch;
    }
}

} // namespace
