// The event queue: actions in order of time, and in order of scheduling where times are equal.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#include <vector>

#include "des/time.hpp"

namespace des {

// Names one scheduled event. A handle of an event that has run or was cancelled is stale and can be
// used safely; a default-constructed handle names no event.
class EventHandle {
public:
    EventHandle() = default;

private:
    friend class EventQueue;
    EventHandle(std::uint32_t slot, std::uint64_t sequence) : slot_(slot), sequence_(sequence) {}
    std::uint32_t slot_ = 0;
    std::uint64_t sequence_ = 0;
};

// A hierarchical timing wheel (Varghese and Lauck, SOSP 1987) that feeds a 4-ary heap. The time of
// an event, in ticks of a millisecond or so, is a number of six digits to the base 256; the first
// digit that differs from the current tick's gives the event's level, and its value the bucket that
// holds it. When the heap is empty, the next bucket's events move to nearer buckets, and those of
// one tick into the heap, which orders them. So an event is moved a few times, whatever the number
// of waiting events, and the heap stays small. Actions are stored in a pool of fixed-size slots.
// Scheduling allocates only until the pool and the buckets have grown; cancelling removes the event
// at once, so no dead event is ever popped.
class EventQueue {
public:
    // The largest capture of an action: enough for a pointer, an index and two values.
    static constexpr std::size_t kActionBytes = 32;

    // The time of the event that is running, or up to which run_until() has advanced.
    [[nodiscard]] Time now() const { return now_; }
    [[nodiscard]] bool empty() const { return heap_.empty(); }
    [[nodiscard]] std::size_t size() const { return heap_.size() + filed_; }
    // The time of the earliest event; kNever when there is none.
    [[nodiscard]] Time next_time() const { return heap_.empty() ? kNever : heap_.front().time; }
    // Events run so far.
    [[nodiscard]] std::uint64_t executed() const { return executed_; }

    // Schedules action() at time `at`. Throws std::logic_error when `at` lies in the past,
    // std::length_error beyond 2^24 waiting events or 2^40 in all.
    // The action is copied as bytes: capture pointers, indices and numbers, not owners of memory.
    template <typename Action> EventHandle schedule(Time at, Action action) {
        static_assert(sizeof(Action) <= kActionBytes,
                      "capture fewer values: pass an index or pointer");
        static_assert(alignof(Action) <= alignof(std::max_align_t));
        static_assert(std::is_trivially_copyable_v<Action> &&
                          std::is_trivially_destructible_v<Action>,
                      "capture pointers and numbers only, not owners of memory");
        const std::uint32_t slot = acquire_slot(at);
        Slot &s = slots_[slot];
        ::new (static_cast<void *>(s.storage)) Action(action);
        s.invoke = [](void *storage) { (*std::launder(static_cast<Action *>(storage)))(); };
        return push(at, slot);
    }

    // Schedules action() `delay` after now().
    template <typename Action> EventHandle schedule_in(Time delay, Action action) {
        return schedule(now_ + delay, action);
    }

    // Removes the event; returns false when it has already run or was cancelled before.
    bool cancel(EventHandle handle);
    [[nodiscard]] bool pending(EventHandle handle) const;

    // Runs the earliest event; returns false when there is none.
    bool step();
    // Runs every event with time <= `until`, then sets now() to `until` (never backwards).
    void run_until(Time until);

private:
    struct Slot {
        alignas(std::max_align_t) std::byte storage[kActionBytes];
        void (*invoke)(void *) = nullptr;
        std::uint64_t sequence = 0; // of the event that uses the slot; 0 = free
    };
    // Small, since the heap moves these: the sequence number is stored above the slot's.
    struct Entry {
        static constexpr int kSlotBits = 24;
        Time time;
        std::uint64_t key;
        [[nodiscard]] std::size_t slot() const { return key & ((1u << kSlotBits) - 1); }
        [[nodiscard]] bool before(const Entry &other) const {
            // Without a branch, since it could not be predicted.
            return static_cast<bool>(static_cast<unsigned>(time < other.time) |
                                     (static_cast<unsigned>(time == other.time) &
                                      static_cast<unsigned>(key < other.key)));
        }
    };

    std::uint32_t acquire_slot(Time at);
    EventHandle push(Time at, std::uint32_t slot);
    void place(std::size_t index, Entry entry);
    void sift_up(std::size_t index, Entry entry);
    std::size_t sink(std::size_t index);
    void remove(std::size_t index);
    void release(std::size_t slot);
    void file(Entry entry);
    void take_out(std::uint32_t bucket, std::uint32_t index);
    void advance();

    static constexpr int kTickBits = 20; // 2^20 ns
    static constexpr int kDigitBits = 8;
    static constexpr std::uint32_t kDigits = 1u << kDigitBits;
    static constexpr std::uint32_t kLevels = 6;                  // the number of digits of a time
    static constexpr std::uint32_t kBuckets = kLevels * kDigits; // the near level's first
    static constexpr std::uint32_t kHeap = kBuckets;

    struct Place {
        std::uint32_t bucket; // or kHeap
        std::uint32_t index;
    };

    std::vector<Entry> heap_; // events up to tick_; empty only if the whole queue is
    std::array<std::vector<Entry>, kBuckets> buckets_;
    std::array<std::uint64_t, kBuckets / 64> filled_{}; // a bit for each bucket
    std::size_t filed_ = 0;                             // events in buckets
    std::vector<Entry> moving_;
    std::uint64_t tick_ = 0;
    std::vector<Slot> slots_;
    std::vector<Place> place_; // of each slot's event
    std::vector<std::uint32_t> free_slots_;
    Time now_{0};
    std::uint64_t last_sequence_ = 0;
    std::uint64_t executed_ = 0;
};

} // namespace des
