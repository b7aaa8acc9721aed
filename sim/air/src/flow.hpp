// In-process traffic: sources and sinks on a station and on the wired side, without Ethernet bytes.
#pragma once

#include "des/event_queue.hpp"
#include "frame.hpp"

namespace air {

enum class Direction : std::uint8_t { up, down }; // from the station, to the station

// The interface of the cell that flows use.
class FlowNetwork {
public:
    virtual ~FlowNetwork() = default;
    // Queues a packet of `bytes` (IP and above). The delivery returns `mark`. Returns false when
    // the queue is full.
    virtual bool send(std::uint16_t flow, StationId station, Direction direction,
                      std::uint32_t bytes, std::uint32_t mark) = 0;
};

struct FlowCounters {
    std::uint64_t packets_sent = 0;
    std::uint64_t packets_received = 0;
    std::uint64_t bytes_received = 0; // IP and above, at the far end
};

class Flow {
public:
    virtual ~Flow() = default;
    virtual void start() = 0;
    // A packet of this flow reached the other end of the cell.
    virtual void on_delivered(Direction direction, std::uint32_t bytes, std::uint32_t mark) = 0;
    // A packet left its sender's queue.
    virtual void on_left(Direction) {}
    [[nodiscard]] virtual FlowCounters counters() const = 0;
};

} // namespace air
