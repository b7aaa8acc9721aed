#include "grid.hpp"

#include <gtest/gtest.h>

#include "check.hpp"
#include "des/random.hpp"
#include "spec.hpp"

namespace nbiot {
namespace {

// A direct implementation of "the next `count` usable milliseconds, none of them allocated".
template <typename Skipped, typename Blocked>
Span plain_fit(Ms from, int count, Skipped skipped, Blocked blocked) {
    Span span;
    for (Ms at = from;; ++at) {
        if (skipped(at))
            continue;
        if (blocked(at))
            return {};
        if (!span.valid())
            span.begin = at;
        if (--count == 0) {
            span.end = at + 1;
            return span;
        }
    }
}

TEST(DownlinkGrid, KeepsTheStandardsSubframesFree) {
    const Cell cell;
    const ValidSubframes valid(cell);
    DownlinkActivity all;
    const DownlinkGrid grid(valid, 0, all, 0);
    int broadcast = 0;
    for (Ms at = 0; at < 2560; ++at)
        broadcast += grid.broadcast(at);
    // NPBCH 256, NPSS 256, NSSS 128, SIB1-NB 4 x 8, system information 4 x 16.
    EXPECT_EQ(broadcast, 256 + 256 + 128 + 32 + 64);
    EXPECT_TRUE(grid.broadcast(0) && grid.broadcast(5) && grid.broadcast(9));
    EXPECT_FALSE(grid.broadcast(19)); // NSSS only in even frames
}

TEST(DownlinkGrid, FitsAsThePlainReadingDoes) {
    const Cell cell;
    const ValidSubframes valid(cell);
    DownlinkActivity all;
    DownlinkGrid grid(valid, 137, all, 0);
    des::RandomStream random(1, "test.grid");
    for (int i = 0; i < 3000; ++i) {
        const Ms from = random.integer(0, 6000);
        const int count = static_cast<int>(random.integer(1, 150));
        const Span expected = plain_fit(
            from, count, [&](Ms at) { return grid.broadcast(at); },
            [&](Ms at) { return grid.allocated(at); });
        const Span span = grid.fit(from, count);
        ASSERT_EQ(span.begin, expected.begin);
        ASSERT_EQ(span.end, expected.end);
        if (span.valid() && count < 20)
            grid.allocate(span);
    }
}

TEST(DownlinkActivity, IsTheShareOfEachCellsBusySubframes) {
    const Cell cell;
    const ValidSubframes valid(cell);
    DownlinkActivity all;
    DownlinkGrid quiet(valid, 0, all, 0), busy(valid, 77, all, 5);
    busy.allocate({100, 400});
    busy.advance(8192 + 192); // forgets the first of it
    const auto shares = all.shares(130, 300);
    int broadcast = 0, used = 0;
    for (Ms at = 130; at < 300; ++at) {
        broadcast += quiet.broadcast(at);
        used += busy.broadcast(at) || busy.allocated(at);
    }
    EXPECT_DOUBLE_EQ(shares[0], broadcast / 170.0);
    EXPECT_DOUBLE_EQ(shares[5], used / 170.0);
    EXPECT_LT(used, 170);
    EXPECT_EQ(shares[1], 0);
    EXPECT_EQ(all.shares(9, 9)[0], 0);
}

TEST(DownlinkGrid, ForgetsWhatHasPassed) {
    const Cell cell;
    const ValidSubframes valid(cell);
    DownlinkActivity all;
    DownlinkGrid grid(valid, 0, all, 0);
    grid.allocate(grid.fit(1, 3));
    EXPECT_FALSE(grid.fit(1, 3).valid());
    constexpr Ms kRing = RingBits<2>::kBits;
    grid.advance(kRing - 2560);
    EXPECT_TRUE(grid.fit(kRing + 1, 3).valid()); // the same place in the ring
}

TEST(UplinkGrid, FitsAsThePlainReadingDoes) {
    const Cell cell;
    UplinkGrid grid(cell, 50);
    des::RandomStream random(2, "test.uplink");
    for (int i = 0; i < 3000; ++i) {
        const int tones = std::array{1, 3, 6, 12}[static_cast<std::size_t>(random.integer(0, 3))];
        const int first = static_cast<int>(random.integer(0, 12 / tones - 1)) * tones;
        const Ms from = random.integer(0, 8000);
        const int count = static_cast<int>(random.integer(1, 120));
        const auto any = [&](Ms at, auto test) {
            bool found = false;
            for (int tone = first; tone < first + tones; ++tone)
                found = found || test(at, tone);
            return found;
        };
        const Span expected = plain_fit(
            from, count,
            [&](Ms at) { return any(at, [&](Ms t, int tone) { return grid.reserved(t, tone); }); },
            [&](Ms at) {
                return any(at, [&](Ms t, int tone) { return grid.allocated(t, tone); });
            });
        const Span span = grid.fit(from, count, first, tones);
        ASSERT_EQ(span.begin, expected.begin);
        ASSERT_EQ(span.end, expected.end);
        if (span.valid() && count < 30)
            grid.allocate(span, first, tones);
    }
}

// Short ones and long ones, with the preambles' tones among theirs or not.
TEST(UplinkGrid, FitsAnAcknowledgementAtTheFirstDelayAndTone) {
    for (const int preamble_tone : {0, 9}) {
        Cell cell;
        cell.preamble_tone = preamble_tone;
        UplinkGrid grid(cell, 50);
        des::RandomStream random(3, "test.acknowledgement");
        for (int i = 0; i < 3000; ++i) {
            const Ms last = random.integer(0, 4000);
            const int count = 2 << random.integer(0, 5);
            Span expected;
            int first = 0;
            for (const int delay : spec::kAckDelayMs)
                for (int tone = 0; tone < spec::kAckTones && !expected.valid(); ++tone) {
                    expected = grid.fit(last + delay, count, tone, 1);
                    first = tone;
                }
            int tone = 0;
            const Span span = grid.fit_acknowledgement(last, count, tone);
            ASSERT_EQ(span.begin, expected.begin);
            ASSERT_EQ(span.end, expected.end);
            if (!span.valid())
                continue;
            ASSERT_EQ(tone, first);
            if (random.chance(0.5))
                grid.allocate(span, tone, 1);
        }
    }
}

TEST(UplinkGrid, ReservesThePreamblesOfEveryLevel) {
    const Cell cell;
    const UplinkGrid grid(cell, 0);
    int reserved = 0;
    for (Ms at = 0; at < 640; ++at)
        reserved += grid.reserved(at, 9);
    EXPECT_EQ(reserved, 12 + 45 + 180); // 2, 8 and 32 repetitions of 5.6 ms, rounded up
    for (Ms at = 0; at < 640; ++at)
        EXPECT_FALSE(grid.reserved(at, 8));
}

TEST(Grids, RefuseToScheduleTwiceInDebugBuilds) {
    if (!kCheckInvariants)
        GTEST_SKIP() << "checked in debug builds";
    const Cell cell;
    const ValidSubframes valid(cell);
    DownlinkActivity all;
    DownlinkGrid down(valid, 0, all, 0);
    UplinkGrid up(cell, 0);
    const Span span{100, 104};
    down.allocate(span);
    up.allocate(span, 2, 1);
    EXPECT_THROW(down.allocate(span), InvariantError);
    EXPECT_THROW(up.allocate(span, 0, 3), InvariantError);
}

// Poisson arrivals to one tone with a fixed holding time, first come first served: the mean wait is
// that of an M/D/1 queue, load x holding / (2 (1 - load)).
TEST(UplinkGrid, QueuesOneToneAsMD1) {
    const Cell cell;
    constexpr int kHolding = 64;
    for (const double load : {0.3, 0.6, 0.8}) {
        UplinkGrid grid(cell, 0);
        des::RandomStream random(5, "test.md1");
        double clock = 0, waited = 0;
        constexpr int kJobs = 60000;
        for (int i = 0; i < kJobs; ++i) {
            clock += random.exponential(kHolding / load);
            const Ms arrival = static_cast<Ms>(clock);
            grid.advance(arrival);
            Span span;
            for (Ms from = arrival; !span.valid(); ++from)
                span = grid.fit(from, kHolding, 0, 1);
            grid.allocate(span, 0, 1);
            waited += static_cast<double>(span.begin - arrival);
        }
        const double expected = load * kHolding / (2 * (1 - load));
        EXPECT_NEAR(waited / kJobs / expected, 1, 0.05) << load;
    }
}

} // namespace
} // namespace nbiot
