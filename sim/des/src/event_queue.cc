#include "des/event_queue.hpp"

#include <algorithm>
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
        place_.push_back(0);
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
    const Entry entry{at, sequence << Entry::kSlotBits | slot};
    if (at <= horizon_) {
        heap_.emplace_back();
        sift_up(heap_.size() - 1, entry);
    } else {
        later_.emplace_back();
        put_later(later_.size() - 1, entry);
        if (heap_.empty())
            advance_horizon();
    }
    return {slot, sequence};
}

void EventQueue::put_later(std::size_t index, Entry entry) {
    later_[index] = entry;
    place_[entry.slot()] = static_cast<std::uint32_t>(index) | kLater;
}

// Moves the earliest of the later events into the empty heap: all where they are few, else a share
// that is large enough for the search to cost little for each.
void EventQueue::advance_horizon() {
    constexpr std::size_t kFew = 256, kShare = 16;
    const std::size_t count = later_.size();
    const std::size_t moved = count <= kFew ? count : std::max(kFew, count / kShare);
    const auto last = later_.begin() + static_cast<std::ptrdiff_t>(moved - 1);
    std::nth_element(later_.begin(), last, later_.end(),
                     [](const Entry &a, const Entry &b) { return a.time < b.time; });
    horizon_ = last->time;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const Entry entry = later_[i];
        if (entry.time <= horizon_) {
            heap_.emplace_back();
            sift_up(heap_.size() - 1, entry);
        } else {
            put_later(kept++, entry);
        }
    }
    later_.resize(kept);
}

void EventQueue::place(std::size_t index, Entry entry) {
    heap_[index] = entry;
    place_[entry.slot()] = static_cast<std::uint32_t>(index);
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

// Moves the least child up into the gap at `index`, and so on to the bottom; returns where the gap
// is then. What fills it comes from the bottom and hardly ever rises far.
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

// Takes the event at `index` out of the heap.
void EventQueue::remove(std::size_t index) {
    const Entry moved = heap_.back();
    heap_.pop_back();
    if (index < heap_.size())
        sift_up(sink(index), moved);
    else if (heap_.empty() && !later_.empty())
        advance_horizon();
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
    const std::uint32_t place = place_[handle.slot_];
    release(handle.slot_);
    if ((place & kLater) == 0) {
        remove(place);
    } else {
        put_later(place & ~kLater, later_.back());
        later_.pop_back();
    }
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
