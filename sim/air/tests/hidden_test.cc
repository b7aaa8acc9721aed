// Stations that do not hear each other.
#include <algorithm>

#include <gtest/gtest.h>

#include "bench_cell.hpp"

namespace {

using namespace std::chrono_literals;
using namespace air;
using air_test::BenchCell;
using air_test::Heard;

std::string station(int id, int group) {
    return air_test::station(id, R"(,"hidden_group":)" + std::to_string(group));
}

std::string pair_of_groups(int one, int other) {
    return R"({"cell":{"beacons":false},"stations":[)" + station(1, one) + "," + station(2, other) +
           "]}";
}

// Of a cell of standard g.
Time end_of(const Heard &h) {
    const bool ack = h.control == AirRecord::Control::ack;
    return h.start + ppdu_duration(h.rate, ack ? kAckBytes : h.payload_bytes + 36, false);
}

// While station 1 sends 1000 bytes, station 2 gets data to send.
void overlap(BenchCell &bench) {
    bench.run_until(1s);
    bench.from_station(1, 1000);
    bench.run_until(1s + 100us);
    ASSERT_TRUE(bench.heard.empty());
    bench.from_station(2, 1000);
    bench.run_until(1100ms);
    ASSERT_GE(bench.heard.size(), 4u);
    EXPECT_EQ(bench.delivered.size(), 2u);
}

TEST(Hidden, WhoDoesNotHearAFrameBeginsAndBothAreLost) {
    BenchCell bench(pair_of_groups(1, 2));
    overlap(bench);
    EXPECT_TRUE(bench.heard[0].damaged && bench.heard[1].damaged);
    EXPECT_EQ(bench.heard[1].transmitter, 2);
    EXPECT_LT(bench.heard[1].start, end_of(bench.heard[0]));
    EXPECT_GE(bench.cell.medium().counters().collisions, 2u);
}

TEST(Hidden, WhoHearsItWaits) {
    for (const auto &[one, other] : {std::pair{1, 1}, {0, 2}, {1, 0}}) {
        BenchCell bench(pair_of_groups(one, other));
        overlap(bench);
        EXPECT_EQ(bench.count([](const Heard &h) { return h.damaged; }), 0u);
        EXPECT_GE(bench.heard[2].start, end_of(bench.heard[1]) + 28us); // DIFS behind the ACK
    }
}

// Station 1 sends, and station 2 gets data to send this long after its end.
void after_data(BenchCell &bench, Time delay) {
    bench.run_until(1s);
    bench.from_station(1, 1000);
    for (Time now = 1s; bench.heard.size() < 2; now += 100ns) // at the end of data
        bench.run_until(now);
    bench.queue.schedule(end_of(bench.heard[0]) + delay, [&] { bench.from_station(2, 1000); });
    bench.run_until(1100ms);
    EXPECT_EQ(bench.delivered.size(), 2u);
    EXPECT_FALSE(bench.heard[0].damaged);
    EXPECT_FALSE(bench.heard[1].damaged); // the ACK
}

// All hear the access point.
TEST(Hidden, WhoDidNotHearTheFrameWaitsForItsAnswerToEnd) {
    BenchCell bench(pair_of_groups(1, 2));
    after_data(bench, 15us);
    EXPECT_FALSE(bench.heard[2].damaged);
    EXPECT_GE(bench.heard[2].start, end_of(bench.heard[1]) + 28us);
}

// The access point does not hear while it answers.
TEST(Hidden, AFrameThatBeginsJustBeforeAnAnswerIsLostAlone) {
    BenchCell bench(pair_of_groups(1, 2));
    after_data(bench, 500ns);
    EXPECT_LT(bench.heard[2].start, bench.heard[1].start);
    EXPECT_TRUE(bench.heard[2].damaged);
    EXPECT_TRUE(bench.heard[3].retry);
}

// Ten seconds of a saturated cell: three groups, and a station that hears all.
BenchCell crowd() {
    return BenchCell(R"({"cell":{"beacons":false},"stations":[)" + station(1, 1) + "," +
                     station(2, 2) + R"(],"background":[
        {"profile":"datagram","direction":"up","load_mbps":2,"stations":2,"hidden_group":1,"name":"a"},
        {"profile":"datagram","direction":"up","load_mbps":2,"stations":2,"hidden_group":2,"name":"b"},
        {"profile":"datagram","direction":"up","load_mbps":1,"stations":1,"hidden_group":3,"name":"c"},
        {"profile":"datagram","direction":"up","load_mbps":1,"stations":1,"name":"d"},
        {"profile":"datagram","direction":"down","load_mbps":1,"stations":2,"name":"e"}]})");
}

TEST(Hidden, NothingIsReceivedThatOverlapsAndNobodyBeginsWhileHeHears) {
    BenchCell bench = crowd();
    bench.run_until(10s);
    std::vector<Heard> heard = bench.heard;
    std::ranges::stable_sort(heard, {}, &Heard::start);
    const auto group = [&](const Heard &h) -> Group {
        const bool answer = h.control == AirRecord::Control::ack; // its sender is the other one
        const StationId sender = answer ? h.receiver : h.transmitter;
        return sender == kAccessPoint ? kHeardByAll
                                      : bench.cell.stations()[static_cast<std::size_t>(sender - 1)]
                                            ->settings()
                                            .hidden_group;
    };
    std::size_t overlaps = 0;
    for (std::size_t i = 0; i < heard.size(); ++i)
        for (std::size_t j = i + 1; j < heard.size() && heard[j].start < end_of(heard[i]); ++j) {
            const Heard &first = heard[i], &second = heard[j];
            ++overlaps;
            // A station that answers hears nothing, and is heard.
            const bool answer = first.control == AirRecord::Control::ack ||
                                second.control == AirRecord::Control::ack;
            EXPECT_EQ(first.damaged + second.damaged, answer ? 1 : 2) << first.start.count();
            if (second.start > first.start && !answer) {
                EXPECT_NE(group(first), group(second));
                EXPECT_TRUE(group(first) != kHeardByAll && group(second) != kHeardByAll);
            }
        }
    EXPECT_GT(heard.size(), 5000u);
    EXPECT_GT(overlaps, 500u);
}

// The process runs the cell only at the moments at which something can happen.
TEST(Hidden, NothingHappensBeforeTheMomentThatTheCellNames) {
    BenchCell often = crowd(), seldom = crowd();
    for (BenchCell *bench : {&often, &seldom})
        for (int i = 0; i < 300; ++i)
            bench->queue.schedule(i * 3ms, [bench, id = static_cast<StationId>(1 + i % 2)] {
                bench->from_station(id, 700);
            });
    often.run_until(1s);
    while (seldom.queue.now() < 1s) {
        const Time next = std::min({seldom.cell.next_moment(), seldom.queue.now() + 3ms, Time(1s)});
        seldom.run_until(next);
        for (const auto &delivered : seldom.delivered)
            EXPECT_LE(delivered.at, next);
    }
    ASSERT_EQ(often.delivered.size(), seldom.delivered.size());
    EXPECT_GT(often.delivered.size(), 100u);
}

} // namespace
