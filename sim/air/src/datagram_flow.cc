#include "datagram_flow.hpp"

namespace air {

namespace {
using namespace std::chrono_literals;
// Enough that the sender's queue never runs dry while one A-MPDU is on the air.
constexpr unsigned kBacklog = 96;
} // namespace

void SaturatedFlow::start() {
    refill();
}

void SaturatedFlow::refill() {
    while (queued_ < kBacklog &&
           place_.network.send(place_.flow, place_.station, direction_, packet_bytes_, 0)) {
        ++queued_;
        ++counters_.packets_sent;
    }
}

void SaturatedFlow::on_left(Direction) {
    --queued_;
    refill();
}

void SaturatedFlow::on_delivered(Direction, std::uint32_t bytes, std::uint32_t) {
    ++counters_.packets_received;
    counters_.bytes_received += bytes;
}

DatagramFlow::Shape DatagramFlow::voice() {
    return {.up = true, .down = true, .packet_bytes = 200, .mean_interval = 20ms, .poisson = false};
}

void DatagramFlow::start() {
    // A random phase, so that the sources of a cell are not synchronised.
    for (const Direction direction : {Direction::up, Direction::down})
        if (direction == Direction::up ? shape_.up : shape_.down)
            schedule(direction,
                     des::from_seconds(random_.uniform() * des::to_seconds(shape_.mean_interval)));
}

void DatagramFlow::schedule(Direction direction, Time delay) {
    place_.queue.schedule_in(delay, [this, direction] { send(direction); });
}

void DatagramFlow::send(Direction direction) {
    place_.network.send(place_.flow, place_.station, direction, shape_.packet_bytes, 0);
    ++counters_.packets_sent;
    schedule(direction,
             shape_.poisson
                 ? des::from_seconds(random_.exponential(des::to_seconds(shape_.mean_interval)))
                 : shape_.mean_interval);
}

void DatagramFlow::on_delivered(Direction, std::uint32_t bytes, std::uint32_t) {
    ++counters_.packets_received;
    counters_.bytes_received += bytes;
}

} // namespace air
