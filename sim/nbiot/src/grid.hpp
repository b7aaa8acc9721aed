// The resource grids of a cell as rings of bits, one per millisecond: broadcast, reserved and
// allocated. Times are milliseconds since the start of the run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "config.hpp"

namespace nbiot {

using Ms = std::int64_t;

// Sets of bits in words of 64 milliseconds, in a ring that holds [start, start + kBits); the
// periodic content repeats as time advances. The words of all sets are adjacent, so that reading
// all of them touches little memory.
template <std::size_t Sets> class RingBits {
public:
    static constexpr Ms kBits = 16 * 2560; // a multiple of the broadcast period, above 40 s

    RingBits() : rows_(kBits / 64) {}

    [[nodiscard]] bool test(std::size_t set, Ms at) const {
        return (row(at)[set] >> (at & 63)) & 1;
    }
    void set(std::size_t set, Ms at) { row(at)[set] |= 1ull << (at & 63); }
    // The words that hold the millisecond `at`; their lowest bit is at & ~63.
    using Row = std::array<std::uint64_t, Sets>;
    [[nodiscard]] const Row &row(Ms at) const { return rows_[index(at)]; }
    [[nodiscard]] Row &row(Ms at) { return rows_[index(at)]; }

private:
    static std::size_t index(Ms at) {
        return static_cast<std::size_t>(at) / 64 % static_cast<std::size_t>(kBits / 64);
    }
    std::vector<Row> rows_;
};

// A run of milliseconds on a grid: [begin, end), `end` after the last one that is used.
struct Span {
    Ms begin = -1;
    Ms end = -1;
    [[nodiscard]] bool valid() const { return begin >= 0; }
};

// The times at which the downlinks of all cells send. It duplicates the grids in adjacent memory,
// since each received block needs the interference of all other cells.
class DownlinkActivity {
public:
    static constexpr std::size_t kCells = 24; // 7 sites of 3 sectors, rounded up
    // Of the word that holds `at`, `bits` are those in which the cell sends.
    void put(std::size_t cell, Ms at, std::uint64_t bits) { bits_.row(at)[cell] = bits; }
    using Shares = std::array<double, kCells>;
    // Share of the subframes of [begin, end) in which each cell sends.
    [[nodiscard]] Shares shares(Ms begin, Ms end) const;

private:
    RingBits<kCells> bits_;
};

// The anchor carrier's subframes that are not broadcast. They return with each broadcast period, so
// they are counted once and found by their numbers. Times are of the cell, from its frame 0.
class ValidSubframes {
public:
    explicit ValidSubframes(const Cell &cell);
    // The span of the first `count` of them from `from` on; both at least 0, `count` up to 2560.
    [[nodiscard]] Span next(Ms from, int count) const;
    [[nodiscard]] bool test(Ms at) const { return next(at, 1).begin == at; }

private:
    std::vector<std::uint16_t> before_; // of each subframe of a period: how many lie before it
    std::vector<std::uint16_t> at_;     // where they are, in the periods that 2560 of them take
};

// The anchor carrier's downlink: broadcast subframes are skipped, the rest is shared by NPDCCH and
// NPDSCH (TS 36.213 16.4, TS 36.211 10.2.3.4 and 10.2.5.5).
class DownlinkGrid {
public:
    // The cell's frame 0 begins `phase` ms after the run does, less than a broadcast period; `all`
    // is kept up to date about it.
    DownlinkGrid(const ValidSubframes &valid, Ms phase, DownlinkActivity &all, std::size_t number);

    // Discards everything before `now`; call it before allocating.
    void advance(Ms now);
    // The span of the first `count` valid subframes, which are not broadcast, from `from` on.
    [[nodiscard]] Span next_valid(Ms from, int count) const;
    // The same, or an invalid span when it overlaps an allocation.
    [[nodiscard]] Span fit(Ms from, int count) const;
    // True if nothing is allocated in it.
    [[nodiscard]] bool is_free(const Span &span) const;
    void allocate(const Span &span);
    [[nodiscard]] bool broadcast(Ms at) const { return bits_.test(kBroadcast, at); }
    [[nodiscard]] bool allocated(Ms at) const { return bits_.test(kAllocated, at); }

private:
    static constexpr std::size_t kBroadcast = 0, kAllocated = 1;
    void publish(Ms at);

    const ValidSubframes &valid_;
    Ms shift_; // from the run's time to the cell's
    RingBits<2> bits_;
    DownlinkActivity &all_;
    std::size_t number_; // of this cell in it
    Ms cleared_ = 0;
};

// The uplink: twelve tones, some of them reserved for preambles at times; a transmission is
// postponed by such a reservation (TS 36.211 10.1.3.6).
class UplinkGrid {
public:
    UplinkGrid(const Cell &cell, Ms phase);

    void advance(Ms now);
    // The span of `count` unreserved milliseconds from `from` on, on tones [first, first + tones).
    [[nodiscard]] Span fit(Ms from, int count, int first, int tones) const {
        return fit_any(from, count, tones, 1, std::numeric_limits<Ms>::max(), first);
    }
    // The same on the first of `positions` allocations of so many tones, from that at `first`
    // upwards and round, whose span ends before `before`; `first` is then where it begins.
    [[nodiscard]] Span fit_any(Ms from, int count, int tones, int positions, Ms before,
                               int &first) const;
    // The first place for an acknowledgement of so many milliseconds to data that end with `last`:
    // of the delays and, for each, the tones that the standard offers; `tone` is then the latter.
    [[nodiscard]] Span fit_acknowledgement(Ms last, int count, int &tone) const;
    void allocate(const Span &span, int first, int tones);
    [[nodiscard]] bool reserved(Ms at, int tone) const {
        return meets(tone, 1) && bits_.test(kPreambles, at);
    }
    [[nodiscard]] bool allocated(Ms at, int tone) const { return bits_.test(set(tone, 1), at); }

private:
    // The occupancy of one allocation of the standard: 1 tone, or 3, 6, 12 from a multiple of that.
    // An allocation marks the sets of all allocations that share a tone with it.
    [[nodiscard]] static std::size_t set(int first, int tones) {
        return static_cast<std::size_t>(tones == 1   ? first
                                        : tones == 3 ? 12 + first / 3
                                        : tones == 6 ? 16 + first / 6
                                                     : 18);
    }
    static constexpr std::size_t kPreambles = 19; // of the reserved tones
    [[nodiscard]] bool meets(int first, int tones) const {
        return first <= reserved_last_ && first + tones > reserved_first_;
    }
    // The span of the first `count` milliseconds from `from` on that have no reserved tones.
    [[nodiscard]] Span between_preambles(Ms from, int count) const;

    using Bits = RingBits<20>;
    // A span for which several allocations are tried: its first words are looked up once.
    class Look {
    public:
        Look(const Bits &bits, const Span &span, bool meets);
        [[nodiscard]] bool is_free(std::size_t set) const;
        [[nodiscard]] const Span &span() const { return span_; }

    private:
        [[nodiscard]] std::uint64_t window(Ms base) const;
        const Bits *bits_;
        Span span_;
        bool meets_;
        Ms second_; // base of the second word
        std::array<const Bits::Row *, 2> rows_;
        std::array<std::uint64_t, 2> windows_; // of the span in these words
    };

    Bits bits_;
    int reserved_first_, reserved_last_; // tones with preambles
    Ms cleared_ = 0;
};

} // namespace nbiot
