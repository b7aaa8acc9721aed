#include <gtest/gtest.h>

#include "bench_cell.hpp"

namespace {

using namespace std::chrono_literals;
using namespace air;
using air_test::BenchCell;
using air_test::Heard;
using air_test::station;

std::string quiet(const std::string &stations, const std::string &cell = "",
                  const std::string &more = "") {
    return R"({"cell":{"beacons":false)" + cell + R"(},"stations":[)" + stations + "]" + more + "}";
}

TEST(Bridge, CarriesBytesUnchangedBothWaysAndBetweenStations) {
    BenchCell bench(quiet(station(1) + "," + station(2)));
    bench.from_station(1, 300, 0xa5);
    bench.run_until(10ms);
    bench.from_wired(2, 301, 0x5a);
    bench.run_until(20ms);
    const auto relayed = BenchCell::ethernet(BenchCell::mac(2), BenchCell::mac(1), 302, 7);
    bench.cell.from_station_port(1, relayed);
    bench.run_until(30ms);
    ASSERT_EQ(bench.delivered.size(), 3u);
    EXPECT_EQ(bench.delivered[0].to, 0);
    EXPECT_EQ(bench.delivered[0].bytes,
              BenchCell::ethernet(BenchCell::kServer, BenchCell::mac(1), 300, 0xa5));
    EXPECT_EQ(bench.delivered[1].to, 2);
    EXPECT_EQ(bench.delivered[1].bytes,
              BenchCell::ethernet(BenchCell::mac(2), BenchCell::kServer, 301, 0x5a));
    EXPECT_EQ(bench.delivered[2].to, 2);
    EXPECT_EQ(bench.delivered[2].bytes, relayed);
}

// A frame from one station to another crosses the air twice, and the cell need only be run at the
// moments that it names.
TEST(Bridge, AFrameBetweenStationsCrossesTheAirTwice) {
    BenchCell bench(quiet(station(1) + "," + station(2)));
    bench.cell.from_station_port(1,
                                 BenchCell::ethernet(BenchCell::mac(2), BenchCell::mac(1), 302, 7));
    for (Time next = bench.cell.next_moment(); next != des::kNever; next = bench.cell.next_moment())
        bench.run_until(next);
    ASSERT_EQ(bench.heard.size(), 4u); // data, ACK, data, ACK
    EXPECT_EQ(bench.heard[0].transmitter, 1);
    EXPECT_EQ(bench.heard[0].receiver, kAccessPoint);
    EXPECT_EQ(bench.heard[2].transmitter, kAccessPoint);
    EXPECT_EQ(bench.heard[2].receiver, 2);
    EXPECT_EQ(bench.heard[0].payload_bytes, bench.heard[2].payload_bytes);
    EXPECT_GE(bench.heard[2].start, bench.heard[1].start);
    ASSERT_EQ(bench.delivered.size(), 1u);
    EXPECT_EQ(bench.delivered[0].to, 2);
    EXPECT_EQ(bench.cell.bridge().to_wired, 0u);
}

TEST(Bridge, RefusesWhatNoRadioWouldSend) {
    BenchCell bench(quiet(station(1) + "," + station(2)));
    bench.cell.from_station_port(1, std::vector<std::uint8_t>(13));
    bench.cell.from_wired_port(std::vector<std::uint8_t>(3000));
    bench.cell.from_station_port(1, BenchCell::ethernet(BenchCell::kServer, BenchCell::mac(2), 50));
    bench.cell.from_wired_port(BenchCell::ethernet({2, 9, 9, 9, 9, 9}, BenchCell::kServer, 50));
    bench.run_until(1s);
    EXPECT_TRUE(bench.heard.empty());
    EXPECT_EQ(bench.cell.bridge().malformed, 2u);
    EXPECT_EQ(bench.cell.bridge().foreign_source, 1u);
    EXPECT_EQ(bench.cell.bridge().unknown_address, 1u);
}

// A station's broadcast goes to the wired side and is repeated on the air, but not delivered to its
// sender.
TEST(Bridge, ABroadcastDoesNotComeBackToItsSender) {
    BenchCell bench(quiet(station(1) + "," + station(2)));
    bench.cell.from_station_port(
        1, BenchCell::ethernet({0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, BenchCell::mac(1), 46));
    bench.run_until(1s);
    ASSERT_EQ(bench.delivered.size(), 2u);
    EXPECT_EQ(bench.delivered[0].to, 0);
    EXPECT_EQ(bench.delivered[1].to, 2);
}

TEST(Dcf, RetriesUpToTheLimitAndThenGivesUp) {
    BenchCell bench(quiet(station(1, R"(,"frame_error_rate":1)"), R"(,"retry_limit":4)"));
    bench.from_station(1, 100);
    bench.run_until(1s);
    EXPECT_EQ(bench.count([](const Heard &h) { return h.damaged && !h.retry; }), 1u);
    EXPECT_EQ(bench.count([](const Heard &h) { return h.damaged && h.retry; }), 4u);
    EXPECT_EQ(bench.cell.stations()[0]->link().counters.given_up, 1u);
    EXPECT_TRUE(bench.delivered.empty());
}

TEST(Dcf, AFixedErrorRateShowsUpAsRetries) {
    BenchCell bench(quiet(station(1, R"(,"frame_error_rate":0.3)")));
    for (int i = 0; i < 3000; ++i) {
        bench.run_until(i * 10ms);
        bench.from_station(1, 100);
    }
    bench.run_until(31s);
    const LinkCounters &c = bench.cell.stations()[0]->link().counters;
    EXPECT_NEAR(static_cast<double>(c.errors) / static_cast<double>(c.attempts), 0.3, 0.02);
    EXPECT_EQ(bench.delivered.size() + c.given_up, 3000u);
}

// Two stations whose frames arrive in the same slot collide; both frames are delivered in the end.
TEST(Dcf, FramesOfOneSlotCollide) {
    BenchCell bench(quiet(station(1) + "," + station(2)));
    bench.run_until(1s);
    bench.from_station(1, 500);
    bench.from_station(2, 500);
    bench.run_until(1100ms);
    ASSERT_GE(bench.heard.size(), 2u);
    EXPECT_TRUE(bench.heard[0].damaged && bench.heard[1].damaged);
    EXPECT_EQ(bench.heard[0].start, bench.heard[1].start);
    EXPECT_EQ(bench.delivered.size(), 2u);
}

// Slots count once: a station in backoff after its own frame (15 slots at most) that is overtaken
// resumes with the remaining slots after the other's frame.
TEST(Dcf, WhoIsOvertakenGoesOnWithTheRestOfItsBackoff) {
    constexpr Time slot = 9us, difs = 28us;
    int overtaken = 0;
    for (int seed = 1; seed <= 100; ++seed) {
        BenchCell bench(R"({"seed":)" + std::to_string(seed) +
                        R"(,"cell":{"beacons":false},"stations":[)" + station(1) + "," +
                        station(2) + "]}");
        bench.from_station(1, 100);
        for (Time now{0}; bench.heard.size() < 2; now += 1us) // data, ACK
            bench.run_until(now);
        const Heard &ack = bench.heard[1];
        const Time idle = ack.start + ppdu_duration(ack.rate, kAckBytes, false);
        bench.queue.schedule(idle + difs + 8 * slot, [&] { bench.from_station(1, 100); });
        bench.queue.schedule(idle + difs + 9 * slot, [&] { bench.from_station(2, 100); });
        bench.run_until(10ms);
        ASSERT_EQ(bench.delivered.size(), 3u);
        if (bench.heard[2].transmitter != 2 || bench.heard[2].damaged)
            continue;
        ++overtaken;
        const Time before = bench.heard[2].start - idle - difs;
        const Time after = bench.heard[4].start - bench.heard[3].start -
                           ppdu_duration(bench.heard[3].rate, kAckBytes, false) - difs;
        EXPECT_LE((before + after) / slot, 15) << seed;
    }
    EXPECT_GT(overtaken, 10);
}

// After a collision, a station that was only listening waits for EIFS: 10 + 50 + 28 us, nine slots
// after SIFS.
TEST(Dcf, ListenersWaitForEifsAfterACollision) {
    int earliest = 1000;
    for (int seed = 1; seed <= 60; ++seed) {
        BenchCell bench(R"({"seed":)" + std::to_string(seed) +
                        R"(,"cell":{"beacons":false},"stations":[)" + station(1) + "," +
                        station(2) + "," + station(3) + "]}");
        bench.run_until(1s);
        bench.from_station(1, 1000);
        bench.from_station(2, 1000);
        bench.run_until(1s + 100us); // the collision is on the air
        bench.from_station(3, 1000);
        bench.run_until(1100ms);
        const Time end = bench.heard[0].start + ppdu_duration(bench.heard[0].rate, 1036, false);
        for (const Heard &h : bench.heard)
            if (h.transmitter == 3 && h.kind == FrameKind::data && h.start > end) {
                const bool others_first = bench.count([&](const Heard &o) {
                    return o.start > end && o.start < h.start;
                }) > 0;
                if (!others_first)
                    earliest = std::min(earliest, static_cast<int>((h.start - end) / 1us));
                break;
            }
    }
    EXPECT_GE(earliest, 10 + 50 + 28);
    EXPECT_LE(earliest, 10 + 50 + 28 + 4 * 9); // some seed draws a small backoff
}

TEST(Protection, AnEightOhTwoElevenBStationBringsCtsAndLongSlots) {
    BenchCell bench(quiet(station(1) + "," + station(2, R"(,"standard":"b","rate_mbps":11)")));
    EXPECT_EQ(bench.cell.medium().timing().slot, 20us);
    bench.from_station(1, 500);
    bench.run_until(100ms);
    ASSERT_EQ(bench.heard.size(), 3u); // CTS-to-self, data, ACK
    EXPECT_EQ(bench.heard[0].control, AirRecord::Control::cts);
    EXPECT_EQ(rate(bench.heard[0].rate).modulation, Modulation::dsss);
    const Time cts = ppdu_duration(bench.heard[0].rate, kCtsBytes, false);
    EXPECT_EQ(bench.heard[1].start, bench.heard[0].start + cts + 10us);
    bench.from_station(2, 500); // its own frames need no protection
    bench.run_until(200ms);
    EXPECT_EQ(bench.heard.size(), 5u);
}

TEST(Protection, ACellWithoutBHasNone) {
    BenchCell bench(quiet(station(1)));
    bench.from_station(1, 500);
    bench.run_until(100ms);
    EXPECT_EQ(bench.heard.size(), 2u);
    EXPECT_EQ(bench.cell.medium().timing().slot, 9us);
}

const std::string kFlood =
    R"(,"background":[{"profile":"saturated","direction":"down","stations":1}])";

// With a queue for each station, a board's frame does not wait behind another station's download;
// with one FIFO it does.
TEST(AccessPoint, QueuesOfTheirOwnProtectFromADownload) {
    const auto delay = [](const std::string &queue) {
        BenchCell bench(quiet(station(1), R"(,"queue":")" + queue + "\"", kFlood));
        bench.run_until(1s);
        bench.from_wired(1, 100);
        bench.run_until(2s);
        return bench.delivered.empty() ? Time(-1) : bench.delivered.at(0).at - 1s;
    };
    const Time own = delay("per_station");
    const Time shared = delay("shared");
    EXPECT_GT(own, Time(0));
    EXPECT_LT(own, 2ms);
    EXPECT_TRUE(shared < Time(0) || shared > 20ms); // refused, or at the end of a long queue
}

TEST(Aggregation, OneBlockAckAnswersManyFrames) {
    BenchCell bench(quiet(station(1, R"(,"standard":"n")"), R"(,"standard":"n")"));
    for (int i = 0; i < 21; ++i)
        bench.from_station(1, 1000, static_cast<std::uint8_t>(i));
    bench.run_until(100ms);
    ASSERT_EQ(bench.delivered.size(), 21u);
    for (std::size_t i = 0; i < 21; ++i)
        EXPECT_EQ(bench.delivered[i].bytes.back(), i);
    // All had arrived when the medium was won: one A-MPDU.
    EXPECT_EQ(bench.count([](const Heard &h) {
        return h.ampdu != 0 && h.control == AirRecord::Control::none;
    }),
              21u);
    EXPECT_EQ(
        bench.count([](const Heard &h) { return h.control == AirRecord::Control::block_ack; }), 1u);
    EXPECT_EQ(bench.cell.stations()[0]->link().counters.aggregates, 1u);
}

// With errors, only the lost frames are retransmitted, and the receiver still delivers them in
// order.
TEST(Aggregation, RepeatsWhatWasLostAndKeepsTheOrder) {
    BenchCell bench(quiet(station(1, R"(,"standard":"n","frame_error_rate":0.3)"),
                          R"(,"standard":"n","retry_limit":30)"));
    for (int i = 0; i < 90; ++i)
        bench.from_station(1, 1000, static_cast<std::uint8_t>(i));
    bench.run_until(1s);
    ASSERT_EQ(bench.delivered.size(), 90u);
    for (std::size_t i = 0; i < 90; ++i)
        EXPECT_EQ(bench.delivered[i].bytes.back(), i);
    const LinkCounters &c = bench.cell.stations()[0]->link().counters;
    EXPECT_EQ(c.attempts, c.frames_received + c.errors);
    EXPECT_LT(c.attempts, 160u); // 90 / 0.7 = 129 expected
}

// 802.11n with aggregation carries most of 65 Mb/s; without, the overhead takes more than half.
TEST(Aggregation, RaisesTheThroughput) {
    const auto mbps = [](const char *frames) {
        BenchCell bench(
            quiet("", std::string(R"(,"standard":"n","ampdu_frames":)") + frames, kFlood));
        bench.run_until(2s);
        return static_cast<double>(bench.cell.access_point().link_to(1).counters.bytes_received) *
               8e-6 / 2;
    };
    EXPECT_NEAR(mbps("64"), 59.5, 1.5);
    // AIFS, mean backoff, data, SIFS, ACK.
    EXPECT_NEAR(mbps("1"), 12000 / (37 + 67.5 + 234 + 10 + 34), 0.2);
}

TEST(Aggregation, NeverExceedsTheLongestPpdu) {
    BenchCell bench(
        quiet("", R"(,"standard":"n")",
              R"(,"background":[{"profile":"saturated","direction":"down","rate_mbps":6.5}])"));
    bench.run_until(1s);
    // 4 ms at 6.5 Mb/s are 3250 bytes: two frames of 1500.
    std::map<std::uint32_t, int> sizes;
    for (const Heard &h : bench.heard)
        if (h.ampdu != 0 && h.control == AirRecord::Control::none)
            ++sizes[h.ampdu];
    ASSERT_FALSE(sizes.empty());
    for (const auto &[reference, size] : sizes)
        EXPECT_EQ(size, 2);
}

TEST(Absence, AStationIsLostAndComesBack) {
    BenchCell bench(quiet(station(1, R"(,"absences":[{"from_ms":1000,"to_ms":3000}])")));
    bench.run_until(1500ms);
    for (int i = 0; i < 8; ++i) {
        bench.from_wired(1, 100);
        bench.run_until(1600ms + i * 100ms);
    }
    EXPECT_TRUE(bench.delivered.empty());
    // After five frames without an answer the access point stops trying.
    EXPECT_EQ(bench.cell.access_point().link_to(1).counters.given_up, 5u);
    EXPECT_EQ(bench.cell.access_point().link_to(1).counters.queue_drops, 3u);
    bench.run_until(3100ms);
    EXPECT_EQ(bench.cell.stations()[0]->associations(), 1u);
    for (const FrameKind kind : {FrameKind::authentication, FrameKind::association_request,
                                 FrameKind::association_response})
        EXPECT_GE(bench.count([kind](const Heard &h) { return h.kind == kind; }), 1u);
    bench.from_wired(1, 100);
    bench.from_station(1, 100);
    bench.run_until(3200ms);
    EXPECT_EQ(bench.delivered.size(), 2u);
}

// Must the outside wait only while a frame of it is under way?
TEST(LazyAdvance, BackgroundConcernsNobody) {
    BenchCell bench(
        R"({"stations":[)" + station(1, R"(,"modem_sleep":{"idle_ms":20})") +
        R"(],"background":[{"profile":"bulk","stations":5,"direction":"both","load_mbps":10}]})");
    bench.run_until(1s);
    EXPECT_EQ(bench.cell.next_moment(), des::kNever);
    bench.from_station(1, 100);
    EXPECT_NE(bench.cell.next_moment(), des::kNever);
    while (bench.delivered.empty())
        bench.queue.step();
    bench.run_until(bench.queue.now() + 1ms);
    EXPECT_EQ(bench.cell.next_moment(), des::kNever);
    bench.run_until(1200ms); // asleep again: a frame for it has no effect before the beacon
    bench.from_wired(1, 100);
    EXPECT_EQ(bench.cell.next_moment(), 12 * 102400us);
    bench.run_until(12 * 102400us);
    EXPECT_NE(bench.cell.next_moment(), des::kNever);
}

// The driver sleeps from one named moment to the next; a frame due in between would leave late.
// Frames of two stations (one sleeps), of the wired side and to groups, in a saturated cell.
TEST(LazyAdvance, NothingLeavesBetweenTheMomentsThatTheCellNames) {
    BenchCell bench(
        R"({"cell":{"standard":"n"},"stations":[)" +
        station(1, R"(,"modem_sleep":{"idle_ms":20},"frame_error_rate":0.1)") + "," + station(2) +
        R"(],"background":[{"profile":"bulk","stations":20,"direction":"both","load_mbps":100}]})");
    const auto group =
        BenchCell::ethernet({0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, BenchCell::mac(2), 50);
    const auto relayed = BenchCell::ethernet(BenchCell::mac(1), BenchCell::mac(2), 80);
    std::size_t moments = 0, exits = 0, early = 0;
    const auto advance = [&](Time until) {
        for (Time next; (next = bench.cell.next_moment()) < until; ++moments) {
            const std::size_t before = bench.delivered.size();
            const bool exit = bench.cell.next_exit() <= next;
            exits += exit ? 1 : 0;
            bench.run_until(exit ? next - 1ns : next);
            early += bench.delivered.size() - before;
            bench.run_until(next);
        }
        const std::size_t before = bench.delivered.size();
        bench.run_until(until - 1ns);
        early += bench.delivered.size() - before;
    };
    for (int i = 1; i <= 200; ++i) {
        advance(i * 7321us);
        bench.from_station(1, 60);
        bench.from_wired(2, 60);
        if (i % 5 == 0)
            bench.cell.from_station_port(2, i % 10 == 0 ? group : relayed);
    }
    advance(3s);
    EXPECT_EQ(early, 0u);
    EXPECT_GT(bench.delivered.size(), 400u);
    EXPECT_LT(moments, bench.queue.executed() / 5);
    EXPECT_LT(exits, moments / 3);
}

} // namespace
