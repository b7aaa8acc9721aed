#include "grid.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "check.hpp"
#include "spec.hpp"

namespace nbiot {

namespace {

constexpr std::uint64_t kAll = ~0ull;

std::uint64_t from_bit(Ms at) { // bits at and above `at` in its word
    return kAll << (at & 63);
}

// std::popcount is a call into the compiler's library on machines without the instruction.
int count_bits(std::uint64_t bits) {
    bits -= (bits >> 1) & 0x5555555555555555;
    bits = (bits & 0x3333333333333333) + ((bits >> 2) & 0x3333333333333333);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f;
    return static_cast<int>((bits * 0x0101010101010101) >> 56);
}

std::uint64_t lowest_bits(std::uint64_t bits, int count) {
    std::uint64_t rest = bits;
    for (int i = 0; i < count; ++i)
        rest &= rest - 1;
    return bits ^ rest;
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

DownlinkActivity::Shares DownlinkActivity::shares(Ms begin, Ms end) const {
    std::array<std::int64_t, kCells> used{};
    for_words(begin, end, [&](Ms base, std::uint64_t bits) {
        const auto &row = bits_.row(base);
        for (std::size_t cell = 0; cell < kCells; ++cell)
            used[cell] += count_bits(row[cell] & bits);
    });
    Shares shares{};
    if (begin < end)
        for (std::size_t cell = 0; cell < kCells; ++cell)
            shares[cell] = static_cast<double>(used[cell]) / static_cast<double>(end - begin);
    return shares;
}

ValidSubframes::ValidSubframes(const Cell &cell) {
    // SIB1-NB: `repetitions` times in 2560 ms, each subframe 4 of every other of 16 frames.
    const int sib1_spacing = spec::kBroadcastPeriodMs / cell.sib1_repetitions;
    int si_left = 0;
    for (Ms at = 0; at < spec::kBroadcastPeriodMs; ++at) {
        const Ms frame = at / 10, subframe = at % 10;
        const Ms in_sib1 = at % sib1_spacing;
        bool broadcast = subframe == spec::kNpbchSubframe || subframe == spec::kNpssSubframe ||
                         (subframe == spec::kNsssSubframe && frame % 2 == 0) ||
                         (subframe == spec::kSib1Subframe && in_sib1 < 160 && frame % 2 == 0);
        // System information: the first free subframes of each half of its window.
        const Ms in_si = at % cell.si_period_ms;
        if (in_si == 0 || in_si == cell.si_window_ms / 2)
            si_left = cell.si_subframes / 2;
        if (!broadcast && in_si < cell.si_window_ms && si_left > 0) {
            broadcast = true;
            --si_left;
        }
        before_.push_back(static_cast<std::uint16_t>(at_.size()));
        if (!broadcast)
            at_.push_back(static_cast<std::uint16_t>(at));
    }
    const std::size_t in_period = at_.size();
    while (at_.size() < in_period + spec::kBroadcastPeriodMs)
        at_.push_back(
            static_cast<std::uint16_t>(at_[at_.size() - in_period] + spec::kBroadcastPeriodMs));
}

Span ValidSubframes::next(Ms from, int count) const {
    const Ms in_period = from % spec::kBroadcastPeriodMs;
    const std::size_t first = before_[static_cast<std::size_t>(in_period)];
    const Ms period = from - in_period;
    return {period + at_[first], period + at_[first + static_cast<std::size_t>(count) - 1] + 1};
}

DownlinkGrid::DownlinkGrid(const ValidSubframes &valid, Ms phase, DownlinkActivity &all,
                           std::size_t number)
    : valid_(valid), shift_(spec::kBroadcastPeriodMs - phase), all_(all), number_(number) {
    for (Ms at = 0; at < decltype(bits_)::kBits; ++at)
        if (!valid.test(at + shift_))
            bits_.set(kBroadcast, at);
    for (Ms at = 0; at < decltype(bits_)::kBits; at += 64)
        publish(at);
}

void DownlinkGrid::publish(Ms at) {
    const auto &row = bits_.row(at);
    all_.put(number_, at, row[kBroadcast] | row[kAllocated]);
}

void DownlinkGrid::advance(Ms now) {
    for (const Ms until = (now & ~Ms{63}) - 8192; cleared_ < until; cleared_ += 64) {
        bits_.row(cleared_)[kAllocated] = 0;
        publish(cleared_);
    }
}

Span DownlinkGrid::next_valid(Ms from, int count) const {
    const Span span = valid_.next(from + shift_, count);
    return {span.begin - shift_, span.end - shift_};
}

Span DownlinkGrid::fit(Ms from, int count) const {
    const Span span = next_valid(from, count);
    return is_free(span) ? span : Span{};
}

bool DownlinkGrid::is_free(const Span &span) const {
    Ms base = span.begin & ~Ms{63};
    std::uint64_t window = from_bit(span.begin);
    for (; span.end - base > 64; base += 64, window = kAll)
        if (bits_.row(base)[kAllocated] & window)
            return false;
    return (bits_.row(base)[kAllocated] & window & kAll >> (base + 64 - span.end)) == 0;
}

void DownlinkGrid::allocate(const Span &span) {
    for_words(span.begin, span.end, [&](Ms base, std::uint64_t bits) {
        auto &row = bits_.row(base);
        bits &= ~row[kBroadcast];
        NBIOT_CHECK((row[kAllocated] & bits) == 0, "downlink subframe scheduled twice");
        row[kAllocated] |= bits;
        publish(base);
    });
}

UplinkGrid::UplinkGrid(const Cell &cell, Ms phase) {
    int widest = 0;
    for (const Level &level : cell.levels) {
        widest = std::max(widest, level.preambles);
        const Ms length = static_cast<Ms>(
            std::ceil(level.preamble_repetitions * spec::kPreambleRepetitionMs - 1e-9));
        for (Ms start = level.preamble_start_ms; start < decltype(bits_)::kBits;
             start += level.preamble_period_ms)
            for (Ms at = start; at < start + length; ++at)
                bits_.set(kPreambles, at + phase);
    }
    reserved_first_ = cell.preamble_tone;
    reserved_last_ = cell.preamble_tone + widest / spec::kPreambleTonesPerTone - 1;
}

void UplinkGrid::advance(Ms now) {
    for (const Ms until = (now & ~Ms{63}) - 64; cleared_ < until; cleared_ += 64) {
        auto &row = bits_.row(cleared_);
        std::fill(row.begin(), row.begin() + kPreambles, 0);
    }
}

Span UplinkGrid::between_preambles(Ms from, int count) const {
    Ms base = from & ~Ms{63};
    std::uint64_t window = from_bit(from);
    Ms begin = -1;
    for (int left = count;; base += 64, window = kAll) {
        std::uint64_t usable = window & ~bits_.row(base)[kPreambles];
        if (usable == 0)
            continue;
        const int here = count_bits(usable);
        if (here > left)
            usable = lowest_bits(usable, left);
        if (begin < 0)
            begin = base + std::countr_zero(usable);
        if (here >= left)
            return {begin, base + 64 - std::countl_zero(usable)};
        left -= here;
    }
}

UplinkGrid::Look::Look(const Bits &bits, const Span &span, bool meets)
    : bits_(&bits), span_(span), meets_(meets), second_((span.begin & ~Ms{63}) + 64),
      rows_{&bits.row(span.begin), &bits.row(span.begin)},
      windows_{window(span.begin & ~Ms{63}) & from_bit(span.begin), 0} {
    if (second_ < span.end) {
        rows_[1] = &bits.row(second_);
        windows_[1] = window(second_);
    }
}

std::uint64_t UplinkGrid::Look::window(Ms base) const {
    const std::uint64_t window = span_.end - base < 64 ? ~from_bit(span_.end) : kAll;
    return meets_ ? window & ~bits_->row(base)[kPreambles] : window;
}

bool UplinkGrid::Look::is_free(std::size_t set) const {
    if (((*rows_[0])[set] & windows_[0]) | ((*rows_[1])[set] & windows_[1]))
        return false;
    for (Ms base = second_ + 64; base < span_.end; base += 64)
        if (bits_->row(base)[set] & window(base))
            return false;
    return true;
}

Span UplinkGrid::fit_any(Ms from, int count, int tones, int positions, Ms before,
                         int &first) const {
    std::optional<Look> plain, broken; // the second one by preambles
    int at = first;
    std::size_t position = set(first, tones);
    for (int i = 0; i < positions; ++i) {
        const bool waits = meets(at, tones);
        std::optional<Look> &look = waits ? broken : plain;
        if (!look)
            look.emplace(bits_, waits ? between_preambles(from, count) : Span{from, from + count},
                         waits);
        if (look->span().end < before && look->is_free(position)) {
            first = at;
            return look->span();
        }
        at += tones;
        ++position;
        if (at == spec::kTones) {
            at = 0;
            position = set(0, tones);
        }
    }
    return {};
}

Span UplinkGrid::fit_acknowledgement(Ms last, int count, int &tone) const {
    const Ms from = last + spec::kAckDelayMs.front();
    if (meets(0, spec::kAckTones) ||
        spec::kAckDelayMs.back() - spec::kAckDelayMs.front() + count > 64) {
        for (const int delay : spec::kAckDelayMs) {
            tone = 0;
            const Span span = fit_any(last + delay, count, 1, spec::kAckTones,
                                      std::numeric_limits<Ms>::max(), tone);
            if (span.valid())
                return span;
        }
        return {};
    }
    // All places lie within 64 ms, which begin in one word and end in the next.
    std::array<std::uint64_t, spec::kAckTones> taken;
    std::uint64_t all = kAll;
    const auto &row = bits_.row(from), &next = bits_.row(from + 63);
    for (std::size_t i = 0; i < taken.size(); ++i) {
        taken[i] = row[i] >> (from & 63) | next[i] << 1 << (63 - (from & 63));
        all &= taken[i];
    }
    for (const int delay : spec::kAckDelayMs) {
        const Ms after = last + delay - from;
        const std::uint64_t window = ~from_bit(count) << after;
        if (all & window)
            continue;
        for (std::size_t i = 0; i < taken.size(); ++i)
            if ((taken[i] & window) == 0) {
                tone = static_cast<int>(i);
                return {last + delay, last + delay + count};
            }
    }
    return {};
}

void UplinkGrid::allocate(const Span &span, int first, int tones) {
    const bool waits = meets(first, tones);
    for_words(span.begin, span.end, [&](Ms base, std::uint64_t bits) {
        auto &row = bits_.row(base);
        if (waits)
            bits &= ~row[kPreambles];
        for (int tone = first; tone < first + tones; ++tone) {
            NBIOT_CHECK((row[set(tone, 1)] & bits) == 0, "uplink resource scheduled twice");
            for (const int width : spec::kToneCounts)
                row[set(tone, width)] |= bits;
        }
    });
}

} // namespace nbiot
