// Frames that wait for one transmitter, oldest first.
#pragma once

#include <deque>
#include <utility>

#include "frame.hpp"

namespace air {

class TxQueue {
public:
    explicit TxQueue(std::size_t capacity) : capacity_(capacity) {}

    // Appends a frame; returns false, and drops it, when the queue is full.
    bool push(Frame &&frame) {
        if (frames_.size() >= capacity_)
            return false;
        outside_ += frame.outside() ? 1 : 0;
        frames_.push_back(std::move(frame));
        return true;
    }
    // Frames of the MAC itself go first and are never refused. While the oldest frame is being sent
    // (`busy`), the new one is inserted right after the frames on the air.
    void push_urgent(Frame &&frame, std::size_t behind) {
        frames_.insert(frames_.begin() + static_cast<std::ptrdiff_t>(behind), std::move(frame));
    }
    void erase(std::size_t index) {
        outside_ -= frames_[index].outside() ? 1 : 0;
        frames_.erase(frames_.begin() + static_cast<std::ptrdiff_t>(index));
    }
    void pop() {
        outside_ -= frames_.front().outside() ? 1 : 0;
        frames_.pop_front();
    }
    void clear() {
        frames_.clear();
        outside_ = 0;
    }
    [[nodiscard]] bool empty() const { return frames_.empty(); }
    [[nodiscard]] std::size_t size() const { return frames_.size(); }
    Frame &operator[](std::size_t index) { return frames_[index]; }
    const Frame &operator[](std::size_t index) const { return frames_[index]; }
    // Number of frames that came from a port, so that a host outside waits for them.
    [[nodiscard]] unsigned outside() const { return outside_; }

private:
    std::deque<Frame> frames_;
    std::size_t capacity_;
    unsigned outside_ = 0;
};

} // namespace air
