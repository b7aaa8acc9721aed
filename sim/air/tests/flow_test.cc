#include <deque>
#include <gtest/gtest.h>
#include <memory>

#include "applications.hpp"
#include "bench_cell.hpp"

namespace {

using namespace std::chrono_literals;
using namespace air;
using air_test::BenchCell;

// A path instead of a cell: a delay, and deliberately lost packets.
class Path final : public FlowNetwork {
public:
    explicit Path(Time delay) : delay_(delay) {}
    bool send(std::uint16_t, StationId, Direction direction, std::uint32_t bytes,
              std::uint32_t mark) override {
        const bool data = bytes > 100;
        if (data && !lose.empty() && lose.front() == sent_data) {
            lose.pop_front();
            ++sent_data;
            return false;
        }
        sent_data += data ? 1 : 0;
        queue.schedule_in(
            delay_, [this, direction, bytes, mark] { flow->on_delivered(direction, bytes, mark); });
        return true;
    }
    des::EventQueue queue;
    Flow *flow = nullptr;
    std::deque<std::uint64_t> lose; // numbers of data packets, in order
    std::uint64_t sent_data = 0;

private:
    Time delay_;
};

// Writes once and records when everything is acknowledged.
class Once final : public Application {
public:
    Once(std::uint64_t segments, Time *done) : segments_(segments), done_(done) {}
    void start(TcpFlow &flow) override { flow.write(segments_); }
    void on_all_acknowledged(TcpFlow &flow) override { *done_ = flow.place().queue.now(); }

private:
    std::uint64_t segments_;
    Time *done_;
};

struct Transfer {
    Time done{-1};
    std::uint64_t retransmissions = 0;
    std::uint64_t data_packets = 0;
};

Transfer transfer(std::uint64_t segments, std::deque<std::uint64_t> lose) {
    Path path(10ms);
    path.lose = std::move(lose);
    Transfer result;
    TcpFlow flow({path.queue, path, 1, 1}, Direction::up, 0ms,
                 std::make_unique<Once>(segments, &result.done));
    path.flow = &flow;
    flow.start();
    path.queue.run_until(60s);
    result.retransmissions = flow.retransmissions();
    result.data_packets = path.sent_data;
    return result;
}

// 10 segments, then 20, then 14: slow start from an initial window of 10 needs three round trips of
// 20 ms.
TEST(TcpFlow, SlowStartDoublesTheWindow) {
    EXPECT_EQ(transfer(10, {}).done, 20ms);
    EXPECT_EQ(transfer(30, {}).done, 40ms);
    EXPECT_EQ(transfer(44, {}).done, 60ms);
    EXPECT_EQ(transfer(44, {}).retransmissions, 0u);
}

TEST(TcpFlow, AnOddLastSegmentWaitsForTheDelayedAcknowledgement) {
    EXPECT_EQ(transfer(1, {}).done, 20ms + 40ms);
}

TEST(TcpFlow, OneLossCostsOneRetransmissionAndNoTimeout) {
    const Transfer t = transfer(40, {12});
    EXPECT_EQ(t.retransmissions, 1u);
    EXPECT_GT(t.done, Time(0));
    EXPECT_LT(t.done, 200ms);
}

TEST(TcpFlow, LossesOfOneWindowAreRepairedOneByOne) {
    const Transfer t = transfer(40, {12, 14, 17});
    EXPECT_EQ(t.retransmissions, 3u);
    EXPECT_LT(t.done, 300ms);
}

TEST(TcpFlow, ALostTailIsRepairedByTheTimer) {
    const Transfer t = transfer(10, {9});
    EXPECT_EQ(t.retransmissions, 1u);
    EXPECT_GE(t.done, 200ms);
    EXPECT_LT(t.done, 2s);
}

TEST(TcpFlow, SurvivesALongOutage) {
    std::deque<std::uint64_t> lose;
    for (std::uint64_t i = 20; i < 40; ++i)
        lose.push_back(i);
    EXPECT_GT(transfer(60, lose).done, Time(0));
}

double received_mbps(const std::string &background, double seconds) {
    BenchCell bench(R"({"seed":3,"cell":{"standard":"g"},"background":[)" + background + "]}");
    bench.run_until(des::from_seconds(seconds));
    double bytes = 0;
    for (const auto &station : bench.cell.stations())
        bytes += static_cast<double>(
            station->link().counters.bytes_received +
            bench.cell.access_point().link_to(station->id()).counters.bytes_received);
    return bytes * 8e-6 / seconds;
}

// Do the profiles produce the configured load? IP headers and acknowledgements are extra.
TEST(Profiles, BringTheirLoad) {
    EXPECT_NEAR(
        received_mbps(R"({"profile":"bulk","stations":4,"direction":"both","load_mbps":8})", 30),
        8 * (1500 + 20) / 1460.0, 0.2);
    EXPECT_NEAR(received_mbps(R"({"profile":"web","stations":10,"load_mbps":4})", 300), 4, 0.6);
    EXPECT_NEAR(received_mbps(R"({"profile":"video","stations":2,"load_mbps":4})", 60), 4.15, 0.25);
    EXPECT_NEAR(received_mbps(R"({"profile":"voice","stations":5})", 30), 5 * 2 * 0.08, 0.01);
    EXPECT_NEAR(received_mbps(R"({"profile":"datagram","stations":3,"load_mbps":6})", 60), 6, 0.15);
}

// One greedy TCP download at 54 Mb/s with delayed acknowledgements: 20 to 26 Mb/s, as on hardware.
TEST(Profiles, AGreedyDownloadFillsTheChannel) {
    EXPECT_NEAR(received_mbps(R"({"profile":"bulk"})", 10), 23.5, 2.5);
}

} // namespace
