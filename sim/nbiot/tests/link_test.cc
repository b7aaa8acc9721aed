#include "link.hpp"

#include <gtest/gtest.h>

#include "numeric.hpp"
#include "radio.hpp"
#include "spec.hpp"

namespace nbiot {
namespace {

// The Shannon limits of the binary-input Gaussian channel: Eb/N0 = 0.187 dB at rate 1/2 and
// -0.495 dB at rate 1/3 (any coding textbook); Es/N0 is lower by the rate.
TEST(BitChannel, HasTheKnownCapacityLimits) {
    EXPECT_NEAR(bit_channel(from_db(0.187 + to_db(0.5))).capacity, 0.5, 1e-3);
    EXPECT_NEAR(bit_channel(from_db(-0.495 + to_db(1.0 / 3))).capacity, 1.0 / 3, 1e-3);
}

TEST(BitChannel, IsCertainAtHighAndLinearAtLowRatios) {
    EXPECT_NEAR(bit_channel(from_db(15)).capacity, 1, 1e-6);
    // Capacity of any input at vanishing ratio: Es/N0 x log2 e.
    EXPECT_NEAR(bit_channel(1e-4).capacity / (1e-4 * 1.442695), 1, 0.01);
    EXPECT_EQ(bit_channel(0).capacity, 0);
}

TEST(BlockError, IsOneHalfWhereTheApproximationSaysSo) {
    // At capacity x symbols = bits - log2(n)/2 the normal approximation gives one half.
    const double n = 600, bits = 300;
    double low = -10, high = 10;
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (n * bit_channel(from_db(middle)).capacity < bits - 0.5 * std::log2(n) ? low : high) =
            middle;
    }
    const double snr = from_db(low + kCodeGapDb);
    EXPECT_NEAR(block_error({n, n * snr}, 300, 1), 0.5, 0.01);
}

TEST(BlockError, FallsWithEnergyAndRisesWithBits) {
    double before = 1;
    for (double db = -6; db <= 6; db += 1) {
        const double error = block_error({500, 500 * from_db(db)}, 300, 2);
        EXPECT_LE(error, before);
        before = error;
    }
    EXPECT_LT(block_error({500, 500}, 200, 2), block_error({500, 500}, 300, 2));
}

TEST(EstimatedSnr, ApproachesTheRatioWithManyPilotsAndItsSquareWithFew) {
    EXPECT_NEAR(estimated_snr(1.0, 1e6), 1.0, 1e-5);
    EXPECT_NEAR(estimated_snr(1e-3, 8), 8e-6, 1e-7);
}

// TS 36.104 table 8.5.1.1.1-1: NPUSCH format 1 on one 3.75 kHz tone, ETU 1 Hz, two receive
// antennas, reference channel A16-1 (32 bits in 2 resource units of 32 ms, pi/2-BPSK, 8 pilots in
// the estimation window), up to 4 HARQ transmissions: 70 % of the throughput at -1.9, -9.2 and
// -12.2 dB with 1, 16 and 64 repetitions. A base station has to do at least that; the model stands
// for one that beats it by the usual implementation margin, not by more than 4 dB.
double throughput(int repetitions, double snr_db) {
    const FadingModel fading(1, true);
    des::RandomStream random(7, "test.requirement");
    const Ms duration = 64 * repetitions;
    const double symbols = 192.0 * repetitions;
    int sent = 0, good = 0;
    Ms now = 0;
    Fading state;
    for (int block = 0; block < 1500; ++block) {
        Received received;
        for (int attempt = 0; attempt < 4; ++attempt) {
            const Received part = receive(fading, state, random, now, now + duration,
                                          from_db(snr_db), 8 * spec::kPilotEfficiency, symbols);
            received.symbols += part.symbols;
            received.energy += part.energy;
            now += duration + 30;
            ++sent;
            if (!random.chance(block_error(received, 32 + 24, 1))) {
                ++good;
                break;
            }
        }
    }
    return static_cast<double>(good) / sent;
}

class Requirement : public testing::TestWithParam<std::pair<int, double>> {};

TEST_P(Requirement, IsMetWithAMarginBelowFourDecibels) {
    const auto [repetitions, snr_db] = GetParam();
    EXPECT_GE(throughput(repetitions, snr_db), 0.70);
    EXPECT_LT(throughput(repetitions, snr_db - 4), 0.70);
}

INSTANTIATE_TEST_SUITE_P(Ts36104, Requirement,
                         testing::Values(std::pair{1, -1.9}, std::pair{16, -9.2},
                                         std::pair{64, -12.2}));

TEST(Preamble, MeetsTheConformanceTest) {
    // TS 36.141 table 8.5.3.5-1: format 0, 8 repetitions, EPA 1 Hz: 99 % at 6.7 dB.
    des::RandomStream random(3, "test.preamble");
    const FadingModel fading(1, true);
    double detected = 0;
    constexpr int kTrials = 20000;
    for (int i = 0; i < kTrials; ++i) {
        Fading state;
        const auto gains = fading.sample(state, 0, random);
        detected += preamble_detection(from_db(6.7) * (gains[0] + gains[1]), 8);
    }
    EXPECT_GE(detected / kTrials, 0.99);
    EXPECT_LE(detected / kTrials, 0.9985);
}

TEST(FormatTable, CarriesTheBitsSoonest) {
    const FormatTable table = FormatTable::downlink(0.1);
    const Format &strong = table.choose(680, 30, 16);
    EXPECT_EQ(strong.bits, 680);
    EXPECT_EQ(strong.duration_ms, 3); // I_TBS 12, 3 subframes
    const Format &weak = table.choose(680, -5, 16);
    EXPECT_GT(weak.duration_ms, strong.duration_ms);
    EXPECT_LE(weak.required_snr_db, -5);
}

TEST(FormatTable, NeedsLessForMoreRepetitions) {
    const FormatTable table = FormatTable::uplink(1, 0.1);
    for (const Format &a : table.formats())
        for (const Format &b : table.formats())
            if (a.bits == b.bits && a.bits_per_symbol == b.bits_per_symbol &&
                a.duration_ms == 2 * b.duration_ms && a.repetitions == 2 * b.repetitions) {
                EXPECT_LT(a.required_snr_db, b.required_snr_db);
            }
}

TEST(RequiredSnr, IsWhereFadingBlocksFailAtTheTarget) {
    const FormatTable table = FormatTable::uplink(1, 0.1);
    const Format &format = table.choose(256, 5, 16);
    const FadingModel fading(0, true); // one draw for each block
    des::RandomStream random(11, "test.target");
    double error = 0;
    constexpr int kTrials = 20000;
    for (int i = 0; i < kTrials; ++i) {
        Fading state;
        error +=
            block_error(receive(fading, state, random, 0, format.duration_ms,
                                from_db(format.required_snr_db), format.pilots, format.symbols),
                        format.bits + 24, format.bits_per_symbol);
    }
    EXPECT_NEAR(error / kTrials, 0.1, 0.02);
}

} // namespace
} // namespace nbiot
