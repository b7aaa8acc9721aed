// Several devices of the outside in one cell: do they contend as the standard has it?
#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "bench_cell.hpp"

namespace {

using namespace std::chrono_literals;
using namespace air;
using air_test::BenchCell;
using air_test::Delivered;
using air_test::Heard;

constexpr int kDevices = 9;
constexpr Time kStart = 1s;

std::string devices(const std::string &more = "") {
    std::string stations;
    for (int id = 1; id <= kDevices; ++id)
        stations += (id > 1 ? "," : "") + air_test::station(id, more);
    return R"({"cell":{"beacons":false},"stations":[)" + stations + "]}";
}

// Each device hands over one frame in the same moment, after the medium was idle.
void storm(BenchCell &bench) {
    bench.run_until(kStart);
    for (StationId id = 1; id <= kDevices; ++id)
        bench.from_station(id, 100, static_cast<std::uint8_t>(id));
}

std::vector<std::pair<Time, std::uint8_t>> arrivals(const BenchCell &bench) {
    std::vector<std::pair<Time, std::uint8_t>> found;
    for (const Delivered &frame : bench.delivered)
        found.emplace_back(frame.at, frame.bytes.back());
    return found;
}

// 10.3.4.2: who finds the medium idle for DIFS sends without backoff, so all send at once.
TEST(Devices, ThatSendInOneMomentCollideAndThenDeliver) {
    BenchCell bench(devices());
    storm(bench);
    bench.run_until(kStart + 100ms);
    ASSERT_GE(bench.heard.size(), std::size_t{kDevices});
    for (int i = 0; i < kDevices; ++i) {
        EXPECT_EQ(bench.heard[static_cast<std::size_t>(i)].start, bench.heard[0].start);
        EXPECT_TRUE(bench.heard[static_cast<std::size_t>(i)].damaged);
    }
    std::vector<std::uint8_t> from;
    for (const auto &[at, device] : arrivals(bench))
        from.push_back(device);
    std::ranges::sort(from);
    EXPECT_EQ(from, (std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

// Each attempt after the collision has a backoff of its own: a device is heard again at a multiple
// of the slot after the others.
TEST(Devices, BackOffByChanceOfTheirOwn) {
    BenchCell bench(devices());
    storm(bench);
    bench.run_until(kStart + 100ms);
    std::map<Time, int> starts;
    for (const Heard &h : bench.heard)
        starts[h.start] += h.control == AirRecord::Control::none ? 1 : 0;
    EXPECT_EQ(starts.begin()->second, kDevices);
    EXPECT_LT(std::next(starts.begin())->second, kDevices);
}

// The process that hosts the cell runs it only at the moments that the cell names.
TEST(Devices, NothingHappensBetweenTheMomentsThatTheCellNames) {
    BenchCell often(devices()), rarely(devices());
    storm(often);
    storm(rarely);
    for (Time now = kStart; now < kStart + 100ms; now += 1us)
        often.run_until(now);
    for (Time next = rarely.cell.next_moment(); next != des::kNever;
         next = rarely.cell.next_moment())
        rarely.run_until(next);
    EXPECT_EQ(arrivals(rarely), arrivals(often));
    EXPECT_EQ(rarely.delivered.size(), std::size_t{kDevices});
}

// Devices that always have a frame to send get equal shares of the medium's time: Jain's index.
TEST(Devices, ThatAlwaysSendGetEqualShares) {
    BenchCell bench(devices());
    for (Time now = 0s; now < 3s; now += 5ms) {
        bench.run_until(now);
        for (StationId id = 1; id <= kDevices; ++id)
            for (int i = 0; i < 20; ++i)
                bench.from_station(id, 1000, static_cast<std::uint8_t>(id));
    }
    double sum = 0, squares = 0;
    for (const auto &station : bench.cell.stations()) {
        const double airtime = des::to_seconds(station->link().counters.airtime);
        sum += airtime;
        squares += airtime * airtime;
    }
    EXPECT_GT(sum, 1.5);
    EXPECT_GT(sum * sum / (kDevices * squares), 0.99);
}

// The group frame of one device reaches all others.
TEST(Devices, HearABroadcastOfOneOfThem) {
    BenchCell bench(devices());
    const MacAddress everybody{0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    bench.cell.from_station_port(1, BenchCell::ethernet(everybody, BenchCell::mac(1), 28));
    bench.run_until(50ms);
    std::vector<StationId> reached;
    for (const Delivered &frame : bench.delivered)
        reached.push_back(frame.to);
    EXPECT_EQ(reached, (std::vector<StationId>{0, 2, 3, 4, 5, 6, 7, 8, 9}));
}

} // namespace
