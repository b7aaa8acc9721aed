// Rate fallback: ARF (Kamerman and Monteban, Bell Labs Technical Journal, 1997).
#pragma once

#include <cstddef>
#include <span>

#include "phy.hpp"

namespace air {

// One step down after two failures in a row; one step up after ten successes in a row, and down
// again at once if the first frame after a step up fails. Like ARF it cannot tell collisions from
// bad reception. Without fallback the rate stays at the top of the set.
class RateControl {
public:
    // `rates` is ordered from slow to fast, ends with the configured rate, and must outlive this
    // object.
    RateControl(std::span<const RateIndex> rates, bool fallback)
        : rates_(rates), position_(rates.size() - 1), fallback_(fallback) {}

    [[nodiscard]] RateIndex current() const { return rates_[position_]; }
    void report(bool success);

private:
    static constexpr unsigned kSuccessesToRise = 10;
    static constexpr unsigned kFailuresToFall = 2;

    std::span<const RateIndex> rates_;
    std::size_t position_;
    unsigned successes_ = 0;
    unsigned failures_ = 0;
    bool probing_ = false;
    bool fallback_;
};

} // namespace air
