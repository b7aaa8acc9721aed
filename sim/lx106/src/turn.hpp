// Boards of one process compute one at a time, each in a thread. A board's turn ends where it
// waits, and where it sends or receives.
#pragma once

#include <atomic>
#include <mutex>

namespace lx106 {

class Turn {
public:
    void lock() {
        ++waiting_;
        mutex_.lock();
        --waiting_;
    }
    void unlock() { mutex_.unlock(); }
    // True if a board is ready to compute.
    [[nodiscard]] bool is_awaited() const { return waiting_ != 0; }

private:
    std::mutex mutex_;
    std::atomic<int> waiting_ = 0;
};

// Ends the turn, if there are several boards, until it goes out of scope.
class Away {
public:
    explicit Away(Turn *turn) : turn_(turn) {
        if (turn_)
            turn_->unlock();
    }
    ~Away() {
        if (turn_)
            turn_->lock();
    }
    Away(const Away &) = delete;
    Away &operator=(const Away &) = delete;

private:
    Turn *turn_;
};

} // namespace lx106
