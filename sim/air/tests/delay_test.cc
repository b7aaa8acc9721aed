// Do frames leave a station's port with the delays of its distribution, and in order?
#include <gtest/gtest.h>

#include <algorithm>

#include "bench_cell.hpp"

namespace {

using namespace std::chrono_literals;
using air_test::BenchCell;
using air_test::station;
using des::Time;

std::string late(const std::string &quantiles, int seed = 1) {
    return R"({"seed":)" + std::to_string(seed) + R"(,"cell":{"beacons":false},"stations":[)" +
           station(1, R"(,"arrival_delay_ms":)" + quantiles) + "]}";
}

// The delays of `count` frames, one per second, from the wired port to the station's port.
std::vector<Time> taken(BenchCell &bench, int count) {
    std::vector<Time> out;
    for (int i = 0; i < count; ++i) {
        bench.run_until(i * 1s);
        bench.from_wired(1, 100);
        bench.run_until(i * 1s + 999ms);
        out.push_back(bench.delivered.back().at - i * 1s);
    }
    return out;
}

TEST(ArrivalDelay, IsAddedToTheAir) {
    BenchCell plain(late("[0,0]")), constant(late("[2]"));
    EXPECT_EQ(taken(constant, 1)[0] - taken(plain, 1)[0], 2ms);
}

TEST(ArrivalDelay, FollowsItsQuantilesAndTheSeed) {
    BenchCell bench(late("[1,2,10]")), again(late("[1,2,10]")), other(late("[1,2,10]", 2));
    std::vector<Time> times = taken(bench, 1000);
    EXPECT_EQ(times, taken(again, 1000));
    EXPECT_NE(times, taken(other, 1000));
    std::ranges::sort(times);
    EXPECT_NEAR(des::to_seconds(times[250]), 1.5e-3, 0.4e-3);
    EXPECT_NEAR(des::to_seconds(times[500]), 2e-3, 0.6e-3);
    EXPECT_NEAR(des::to_seconds(times[750]), 6e-3, 0.8e-3);
}

TEST(ArrivalDelay, FramesBehindOneThatIsUnderWayArriveWithItInOrder) {
    BenchCell bench(late("[40,50]"));
    for (std::uint8_t i = 0; i < 20; ++i)
        bench.from_wired(1, 100, i);
    bench.run_until(1s);
    bench.from_wired(1, 100, 20);
    bench.run_until(2s);
    ASSERT_EQ(bench.delivered.size(), 21u);
    for (std::uint8_t i = 0; i < 21; ++i)
        EXPECT_EQ(bench.delivered[i].bytes.back(), i);
    EXPECT_EQ(bench.delivered[0].at, bench.delivered[19].at);
    EXPECT_GE(bench.delivered[20].at, 1s + 40ms);
}

// Sleeping until the cell's next moment misses no arrival and does not delay the radio's state.
TEST(ArrivalDelay, IsAMomentThatTheOutsideNotices) {
    BenchCell bench(late("[30,30]"));
    bench.from_wired(1, 100);
    Time last{0};
    for (Time next = bench.cell.next_moment(); next != des::kNever;
         next = bench.cell.next_moment()) {
        bench.run_until(next);
        last = next;
    }
    ASSERT_EQ(bench.delivered.size(), 1u);
    EXPECT_EQ(bench.delivered[0].at, last);
}

} // namespace
