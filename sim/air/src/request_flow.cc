#include "request_flow.hpp"

namespace air {

void RequestFlow::start() {
    // A random phase against the beacons.
    const Time phase = uniform(Time(0), std::chrono::seconds(1));
    place_.queue.schedule_in(phase, [this] {
        ++number_;
        ask();
    });
}

Time RequestFlow::uniform(Time low, Time high) {
    return low + des::from_seconds(random_.uniform() * des::to_seconds(high - low));
}

void RequestFlow::send(Direction direction, std::uint32_t bytes, Kind kind, std::uint32_t number) {
    ++counters_.packets_sent;
    place_.network.send(place_.flow, place_.station, direction, bytes, number << 2 | kind);
}

void RequestFlow::ask() {
    acknowledged_ = answered_ = false;
    asked_ = place_.queue.now();
    send(Direction::down, shape_.request_bytes, kRequest, number_);
    retry_ = place_.queue.schedule_in(shape_.timeout, [this] { ask(); });
}

void RequestFlow::on_delivered(Direction, std::uint32_t bytes, std::uint32_t mark) {
    ++counters_.packets_received;
    counters_.bytes_received += bytes;
    const std::uint32_t number = mark >> 2;
    const auto kind = static_cast<Kind>(mark & 3);
    if (kind == kRequest) {
        if (number == served_)
            return; // a retransmitted request whose answer is under way
        served_ = number;
        const Time processing = uniform(shape_.processing_min, shape_.processing_max);
        const Time response = uniform(shape_.response_min, shape_.response_max);
        place_.queue.schedule_in(processing, [this, number] {
            send(Direction::up, shape_.acknowledgement_bytes, kAcknowledgement, number);
        });
        place_.queue.schedule_in(processing + response, [this, number] {
            send(Direction::up, shape_.response_bytes, kResponse, number);
        });
        return;
    }
    if (number != number_)
        return;
    if (kind == kAcknowledgement && !acknowledged_) {
        acknowledged_ = true;
        samples_.push_back({asked_, place_.queue.now() - asked_});
    } else if (kind == kResponse && !answered_) {
        answered_ = true;
        place_.queue.cancel(retry_);
        send(Direction::down, shape_.acknowledgement_bytes, kAcknowledgement, number);
        place_.queue.schedule_in(shape_.pause, [this] {
            ++number_;
            ask();
        });
    }
}

} // namespace air
