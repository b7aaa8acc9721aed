#include "grid.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "check.hpp"
#include "spec.hpp"

namespace nbiot {

namespace {

constexpr std::uint64_t kAll = ~0ull;

std::uint64_t from_bit(Ms at) { // bits at and above `at` in its word
    return kAll << (at & 63);
}

// The span of `count` usable bits from `from`; `blocked(at)` and `skipped(at)` give words.
template <typename Blocked, typename Skipped>
Span find_span(Ms from, int count, Blocked blocked, Skipped skipped) {
    Ms base = from & ~Ms{63};
    std::uint64_t window = from_bit(from);
    Ms begin = -1;
    for (int left = count;; base += 64, window = kAll) {
        std::uint64_t usable = window & ~skipped(base);
        const int here = std::popcount(usable);
        if (here == 0)
            continue;
        if (here > left) // keep the lowest `left` bits
            for (int drop = here - left; drop > 0; --drop)
                usable &= ~(1ull << (63 - std::countl_zero(usable)));
        if (usable & blocked(base))
            return {};
        if (begin < 0)
            begin = base + std::countr_zero(usable);
        left -= std::min(here, left);
        if (left == 0)
            return {begin, base + 64 - std::countl_zero(usable)};
    }
}

template <typename Apply> void for_words(Ms begin, Ms end, Apply apply) {
    for (Ms base = begin & ~Ms{63}; base < end; base += 64) {
        std::uint64_t bits = base < begin ? from_bit(begin) : kAll;
        if (end - base < 64)
            bits &= ~from_bit(end);
        apply(base, bits);
    }
}

} // namespace

DownlinkGrid::DownlinkGrid(const Cell &cell, Ms phase) {
    // SIB1-NB: `repetitions` times in 2560 ms, each subframe 4 of every other of 16 frames.
    const int sib1_spacing = spec::kBroadcastPeriodMs / cell.sib1_repetitions;
    int si_left = 0;
    for (Ms at = 0; at < RingBits::kBits; ++at) {
        const Ms in_period = at % spec::kBroadcastPeriodMs;
        const Ms frame = in_period / 10, subframe = in_period % 10;
        const Ms in_sib1 = in_period % sib1_spacing;
        bool broadcast = subframe == spec::kNpbchSubframe || subframe == spec::kNpssSubframe ||
                         (subframe == spec::kNsssSubframe && frame % 2 == 0) ||
                         (subframe == spec::kSib1Subframe && in_sib1 < 160 && frame % 2 == 0);
        // System information: the first free subframes of each half of its window.
        const Ms in_si = in_period % cell.si_period_ms;
        if (in_si == 0 || in_si == cell.si_window_ms / 2)
            si_left = cell.si_subframes / 2;
        if (!broadcast && in_si < cell.si_window_ms && si_left > 0) {
            broadcast = true;
            --si_left;
        }
        if (broadcast)
            broadcast_.set((at + phase) % RingBits::kBits);
    }
}

void DownlinkGrid::advance(Ms now) {
    for (const Ms until = (now & ~Ms{63}) - 8192; cleared_ < until; cleared_ += 64)
        allocated_.clear_word(cleared_);
}

Ms DownlinkGrid::next_valid(Ms at) const {
    while (broadcast_.test(at))
        ++at;
    return at;
}

Span DownlinkGrid::fit(Ms from, int count) const {
    return find_span(
        from, count, [&](Ms at) { return allocated_.word(at); },
        [&](Ms at) { return broadcast_.word(at); });
}

void DownlinkGrid::allocate(const Span &span) {
    for_words(span.begin, span.end, [&](Ms base, std::uint64_t bits) {
        bits &= ~broadcast_.word(base);
        NBIOT_CHECK((allocated_.word(base) & bits) == 0, "downlink subframe scheduled twice");
        allocated_.or_word(base, bits);
    });
}

double DownlinkGrid::activity(Ms begin, Ms end) const {
    int used = 0;
    for_words(begin, end, [&](Ms base, std::uint64_t bits) {
        used += std::popcount(bits & (broadcast_.word(base) | allocated_.word(base)));
    });
    return end <= begin ? 0 : static_cast<double>(used) / static_cast<double>(end - begin);
}

UplinkGrid::UplinkGrid(const Cell &cell, Ms phase) : allocated_(19) {
    int widest = 0;
    for (const Level &level : cell.levels) {
        widest = std::max(widest, level.preambles);
        const Ms length = static_cast<Ms>(
            std::ceil(level.preamble_repetitions * spec::kPreambleRepetitionMs - 1e-9));
        for (Ms start = level.preamble_start_ms; start < RingBits::kBits;
             start += level.preamble_period_ms)
            for (Ms at = start; at < start + length; ++at)
                preambles_.set((at + phase) % RingBits::kBits);
    }
    reserved_first_ = cell.preamble_tone;
    reserved_last_ = cell.preamble_tone + widest / spec::kPreambleTonesPerTone - 1;
}

void UplinkGrid::advance(Ms now) {
    for (const Ms until = (now & ~Ms{63}) - 64; cleared_ < until; cleared_ += 64)
        for (RingBits &taken : allocated_)
            taken.clear_word(cleared_);
}

bool UplinkGrid::reserved(Ms at, int tone) const {
    return tone >= reserved_first_ && tone <= reserved_last_ && preambles_.test(at);
}

Span UplinkGrid::fit(Ms from, int count, int first, int tones) const {
    const bool meets = first <= reserved_last_ && first + tones > reserved_first_;
    return find_span(
        from, count, [&taken = ring(first, tones)](Ms at) { return taken.word(at); },
        [&](Ms at) { return meets ? preambles_.word(at) : 0; });
}

void UplinkGrid::allocate(const Span &span, int first, int tones) {
    const bool meets = first <= reserved_last_ && first + tones > reserved_first_;
    for_words(span.begin, span.end, [&](Ms base, std::uint64_t bits) {
        if (meets)
            bits &= ~preambles_.word(base);
        for (int tone = first; tone < first + tones; ++tone) {
            NBIOT_CHECK((ring(tone, 1).word(base) & bits) == 0, "uplink resource scheduled twice");
            for (const int width : spec::kToneCounts)
                allocated_[index(tone, width)].or_word(base, bits);
        }
    });
}

} // namespace nbiot
