#include "des/event_queue.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace des {

namespace {
constexpr std::size_t kArity = 4;
}

std::uint32_t EventQueue::acquire_slot(Time at) {
    if (at < now_)
        throw std::logic_error("des: event scheduled in the past");
    if (free_slots_.empty()) {
        if (slots_.size() >> Entry::kSlotBits != 0)
            throw std::length_error("des: more than 2^24 events wait");
        slots_.emplace_back();
        place_.emplace_back();
        return static_cast<std::uint32_t>(slots_.size() - 1);
    }
    const std::uint32_t slot = free_slots_.back();
    free_slots_.pop_back();
    return slot;
}

EventHandle EventQueue::push(Time at, std::uint32_t slot) {
    const std::uint64_t sequence = ++last_sequence_;
    if (sequence >> (64 - Entry::kSlotBits) != 0)
        throw std::length_error("des: more than 2^40 events");
    slots_[slot].sequence = sequence;
    file({at, sequence << Entry::kSlotBits | slot});
    if (heap_.empty())
        advance();
    return {slot, sequence};
}

void EventQueue::file(Entry entry) {
    const std::uint64_t tick = static_cast<std::uint64_t>(entry.time.count()) >> kTickBits;
    if (tick <= tick_) {
        heap_.emplace_back();
        sift_up(heap_.size() - 1, entry);
        return;
    }
    const auto level = static_cast<std::uint32_t>(std::bit_width(tick ^ tick_) - 1) / kDigitBits;
    const auto digit = static_cast<std::uint32_t>(tick >> level * kDigitBits) % kDigits;
    const std::uint32_t number = level * kDigits + digit;
    std::vector<Entry> &bucket = buckets_[number];
    filled_[number / 64] |= std::uint64_t{1} << number % 64;
    place_[entry.slot()] = {number, static_cast<std::uint32_t>(bucket.size())};
    bucket.push_back(entry);
    ++filed_;
}

void EventQueue::take_out(std::uint32_t number, std::uint32_t index) {
    std::vector<Entry> &bucket = buckets_[number];
    bucket[index] = bucket.back();
    place_[bucket[index].slot()].index = index;
    bucket.pop_back();
    if (bucket.empty())
        filled_[number / 64] &= ~(std::uint64_t{1} << number % 64);
    --filed_;
}

// Advances to the next tick that has events, and moves these into the empty heap.
void EventQueue::advance() {
    while (heap_.empty()) {
        std::uint32_t word = 0;
        while (filled_[word] == 0)
            ++word;
        const std::uint32_t number =
            word * 64 + static_cast<std::uint32_t>(std::countr_zero(filled_[word]));
        filled_[word] &= filled_[word] - 1;
        const std::uint32_t shift = number / kDigits * kDigitBits;
        tick_ = (tick_ >> shift >> kDigitBits << kDigitBits | number % kDigits) << shift;
        moving_.swap(buckets_[number]);
        filed_ -= moving_.size();
        for (const Entry entry : moving_)
            file(entry);
        moving_.clear();
    }
}

void EventQueue::place(std::size_t index, Entry entry) {
    heap_[index] = entry;
    place_[entry.slot()] = {kHeap, static_cast<std::uint32_t>(index)};
}

void EventQueue::sift_up(std::size_t index, Entry entry) {
    while (index > 0) {
        const std::size_t parent = (index - 1) / kArity;
        if (!entry.before(heap_[parent]))
            break;
        place(index, heap_[parent]);
        index = parent;
    }
    place(index, entry);
}

// Moves the smallest child up into the gap at `index`, down to the bottom; returns the gap's final
// position. The element that fills it comes from the bottom and hardly ever rises far.
std::size_t EventQueue::sink(std::size_t index) {
    const std::size_t size = heap_.size();
    for (;;) {
        const std::size_t first = index * kArity + 1;
        if (first >= size)
            return index;
        std::size_t least = first;
        if (first + kArity <= size) {
            const std::size_t a = heap_[first + 1].before(heap_[first]) ? first + 1 : first;
            const std::size_t b = heap_[first + 3].before(heap_[first + 2]) ? first + 3 : first + 2;
            least = heap_[b].before(heap_[a]) ? b : a;
        } else {
            for (std::size_t child = first + 1; child < size; ++child)
                least = heap_[child].before(heap_[least]) ? child : least;
        }
        place(index, heap_[least]);
        index = least;
    }
}

// Removes the event at `index` from the heap.
void EventQueue::remove(std::size_t index) {
    const Entry moved = heap_.back();
    heap_.pop_back();
    if (index < heap_.size())
        sift_up(sink(index), moved);
    else if (heap_.empty() && filed_ != 0)
        advance();
}

void EventQueue::release(std::size_t slot) {
    slots_[slot].sequence = 0;
    free_slots_.push_back(static_cast<std::uint32_t>(slot));
}

bool EventQueue::pending(EventHandle handle) const {
    return handle.sequence_ != 0 && slots_[handle.slot_].sequence == handle.sequence_;
}

bool EventQueue::cancel(EventHandle handle) {
    if (!pending(handle))
        return false;
    const Place place = place_[handle.slot_];
    release(handle.slot_);
    if (place.bucket == kHeap)
        remove(place.index);
    else
        take_out(place.bucket, place.index);
    return true;
}

bool EventQueue::step() {
    if (heap_.empty())
        return false;
    const Entry entry = heap_.front();
    // The action may schedule events, which may move the slots: run a copy of it.
    alignas(std::max_align_t) std::byte storage[kActionBytes];
    const Slot &slot = slots_[entry.slot()];
    std::memcpy(storage, slot.storage, kActionBytes);
    const auto invoke = slot.invoke;
    release(entry.slot());
    remove(0);
    if (!heap_.empty())
        __builtin_prefetch(&slots_[heap_.front().slot()]); // while this action runs
    now_ = entry.time;
    ++executed_;
    invoke(storage);
    return true;
}

void EventQueue::run_until(Time until) {
    while (!heap_.empty() && heap_.front().time <= until)
        step();
    now_ = std::max(now_, until);
}

} // namespace des
