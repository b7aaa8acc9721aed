// The subframes in which a level's devices look for NPDCCH.
#pragma once

#include <array>

#include "grid.hpp"

namespace nbiot {

// A device-specific search space: R_max valid subframes in eight parts. A candidate of 1, 2, 4 or 8
// parts begins at a multiple of its length (TS 36.213 16.6, table 16.6-1).
class SearchSpace {
public:
    // That of `subframes` valid subframes (a multiple of 8) from `from` on.
    SearchSpace(const DownlinkGrid &grid, Ms from, int subframes);
    // Finds again what is free; to be called after an allocation.
    void look();

    [[nodiscard]] Ms first() const { return parts_.front().begin; }
    [[nodiscard]] Ms last() const { return parts_.back().end - 1; }
    // No part is free, so no candidate is.
    [[nodiscard]] bool full() const { return free_ == 0; }
    // The first free candidate of so many parts from `ready` on; may be invalid.
    [[nodiscard]] Span candidate(std::size_t parts, Ms ready) const;

private:
    const DownlinkGrid &grid_;
    std::array<Span, 8> parts_;
    unsigned free_ = 0; // a bit for each part
};

} // namespace nbiot
