// The chip's time: each instruction takes the same time; during sleep the time is set from outside.
#pragma once

#include <cstdint>
#include <limits>

namespace lx106 {

// Picoseconds since power-on; 2^64 of them are 213 days.
using Time = std::uint64_t;
inline constexpr Time kNever = std::numeric_limits<Time>::max();

class Clock {
public:
    explicit Clock(Time instruction) : instruction_(instruction) {}

    // When the instruction of this number, counted from 1, ends.
    [[nodiscard]] Time at(std::uint64_t executed) const {
        return since_ + (executed - from_) * instruction_;
    }
    // The first instruction that ends at this time or later.
    [[nodiscard]] std::uint64_t number_at(Time time) const {
        return time <= since_ ? from_ : from_ + (time - since_ - 1) / instruction_ + 1;
    }
    // Sets the time after `executed` instructions.
    void set(std::uint64_t executed, Time time) {
        from_ = executed;
        since_ = time;
    }

private:
    Time instruction_;
    std::uint64_t from_ = 0;
    Time since_ = 0;
};

} // namespace lx106
