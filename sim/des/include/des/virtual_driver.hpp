// Pure virtual time: the queue runs as fast as the processor allows.
#pragma once

#include "des/event_queue.hpp"

namespace des {

// Runs `queue` until `until`, or until no event is left. Returns the events run.
inline std::uint64_t run_virtual(EventQueue &queue, Time until) {
    const std::uint64_t before = queue.executed();
    queue.run_until(until);
    return queue.executed() - before;
}

} // namespace des
