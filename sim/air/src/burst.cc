#include "burst.hpp"

#include <algorithm>

#include "ccmp.hpp"

namespace air {

namespace {

constexpr unsigned kDelimiterBytes = 4; // before each MPDU of an A-MPDU

constexpr unsigned padded(unsigned bytes) {
    return (bytes + 3) & ~3u;
}

bool is_data(const Frame &frame) {
    return frame.kind == FrameKind::data;
}

} // namespace

unsigned Burst::mpdu_bytes(const Frame &frame, bool qos) {
    switch (frame.kind) {
    case FrameKind::data: {
        const bool group = frame.receiver == kGroup;
        return (qos && !group ? kQosHeaderBytes : kDataHeaderBytes) +
               (frame.encrypted ? kCcmpBytes : 0) + kSnapBytes + frame.payload_bytes + kFcsBytes;
    }
    case FrameKind::eapol:
        return kDataHeaderBytes + kSnapBytes + frame.payload_bytes + kFcsBytes;
    case FrameKind::null:
        return kDataHeaderBytes + kFcsBytes;
    case FrameKind::ps_poll:
        return kPsPollBytes;
    default: // management
        break;
    }
    return kDataHeaderBytes + frame.payload_bytes + kFcsBytes;
}

Transmission Burst::compose(TxQueue &queue, Link &link, const Context &context, bool single) {
    const CellParameters &cell = context.parameters;
    queue_ = &queue;
    link_ = &link;
    Frame &first = queue[0];
    const bool group = first.receiver == kGroup;
    const bool data = is_data(first);
    // Group-addressed and management frames use the lowest basic rate, which every station can
    // receive; EAPOL does so, too, as in Linux (mac80211, IEEE80211_TX_CTL_USE_MINRATE).
    rate_ = group || (!data && first.kind != FrameKind::null) ? cell.lowest_basic()
                                                              : link.rate.current();
    unsigned bytes = mpdu_bytes(first, link.qos);
    positions_[0] = 0;
    count_ = 1;
    if (link.aggregate && data && !group && !single && rate(rate_).modulation == Modulation::ht) {
        unsigned total = kDelimiterBytes + padded(bytes);
        const std::size_t end = std::min<std::size_t>(queue.size(), cell.ampdu_frames);
        for (std::size_t i = 1; i < end; ++i) {
            const Frame &next = queue[i];
            if (!is_data(next) || next.receiver != first.receiver)
                break;
            if (next.received)
                continue;
            const unsigned more = kDelimiterBytes + padded(mpdu_bytes(next, true));
            if (total + more > cell.ampdu_bytes ||
                ppdu_duration(rate_, total + more, false) > cell.ampdu_duration)
                break;
            total += more;
            positions_[count_++] = static_cast<std::uint16_t>(i);
        }
        if (count_ > 1) {
            bytes = total;
            ++next_ampdu_;
            ++link.counters.aggregates;
        }
    }
    for (unsigned i = 0; i < count_; ++i) {
        Frame &frame = queue[positions_[i]];
        if (frame.attempts == 0) {
            frame.sequence = link.next_sequence;
            link.next_sequence = (link.next_sequence + 1) & 0xfff;
            if (frame.encrypted)
                frame.packet_number = group ? ++context.group_packets : ++link.packet_number;
        }
        ++link.counters.attempts;
        link.counters.retries += frame.attempts > 0 ? 1 : 0;
    }
    data_ = ppdu_duration(rate_, bytes, cell.short_preamble);
    cts_ = Time(0);
    if (cell.protection && rate(rate_).modulation != Modulation::dsss) {
        cts_rate_ = control_rate(3, cell.basic_rates); // the fastest basic DSSS rate
        cts_ = ppdu_duration(cts_rate_, kCtsBytes, cell.short_preamble);
    }
    response_rate_ = control_rate(rate_, cell.basic_rates);
    response_ = Time(0);
    if (!group)
        response_ = ppdu_duration(response_rate_, count_ > 1 ? kBlockAckBytes : kAckBytes,
                                  cell.short_preamble);
    const Time lead = cts_ > Time(0) ? cts_ + context.timing.sifs : Time(0);
    link.counters.airtime += lead + data_;
    return {lead + data_, response_, rate(response_rate_).modulation, queue.outside() > 0};
}

Outcome Burst::conclude_group(const Context &context, Time start, bool collided,
                              const Deliver &deliver, const Leave &leave) {
    Frame &frame = (*queue_)[0];
    log_data(context, start, collided, collided ? 0 : 1);
    ++(collided ? link_->counters.collisions : link_->counters.frames_received);
    frame.received = !collided;
    if (!collided)
        deliver(frame);
    leave(frame, !collided);
    queue_->pop();
    count_ = 0;
    return Outcome::no_response;
}

Outcome Burst::conclude(const Context &context, Time start, bool collided, bool listening,
                        const Deliver &deliver, const Leave &leave) {
    if ((*queue_)[0].receiver == kGroup)
        return conclude_group(context, start, collided, deliver, leave);
    LinkCounters &counters = link_->counters;
    std::uint64_t received = 0; // one bit for each MPDU of this access
    for (unsigned i = 0; i < count_; ++i) {
        Frame &frame = (*queue_)[positions_[i]];
        const bool lost =
            collided || !listening ||
            context.errors.chance(link_->error.data_loss(rate_, mpdu_bytes(frame, link_->qos)));
        if (lost) {
            ++(collided ? counters.collisions : counters.errors);
            continue;
        }
        received |= std::uint64_t{1} << i;
        if (!frame.received && is_data(frame)) {
            ++counters.frames_received;
            counters.bytes_received += frame.payload_bytes;
        }
        frame.received = true;
    }
    log_data(context, start, collided, received);
    const bool answered =
        received != 0 && !context.errors.chance(link_->error.control_loss(
                             response_rate_, count_ > 1 ? kBlockAckBytes : kAckBytes));
    if (received != 0)
        log_response(context, start, received);
    bool gave_up = false;
    std::array<bool, 64> acknowledged{};
    unsigned good = 0;
    for (unsigned i = 0; i < count_; ++i) {
        acknowledged[i] = answered && (received >> i & 1);
        good += acknowledged[i] ? 1 : 0;
    }
    link_->rate.report(2 * good >= count_ && good > 0);
    // From the back, so that earlier positions stay valid when a frame is given up.
    for (unsigned i = count_; i-- > 0;) {
        Frame &frame = (*queue_)[positions_[i]];
        if (acknowledged[i]) {
            frame.acknowledged = true;
        } else if (++frame.attempts > context.parameters.retry_limit) {
            gave_up = true;
            if (frame.received) { // only its acknowledgement was lost
                frame.acknowledged = true;
            } else {
                ++counters.given_up;
                leave(frame, false);
                queue_->erase(positions_[i]);
            }
        }
    }
    count_ = 0;
    release(deliver, leave);
    if (answered)
        return Outcome::answered;
    return gave_up ? Outcome::given_up : Outcome::unanswered;
}

// The receiver delivers frames in order: each waits for those before it. The sender removes them in
// order.
void Burst::release(const Deliver &deliver, const Leave &leave) {
    for (std::size_t i = 0; i < queue_->size(); ++i) {
        Frame &frame = (*queue_)[i];
        if (!frame.received)
            break;
        if (!frame.delivered) {
            frame.delivered = true;
            deliver(frame);
        }
    }
    while (!queue_->empty() && (*queue_)[0].acknowledged) {
        leave((*queue_)[0], true);
        queue_->pop();
    }
}

void Burst::log_data(const Context &context, Time start, bool collided, std::uint64_t received) {
    if (context.log == nullptr)
        return;
    const Time sifs = context.timing.sifs;
    const Time reserved = response_ > Time(0) ? sifs + response_ : Time(0);
    AirRecord record;
    record.start = start;
    record.frame = &(*queue_)[positions_[0]];
    record.damaged = collided;
    if (cts_ > Time(0)) {
        record.control = AirRecord::Control::cts;
        record.rate = cts_rate_;
        record.reserved = sifs + data_ + reserved;
        context.log->record(record);
        record.start += cts_ + sifs;
    }
    record.control = AirRecord::Control::none;
    record.rate = rate_;
    record.reserved = reserved;
    record.ampdu = count_ > 1 ? next_ampdu_ : 0;
    for (unsigned i = 0; i < count_; ++i) {
        const Frame &frame = (*queue_)[positions_[i]];
        record.frame = &frame;
        record.damaged = (received >> i & 1) == 0;
        record.retry = frame.attempts > 0;
        record.last_of_ampdu = i + 1 == count_;
        context.log->record(record);
    }
}

void Burst::log_response(const Context &context, Time start, std::uint64_t received) {
    if (context.log == nullptr)
        return;
    const Time lead = cts_ > Time(0) ? cts_ + context.timing.sifs : Time(0);
    AirRecord record;
    record.start = start + lead + data_ + context.timing.sifs;
    record.frame = &(*queue_)[positions_[0]];
    record.rate = response_rate_;
    record.control = count_ > 1 ? AirRecord::Control::block_ack : AirRecord::Control::ack;
    record.block_ack_start = record.frame->sequence;
    for (unsigned i = 0; i < count_; ++i)
        if (received >> i & 1) {
            const Frame &frame = (*queue_)[positions_[i]];
            record.block_ack_bitmap |= std::uint64_t{1}
                                       << ((frame.sequence - record.block_ack_start) & 63);
        }
    context.log->record(record);
}

} // namespace air
