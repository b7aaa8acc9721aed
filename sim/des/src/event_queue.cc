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
        slots_.emplace_back();
        return static_cast<std::uint32_t>(slots_.size() - 1);
    }
    const std::uint32_t slot = free_slots_.back();
    free_slots_.pop_back();
    return slot;
}

EventHandle EventQueue::push(Time at, std::uint32_t slot) {
    const std::uint64_t sequence = ++last_sequence_;
    slots_[slot].sequence = sequence;
    heap_.emplace_back();
    sift_up(heap_.size() - 1, Entry{at, sequence, slot});
    return {slot, sequence};
}

void EventQueue::place(std::size_t index, const Entry &entry) {
    heap_[index] = entry;
    slots_[entry.slot].heap_index = static_cast<std::uint32_t>(index);
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

void EventQueue::sift_down(std::size_t index, const Entry &entry) {
    const std::size_t size = heap_.size();
    for (;;) {
        const std::size_t first = index * kArity + 1;
        if (first >= size)
            break;
        const std::size_t last = std::min(first + kArity, size);
        std::size_t least = first;
        for (std::size_t child = first + 1; child < last; ++child)
            if (heap_[child].before(heap_[least]))
                least = child;
        if (!heap_[least].before(entry))
            break;
        place(index, heap_[least]);
        index = least;
    }
    place(index, entry);
}

void EventQueue::remove(std::size_t index) {
    const std::uint32_t slot = heap_[index].slot;
    slots_[slot].sequence = 0;
    free_slots_.push_back(slot);
    const Entry moved = heap_.back();
    heap_.pop_back();
    if (index == heap_.size())
        return;
    if (index > 0 && moved.before(heap_[(index - 1) / kArity]))
        sift_up(index, moved);
    else
        sift_down(index, moved);
}

bool EventQueue::pending(EventHandle handle) const {
    return handle.sequence_ != 0 && slots_[handle.slot_].sequence == handle.sequence_;
}

bool EventQueue::cancel(EventHandle handle) {
    if (!pending(handle))
        return false;
    remove(slots_[handle.slot_].heap_index);
    return true;
}

bool EventQueue::step() {
    if (heap_.empty())
        return false;
    const Entry entry = heap_.front();
    // The action may schedule events, which may move the slots: run a copy of it.
    alignas(std::max_align_t) std::byte storage[kActionBytes];
    std::memcpy(storage, slots_[entry.slot].storage, kActionBytes);
    const auto invoke = slots_[entry.slot].invoke;
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
