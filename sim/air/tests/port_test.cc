#include "ports/port.hpp"

#include <gtest/gtest.h>
#include <string>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "bench_cell.hpp"
#include "des/wall_clock_driver.hpp"

namespace {

using namespace std::chrono_literals;
using namespace air;
using ports::Port;
using Bytes = std::vector<std::uint8_t>;

class Ports : public testing::Test {
protected:
    std::string path(const char *name) const {
        return testing::TempDir() + "air-" + std::to_string(getpid()) + "-" + name;
    }
    std::unique_ptr<Port> open(const char *own, const char *peer) const {
        return Port::open({.tap = "", .unix_bind = path(own), .unix_peer = path(peer)});
    }
    static std::vector<Bytes> drain(const Port &port) {
        std::vector<Bytes> frames;
        port.drain([&](auto frame) { frames.emplace_back(frame.begin(), frame.end()); });
        return frames;
    }
};

TEST_F(Ports, UnixDatagramsKeepTheirBoundaries) {
    const auto a = open("a", "b"), b = open("b", "a");
    a->send(Bytes{1, 2, 3});
    a->send(Bytes(1514, 7));
    EXPECT_EQ(drain(*b), (std::vector<Bytes>{{1, 2, 3}, Bytes(1514, 7)}));
    EXPECT_TRUE(drain(*b).empty());
}

TEST_F(Ports, AMissingPeerLosesFramesAndNothingElse) {
    const auto a = open("a", "b");
    a->send(Bytes{1});
    EXPECT_EQ(a->lost(), 1u);
    const auto b = open("b", "a");
    a->send(Bytes{2});
    EXPECT_EQ(drain(*b).size(), 1u);
}

TEST_F(Ports, ASocketLeftBehindIsReplaced) {
    {
        const auto killed = open("a", "b");
    }
    EXPECT_NE(open("a", "b"), nullptr);
}

TEST_F(Ports, AFolderThatIsMissingIsAnErrorWithARemedy) {
    try {
        Port::open({.tap = "", .unix_bind = path("none/a"), .unix_peer = path("b")});
        FAIL();
    } catch (const std::system_error &error) {
        EXPECT_NE(std::string(error.what()).find("create its folder"), std::string::npos);
    }
}

// From one socket through the air to the other, on the wall clock: does a frame take its airtime
// and arrive unchanged?
TEST_F(Ports, AFrameCrossesTheCellOnTheWallClock) {
    const auto board = open("board-far", "board"), server = open("server-far", "server");
    const auto near_board = open("board", "board-far"), near_server = open("server", "server-far");
    des::EventQueue queue;
    Cell cell(queue, read_config(R"({"stations":[)" + air_test::station(1) + "]}", "test"),
              {.to_wired = [&](auto frame) { near_server->send(frame); },
               .to_station = [&](StationId, auto frame) { near_board->send(frame); }});
    des::WallClockDriver driver(queue, {.spin = 0us, .longest_sleep = 50ms, .realtime = false});
    driver.set_next_moment([&] { return cell.next_moment(); });
    driver.add_port(near_server->descriptor(),
                    [&] { near_server->drain([&](auto frame) { cell.from_wired_port(frame); }); });
    driver.add_port(near_board->descriptor(), [&] {
        near_board->drain([&](auto frame) { cell.from_station_port(1, frame); });
    });
    cell.start();
    using air_test::BenchCell;
    const Bytes up = BenchCell::ethernet(BenchCell::kServer, BenchCell::mac(1), 64, 1);
    const Bytes down = BenchCell::ethernet(BenchCell::mac(1), BenchCell::kServer, 65, 2);
    board->send(up);
    server->send(down);
    driver.run(30ms);
    EXPECT_EQ(drain(*server), std::vector<Bytes>{up});
    EXPECT_EQ(drain(*board), std::vector<Bytes>{down});
}

} // namespace
