#include "phy.hpp"

#include <gtest/gtest.h>

#include "bench_cell.hpp"
#include "error_model.hpp"
#include "rate_control.hpp"

namespace {

using namespace std::chrono_literals;
using namespace air;
using air_test::BenchCell;

// Does a 64-byte ping (92 bytes of IP) occupy the medium exactly as long as the standard's sums
// say?
struct ExchangeCase {
    const char *standard;
    double mbps;
    Time expected; // data + SIFS + ACK
};

void PrintTo(const ExchangeCase &c, std::ostream *out) {
    *out << c.standard << c.mbps;
}

class ExchangeTime : public testing::TestWithParam<ExchangeCase> {};

TEST_P(ExchangeTime, IsTheStandardsSum) {
    const ExchangeCase &c = GetParam();
    BenchCell bench(R"({"cell":{"beacons":false,"standard":")" + std::string(c.standard) +
                    R"("},"stations":[)" +
                    air_test::station(1, ",\"rate_mbps\":" + std::to_string(c.mbps)) + "]}");
    bench.queue.run_until(1s);
    bench.from_station(1, 92);
    bench.run_until(2s);
    ASSERT_EQ(bench.heard.size(), 2u);
    const auto &data = bench.heard[0], &ack = bench.heard[1];
    ASSERT_EQ(ack.control, AirRecord::Control::ack);
    EXPECT_EQ(ack.start + ppdu_duration(ack.rate, kAckBytes, false) - data.start, c.expected);
    EXPECT_EQ(bench.cell.medium().counters().busy, c.expected);
    // The receiver has it at the end of the data, one SIFS before the ACK.
    EXPECT_EQ(bench.delivered.at(0).at, ack.start - 10us);
}

INSTANTIATE_TEST_SUITE_P(Standards, ExchangeTime,
                         testing::Values(ExchangeCase{"b", 1, 1530us}, ExchangeCase{"b", 11, 544us},
                                         ExchangeCase{"g", 6, 262us}, ExchangeCase{"g", 54, 90us},
                                         ExchangeCase{"n", 6.5, 266us},
                                         ExchangeCase{"n", 65, 106us}));

TEST(Phy, ShortPreambleSaves96MicrosecondsAboveOneMegabit) {
    EXPECT_EQ(ppdu_duration(3, 128, false) - ppdu_duration(3, 128, true), 96us);
    EXPECT_EQ(ppdu_duration(0, 128, false), ppdu_duration(0, 128, true));
}

TEST(Phy, ControlResponsesUseBasicOrMandatoryRates) {
    const RateIndex b_basic[] = {0, 1};
    EXPECT_EQ(rate(control_rate(*find_rate(Standard::b, 11), b_basic)).mbps(), 2);
    EXPECT_EQ(rate(control_rate(*find_rate(Standard::b, 1), b_basic)).mbps(), 1);
    EXPECT_EQ(rate(control_rate(*find_rate(Standard::g, 54), b_basic)).mbps(), 24);
    EXPECT_EQ(rate(control_rate(*find_rate(Standard::g, 18), b_basic)).mbps(), 12);
    EXPECT_EQ(rate(control_rate(*find_rate(Standard::n, 6.5), b_basic)).mbps(), 6);
    EXPECT_EQ(rate(control_rate(*find_rate(Standard::n, 65), b_basic)).mbps(), 24);
}

TEST(ErrorModel, LosesOneThousandByteFrameInTenAtItsThreshold) {
    for (RateIndex r = 0; r < kRateCount; ++r) {
        const ErrorModel model = ErrorModel::from_snr(snr_for_ten_percent_loss(r));
        EXPECT_NEAR(model.data_loss(r, 1000), 0.1, 1e-9) << int{r};
        EXPECT_LT(model.data_loss(r, 100), model.data_loss(r, 1000));
    }
    EXPECT_GT(ErrorModel::from_snr(10).data_loss(11, 1000), 0.999); // 54 Mb/s, 10 dB too little
    EXPECT_LT(ErrorModel::from_snr(30).data_loss(11, 1000), 1e-6);
}

TEST(ErrorModel, FixedRateIgnoresLengthAndSparesControlFrames) {
    const ErrorModel model = ErrorModel::fixed(0.25);
    EXPECT_EQ(model.data_loss(0, 10), 0.25);
    EXPECT_EQ(model.data_loss(11, 1500), 0.25);
    EXPECT_EQ(model.control_loss(0, 14), 0);
}

TEST(RateControl, FallsAfterTwoFailuresAndRisesAfterTenSuccesses) {
    RateControl control(data_rates(Standard::b), true);
    EXPECT_EQ(rate(control.current()).mbps(), 11);
    control.report(false);
    EXPECT_EQ(rate(control.current()).mbps(), 11);
    control.report(false);
    EXPECT_EQ(rate(control.current()).mbps(), 5.5);
    for (int i = 0; i < 10; ++i)
        control.report(true);
    EXPECT_EQ(rate(control.current()).mbps(), 11);
    control.report(false); // the probe fails: down at once
    EXPECT_EQ(rate(control.current()).mbps(), 5.5);
}

TEST(RateControl, WithoutFallbackStaysAtTheTop) {
    RateControl control(data_rates(Standard::g), false);
    for (int i = 0; i < 20; ++i)
        control.report(false);
    EXPECT_EQ(rate(control.current()).mbps(), 54);
}

// With too little SNR for 54 Mb/s, does a station settle at a rate that works?
TEST(RateControl, FindsARateThatWorks) {
    BenchCell bench(R"({"cell":{"beacons":false},"stations":[)" +
                    air_test::station(1, ",\"rate_mbps\":54,\"snr_db\":12") + "]}");
    for (int i = 0; i < 200; ++i) {
        bench.run_until((i + 1) * 10ms);
        bench.from_station(1, 1000);
    }
    bench.run_until(3s);
    EXPECT_GE(bench.delivered.size(), 195u);
    // Most frames use 24 Mb/s, whose threshold is 10 dB; the others probe 36 Mb/s.
    const auto at = [&](double mbps) {
        return bench.count([mbps](const air_test::Heard &h) {
            return h.kind == FrameKind::data && h.control == AirRecord::Control::none &&
                   rate(h.rate).mbps() == mbps;
        });
    };
    EXPECT_GT(at(24), 150u);
    EXPECT_GT(at(36), 5u);
    EXPECT_LT(at(54), 10u);
}

// Far away, an 802.11n station falls back to DSSS, which needs 0 dB where MCS0 needs 5.
TEST(RateControl, AnNStationFallsBackToDsss) {
    BenchCell bench(R"({"cell":{"beacons":false,"standard":"n"},"stations":[)" +
                    air_test::station(1, ",\"snr_db\":1") + "]}");
    for (int i = 0; i < 100; ++i) {
        bench.run_until((i + 1) * 50ms);
        bench.from_station(1, 500);
    }
    bench.run_until(10s);
    EXPECT_GE(bench.delivered.size(), 90u);
    EXPECT_LE(rate(bench.cell.stations()[0]->link().rate.current()).mbps(), 5.5);
}

} // namespace
