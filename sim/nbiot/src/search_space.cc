#include "search_space.hpp"

namespace nbiot {

SearchSpace::SearchSpace(const DownlinkGrid &grid, Ms from, int subframes) : grid_(grid) {
    const int length = subframes / static_cast<int>(parts_.size());
    for (Span &part : parts_) {
        part = grid.next_valid(from, length);
        from = part.end;
    }
    look();
}

void SearchSpace::look() {
    free_ = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i)
        free_ |= static_cast<unsigned>(grid_.is_free(parts_[i])) << i;
}

Span SearchSpace::candidate(std::size_t parts, Ms ready) const {
    const unsigned all = (1u << parts) - 1;
    for (std::size_t i = 0; i < parts_.size(); i += parts)
        if (parts_[i].begin >= ready && (free_ >> i & all) == all)
            return {parts_[i].begin, parts_[i + parts - 1].end};
    return {};
}

} // namespace nbiot
