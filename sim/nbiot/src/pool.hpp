// Values kept for events that are too small to carry them.
#pragma once

#include <cstdint>
#include <vector>

namespace nbiot {

template <typename T> class Pool {
public:
    std::uint32_t put(T value) {
        if (free_.empty()) {
            values_.push_back(std::move(value));
            return static_cast<std::uint32_t>(values_.size() - 1);
        }
        const std::uint32_t slot = free_.back();
        free_.pop_back();
        values_[slot] = std::move(value);
        return slot;
    }
    T take(std::uint32_t slot) {
        free_.push_back(slot);
        return std::move(values_[slot]);
    }
    T &at(std::uint32_t slot) { return values_[slot]; }

private:
    std::vector<T> values_;
    std::vector<std::uint32_t> free_;
};

} // namespace nbiot
