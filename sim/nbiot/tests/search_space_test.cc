#include "search_space.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "des/random.hpp"

namespace nbiot {
namespace {

// The first run of `count` free subframes that begins at a multiple of `count`.
Span plain_candidate(const DownlinkGrid &grid, const std::vector<Ms> &space, std::size_t count,
                     Ms ready) {
    for (auto at = space.begin(); at != space.end(); at += static_cast<std::ptrdiff_t>(count)) {
        const auto end = at + static_cast<std::ptrdiff_t>(count);
        if (*at >= ready && std::none_of(at, end, [&](Ms t) { return grid.allocated(t); }))
            return {*at, *(end - 1) + 1};
    }
    return {};
}

TEST(SearchSpace, HasTheCandidatesOfThePlainReading) {
    const Cell cell;
    const ValidSubframes valid(cell);
    DownlinkActivity all;
    DownlinkGrid grid(valid, 137, all, 0);
    des::RandomStream random(1, "test.space");
    for (int i = 0; i < 1000; ++i) {
        const Ms from = random.integer(0, 6000);
        const std::size_t subframes = random.chance(0.5) ? 8 : 64;
        std::vector<Ms> plain;
        for (Ms at = from; plain.size() < subframes; ++at)
            if (!grid.broadcast(at))
                plain.push_back(at);
        SearchSpace space(grid, from, static_cast<int>(subframes));
        EXPECT_EQ(space.first(), plain.front());
        EXPECT_EQ(space.last(), plain.back());
        const std::size_t parts = 1u << random.integer(0, 3);
        const Ms ready = random.integer(plain.front() - 2, plain.back());
        const Span expected = plain_candidate(grid, plain, subframes / 8 * parts, ready);
        const Span found = space.candidate(parts, ready);
        ASSERT_EQ(found.begin, expected.begin);
        ASSERT_EQ(found.end, expected.end);
        EXPECT_EQ(space.full(), !plain_candidate(grid, plain, subframes / 8, 0).valid());
        if (found.valid())
            grid.allocate(found);
        space.look();
        EXPECT_FALSE(found.valid() && space.candidate(parts, ready).begin == found.begin);
    }
}

} // namespace
} // namespace nbiot
