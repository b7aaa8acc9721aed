#include "tcp_flow.hpp"

#include <algorithm>

namespace air {

namespace {
using namespace std::chrono_literals;
constexpr Time kDelayedAck = 40ms;
constexpr Time kSmallestTimeout = 200ms; // as Linux
constexpr Time kLargestTimeout = 60s;
} // namespace

TcpFlow::TcpFlow(FlowPlace place, Direction data, Time wired_delay,
                 std::unique_ptr<Application> application)
    : place_(place), data_(data), wired_delay_(wired_delay), application_(std::move(application)) {}

void TcpFlow::write(std::uint64_t segments) {
    written_ += segments;
    send_allowed();
}

// The server's packets reach the access point after the wired delay, the station's at once.
void TcpFlow::send_packet(Direction direction, std::uint32_t bytes, std::uint32_t mark) {
    ++counters_.packets_sent;
    if (direction == Direction::up) {
        place_.network.send(place_.flow, place_.station, direction, bytes, mark);
        return;
    }
    place_.queue.schedule_in(wired_delay_, [this, bytes, mark] {
        place_.network.send(place_.flow, place_.station, Direction::down, bytes, mark);
    });
}

void TcpFlow::on_delivered(Direction direction, std::uint32_t bytes, std::uint32_t mark) {
    ++counters_.packets_received;
    counters_.bytes_received += bytes;
    const bool data = direction == data_;
    const auto arrive = [this, data, mark] { data ? on_data(mark) : on_acknowledgement(mark); };
    if (direction == Direction::up)
        place_.queue.schedule_in(wired_delay_, arrive);
    else
        arrive();
}

void TcpFlow::transmit(std::uint32_t segment) {
    if (segment < highest_)
        ++retransmissions_;
    else if (timed_at_ < Time(0)) { // Karn: only first transmissions are timed
        timed_segment_ = segment;
        timed_at_ = place_.queue.now();
    }
    highest_ = std::max(highest_, segment + 1);
    send_packet(data_, kSegmentBytes + kHeaderBytes, segment);
    arm_timer();
}

void TcpFlow::send_allowed() {
    const auto window = std::min(static_cast<std::uint32_t>(window_), kWindow);
    while (next_ < written_ && next_ - acknowledged_ < window)
        transmit(next_++);
}

void TcpFlow::on_acknowledgement(std::uint32_t next) {
    if (next <= acknowledged_) {
        if (next == acknowledged_ && acknowledged_ < next_)
            on_duplicate();
        return;
    }
    if (timed_at_ >= Time(0) && next > timed_segment_) {
        measure(place_.queue.now() - timed_at_);
        timed_at_ = Time(-1);
    }
    const std::uint32_t advance = next - acknowledged_;
    acknowledged_ = next;
    next_ = std::max(next_, next);
    duplicates_ = 0;
    if (recovering_ && next < recover_) { // a partial acknowledgement: the next one is lost too
        window_ = std::max(window_ - advance + 1, 1.0);
        transmit(next);
    } else if (recovering_) {
        recovering_ = false;
        window_ = threshold_;
    } else if (window_ < threshold_) {
        window_ += advance;
    } else {
        window_ += advance / window_;
    }
    window_ = std::min(window_, static_cast<double>(kWindow));
    deadline_ = place_.queue.now() + timeout_;
    send_allowed();
    if (all_acknowledged())
        application_->on_all_acknowledged(*this);
}

void TcpFlow::on_duplicate() {
    ++duplicates_;
    if (recovering_) {
        window_ += 1;
        send_allowed();
    } else if (duplicates_ == 3) {
        threshold_ = std::max((next_ - acknowledged_) / 2.0, 2.0);
        window_ = threshold_ + 3;
        recovering_ = true;
        recover_ = next_;
        timed_at_ = Time(-1);
        transmit(acknowledged_);
    }
}

void TcpFlow::measure(Time round_trip) {
    if (smoothed_ == Time(0)) {
        smoothed_ = round_trip;
        variation_ = round_trip / 2;
    } else {
        const Time error = smoothed_ > round_trip ? smoothed_ - round_trip : round_trip - smoothed_;
        variation_ = (3 * variation_ + error) / 4;
        smoothed_ = (7 * smoothed_ + round_trip) / 8;
    }
    timeout_ = std::clamp(smoothed_ + 4 * variation_, kSmallestTimeout, kLargestTimeout);
}

// One timer event at a time; it restarts itself until the deadline, which acknowledgements
// postpone.
void TcpFlow::arm_timer() {
    if (timer_armed_)
        return;
    timer_armed_ = true;
    deadline_ = std::max(deadline_, place_.queue.now() + timeout_);
    place_.queue.schedule(deadline_, [this] { on_timer(); });
}

void TcpFlow::on_timer() {
    timer_armed_ = false;
    if (acknowledged_ >= highest_)
        return;
    if (place_.queue.now() < deadline_) {
        timer_armed_ = true;
        place_.queue.schedule(deadline_, [this] { on_timer(); });
        return;
    }
    threshold_ = std::max((next_ - acknowledged_) / 2.0, 2.0);
    window_ = 1;
    recovering_ = false;
    duplicates_ = 0;
    timed_at_ = Time(-1);
    timeout_ = std::min(2 * timeout_, kLargestTimeout);
    next_ = acknowledged_;
    send_allowed();
}

void TcpFlow::on_data(std::uint32_t segment) {
    if (segment == expected_) {
        ++expected_;
        while (ahead_[0]) {
            ahead_ >>= 1;
            ++expected_;
        }
        ahead_ >>= 1;
        if (ack_owed_ || ahead_.any()) {
            acknowledge();
        } else {
            ack_owed_ = true;
            ack_timer_ = place_.queue.schedule_in(kDelayedAck, [this] { acknowledge(); });
        }
        return;
    }
    if (segment > expected_ && segment - expected_ - 1 < ahead_.size())
        ahead_.set(segment - expected_ - 1);
    acknowledge(); // out of order, or a duplicate: at once
}

void TcpFlow::acknowledge() {
    ack_owed_ = false;
    place_.queue.cancel(ack_timer_);
    send_packet(data_ == Direction::up ? Direction::down : Direction::up, kHeaderBytes, expected_);
}

} // namespace air
