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
        heap_index_.push_back(0);
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
    heap_.emplace_back();
    sift_up(heap_.size() - 1, Entry{at, sequence << Entry::kSlotBits | slot});
    return {slot, sequence};
}

void EventQueue::place(std::size_t index, const Entry &entry) {
    heap_[index] = entry;
    heap_index_[entry.slot()] = static_cast<std::uint32_t>(index);
}

void EventQueue::sift_up(std::size_t index, const Entry &entry) {
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

void EventQueue::remove(std::size_t index) {
    const std::size_t slot = heap_[index].slot();
    slots_[slot].sequence = 0;
    free_slots_.push_back(static_cast<std::uint32_t>(slot));
    const Entry moved = heap_.back();
    heap_.pop_back();
    if (index == heap_.size())
        return;
    sift_up(sink(index), moved);
}

bool EventQueue::pending(EventHandle handle) const {
    return handle.sequence_ != 0 && slots_[handle.slot_].sequence == handle.sequence_;
}

bool EventQueue::cancel(EventHandle handle) {
    if (!pending(handle))
        return false;
    remove(heap_index_[handle.slot_]);
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
    remove(0);
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
