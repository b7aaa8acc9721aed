// The resource grids of a cell as rings of bits, one bit a millisecond: what is broadcast or
// reserved, what is allocated. Times are milliseconds since the start of the run.
#pragma once

#include <cstdint>
#include <vector>

#include "config.hpp"

namespace nbiot {

using Ms = std::int64_t;

// A ring of bits that holds [start, start + kBits); the periodic content returns as time moves on.
class RingBits {
public:
    static constexpr Ms kBits = 16 * 2560; // a multiple of the broadcast period, above 40 s
    using Words = std::vector<std::uint64_t>;

    RingBits() : words_(kBits / 64) {}

    [[nodiscard]] bool test(Ms at) const { return (word(at) >> (at & 63)) & 1; }
    void set(Ms at) { words_[index(at)] |= 1ull << (at & 63); }
    void clear_word(Ms at) { words_[index(at)] = 0; }
    // The word that holds the millisecond `at`; its lowest bit is at & ~63.
    [[nodiscard]] std::uint64_t word(Ms at) const { return words_[index(at)]; }
    void or_word(Ms at, std::uint64_t bits) { words_[index(at)] |= bits; }

private:
    static std::size_t index(Ms at) { return static_cast<std::size_t>((at % kBits) / 64); }
    Words words_;
};

// A run of milliseconds on a grid: [begin, end), `end` after the last one that is used.
struct Span {
    Ms begin = -1;
    Ms end = -1;
    [[nodiscard]] bool valid() const { return begin >= 0; }
};

// The anchor carrier's downlink: broadcast subframes are skipped, the rest is shared by NPDCCH and
// NPDSCH (TS 36.213 16.4, TS 36.211 10.2.3.4 and 10.2.5.5).
class DownlinkGrid {
public:
    // The cell's frame 0 begins `phase` ms after the run does.
    DownlinkGrid(const Cell &cell, Ms phase);

    // Forgets what lies before `now`; call before allocating.
    void advance(Ms now);
    // First subframe at or after `at` that is not broadcast.
    [[nodiscard]] Ms next_valid(Ms at) const;
    // The span of `count` valid subframes from `from` on, or an invalid one when an allocation is
    // in the way.
    [[nodiscard]] Span fit(Ms from, int count) const;
    void allocate(const Span &span);
    // Share of the subframes of [begin, end) in which this cell sends.
    [[nodiscard]] double activity(Ms begin, Ms end) const;
    [[nodiscard]] bool broadcast(Ms at) const { return broadcast_.test(at); }
    [[nodiscard]] bool allocated(Ms at) const { return allocated_.test(at); }

private:
    RingBits broadcast_, allocated_;
    Ms cleared_ = 0;
};

// The uplink: twelve tones, some of them reserved for preambles at times; a transmission that
// meets such a reservation waits (TS 36.211 10.1.3.6).
class UplinkGrid {
public:
    UplinkGrid(const Cell &cell, Ms phase);

    void advance(Ms now);
    // The span of `count` unreserved milliseconds from `from` on, on tones [first, first + tones).
    [[nodiscard]] Span fit(Ms from, int count, int first, int tones) const;
    void allocate(const Span &span, int first, int tones);
    [[nodiscard]] bool reserved(Ms at, int tone) const;
    [[nodiscard]] bool allocated(Ms at, int tone) const { return ring(tone, 1).test(at); }

private:
    // What is taken of one allocation of the standard: 1 tone, or 3, 6, 12 from a multiple of that.
    [[nodiscard]] static std::size_t index(int first, int tones) {
        return static_cast<std::size_t>(tones == 1   ? first
                                        : tones == 3 ? 12 + first / 3
                                        : tones == 6 ? 16 + first / 6
                                                     : 18);
    }
    [[nodiscard]] const RingBits &ring(int first, int tones) const {
        return allocated_[index(first, tones)];
    }

    RingBits preambles_; // of the reserved tones
    std::vector<RingBits>
        allocated_; // by index(): an allocation marks all that contain a tone of it
    int reserved_first_, reserved_last_; // tones with preambles
    Ms cleared_ = 0;
};

} // namespace nbiot
