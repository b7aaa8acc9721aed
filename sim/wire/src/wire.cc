#include "wire.hpp"

#include <algorithm>
#include <string>

namespace wire {

namespace {

// What a limited line holds back at most; what comes later is lost (netem's default limit).
constexpr std::size_t kQueueFrames = 1000;
// Between the parts of a split segment: a small device has no room for dozens of frames at once.
constexpr Time kBetweenSegments = std::chrono::milliseconds(1);

std::size_t at(Side side) {
    return static_cast<std::size_t>(side);
}

} // namespace

Wire::Wire(des::EventQueue &queue, const Config &config, Outside outside)
    : queue_(queue), outside_(std::move(outside)), packets_(config.application, config.server_port),
      nat_(config.nat_idle) {
    for (const Fault &fault : config.faults)
        active_.push_back(
            {&fault, des::RandomStream(config.seed, "fault " + std::to_string(fault.number))});
    free_at_.resize(active_.size());
}

void Wire::start() {
    if (started_)
        return;
    started_ = true;
    for (std::size_t i = 0; i < active_.size(); ++i)
        if (const auto when = active_[i].fault->at)
            queue_.schedule_in(*when, [this, i] { begin(i); });
}

void Wire::begin(std::size_t index) {
    Active &active = active_[index];
    const Fault &fault = *active.fault;
    active.state = State::active;
    outside_.note(fault.number, false, 0);
    switch (fault.kind) {
    case Kind::tcp_reset:
        reset(fault);
        end(index);
        return;
    case Kind::nat_rebind:
        nat_.rebind();
        end(index);
        return;
    default:
        break;
    }
    if (fault.length)
        queue_.schedule_in(*fault.length, [this, index] { end(index); });
    else if (fault.kind == Kind::outside)
        end(index);
}

void Wire::end(std::size_t index) {
    Active &active = active_[index];
    if (active.state != State::active)
        return;
    active.state = State::over;
    outside_.note(active.fault->number, true, active.frames);
}

void Wire::finish() {
    for (std::size_t i = 0; i < active_.size(); ++i)
        end(i);
}

void Wire::look(Side from, Span frame, const Parts &parts) {
    const std::vector<Packet> found = packets_.in(from, frame, parts);
    if (!started_)
        return;
    for (std::size_t i = 0; i < active_.size(); ++i) {
        Active &active = active_[i];
        if (active.state != State::waiting || !active.fault->packet)
            continue;
        const Condition &wanted = *active.fault->packet;
        if (wanted.from && *wanted.from != from)
            continue;
        const auto matches = std::ranges::count_if(found, [&](const Packet &packet) {
            return packet.name == wanted.name && (!wanted.qos || *wanted.qos == packet.qos);
        });
        active.seen += static_cast<unsigned>(matches);
        if (active.seen < wanted.number)
            continue;
        if (wanted.after) {
            active.state = State::due;
            // Also with 0: the event comes after this frame.
            queue_.schedule_in(*wanted.after, [this, i] { begin(i); });
        } else {
            begin(i);
        }
    }
}

void Wire::remember(Side from, Span frame, const Parts &parts) {
    if (!parts.tcp)
        return;
    const std::uint16_t port = from == Side::device ? parts.source_port : parts.destination_port;
    if ((parts.flags & kRst) != 0) {
        connections_.erase(port);
        return;
    }
    Connection &connection = connections_[port];
    if ((parts.flags & kSyn) != 0 && from == Side::device)
        connection = {};
    std::uint32_t &next = connection.next[at(from)];
    const std::uint32_t end = parts.sequence + parts.sequence_length();
    // Not backwards, by a retransmission.
    if (connection.last[at(from)].empty() || static_cast<std::int32_t>(end - next) > 0)
        next = end;
    connection.last[at(from)].assign(frame.begin(), frame.end());
}

void Wire::from(Side side, Span frame) {
    const auto parts = parse(frame);
    Bytes bytes(frame.begin(), frame.end());
    if (side == Side::server && parts && !nat_.inward(bytes, *parts, queue_.now()))
        return;
    const auto seen = side == Side::server ? parse(bytes) : parts;
    if (seen) {
        look(side, bytes, *seen);
        remember(side, bytes, *seen);
    }
    // Frames that wait to be overtaken by this one; a frame held now waits for the next.
    const std::deque<std::uint64_t> behind = std::exchange(reordered_[at(side)], {});
    pass(side, std::move(bytes), 0);
    for (const std::uint64_t ticket : behind)
        release(ticket);
}

void Wire::pass(Side from, Bytes frame, std::size_t index) {
    for (; index < active_.size(); ++index) {
        const Time free = free_at_[index][at(from)];
        if (active_[index].fault->kind == Kind::split && free > queue_.now()) {
            hold(from, std::move(frame), index, free); // behind the parts of the last one
            return;
        }
        if (active_[index].state == State::active && affects(active_[index], from, frame) &&
            !apply(index, from, frame))
            return;
    }
    send(other(from), std::move(frame));
}

bool Wire::affects(Active &active, Side from, const Bytes &frame) {
    const Fault &fault = *active.fault;
    const bool any = fault.kind == Kind::link_down || fault.kind == Kind::half_open;
    if (fault.kind == Kind::outside || (fault.from && *fault.from != from))
        return false;
    return any || parse(frame).has_value();
}

bool Wire::apply(std::size_t index, Side from, Bytes &frame) {
    Active &active = active_[index];
    const Fault &fault = *active.fault;
    const auto parts = parse(frame);
    if (fault.kind == Kind::refuse &&
        (from != Side::device || !parts->tcp || (parts->flags & (kSyn | kAck)) != kSyn))
        return true;
    if (fault.kind == Kind::split &&
        (!parts->tcp || (parts->flags & kSyn) != 0 || parts->payload_bytes() <= fault.bytes))
        return true;
    if (!active.random.chance(fault.share))
        return true;
    ++active.frames;
    const bool last = fault.frames != 0 && active.frames >= fault.frames;
    bool left = true;
    switch (fault.kind) {
    case Kind::loss:
    case Kind::link_down:
    case Kind::half_open:
        left = false;
        break;
    case Kind::refuse:
        send(Side::device, refusal_of(frame, *parts));
        left = false;
        break;
    case Kind::duplicate:
        pass(from, frame, index + 1);
        break;
    case Kind::delay:
        hold(from, std::move(frame), index + 1, queue_.now() + fault.delay);
        left = false;
        break;
    case Kind::reorder:
        reordered_[at(from)].push_back(tickets_);
        hold(from, std::move(frame), index + 1, queue_.now() + fault.delay);
        left = false;
        break;
    case Kind::truncate:
        truncate(frame, *parts, fault.bytes, fault.valid_checksum);
        break;
    case Kind::bit_flip:
        flip_bit(frame, *parts, fault.bit ? *fault.bit : active.random.bits() >> 1,
                 fault.valid_checksum);
        break;
    case Kind::split: {
        std::vector<Bytes> segments = split(frame, *parts, fault.bytes);
        Time &free = free_at_[index][at(from)];
        free = queue_.now() + kBetweenSegments;
        for (std::size_t i = 1; i < segments.size(); ++i, free += kBetweenSegments)
            hold(from, std::move(segments[i]), index + 1, free);
        frame = std::move(segments.front());
        break;
    }
    case Kind::rate_limit: {
        Time &free = free_at_[index][at(from)];
        free = std::max(free, queue_.now()) +
               des::from_seconds(static_cast<double>(frame.size()) * 8 / (fault.rate_kbps * 1e3));
        if (waiting_.size() < kQueueFrames)
            hold(from, std::move(frame), index + 1, free);
        left = false;
        break;
    }
    default:
        break;
    }
    if (last)
        end(index);
    return left;
}

void Wire::hold(Side from, Bytes frame, std::size_t next, Time until) {
    const std::uint64_t ticket = tickets_++;
    waiting_[ticket] = {from, next, std::move(frame)};
    queue_.schedule(until, [this, ticket] { release(ticket); });
}

void Wire::release(std::uint64_t ticket) {
    const auto found = waiting_.find(ticket);
    if (found == waiting_.end())
        return; // the frame was overtaken before
    Waiting waiting = std::move(found->second);
    waiting_.erase(found);
    std::erase(reordered_[at(waiting.from)], ticket);
    pass(waiting.from, std::move(waiting.frame), waiting.next);
}

void Wire::reset(const Fault &fault) {
    for (const auto &[port, connection] : connections_)
        for (const Side to : {Side::device, Side::server}) {
            const Bytes &like = connection.last[at(other(to))];
            const auto parts = parse(like);
            if (!parts || (fault.to && *fault.to != to))
                continue;
            send(to, reset_like(like, *parts, connection.next[at(other(to))]));
        }
    if (!fault.to)
        connections_.clear();
}

void Wire::send(Side to, Bytes frame) {
    if (to == Side::server)
        if (const auto parts = parse(frame))
            nat_.outward(frame, *parts, queue_.now());
    outside_.send(to, frame);
}

} // namespace wire
