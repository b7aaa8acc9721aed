#include "transfer.hpp"

#include <algorithm>

#include "check.hpp"
#include "spec.hpp"

namespace nbiot {

namespace {

// Outer loop of link adaptation: steps that hold the error rate at one in ten.
constexpr double kStepDownDb = 0.9;
constexpr double kStepUpDb = 0.1;
constexpr double kLowestMarginDb = -10;
constexpr double kHighestMarginDb = 3;

void adapt(double &margin_db, bool good) {
    margin_db = std::clamp(margin_db + (good ? kStepUpDb : -kStepDownDb), kLowestMarginDb,
                           kHighestMarginDb);
}

// Removes `bytes` from the head of an RLC buffer; calls `complete` for every packet that is whole.
template <typename Complete> void drain(std::vector<Queued> &queue, int bytes, Complete complete) {
    while (bytes > 0 && !queue.empty()) {
        Queued &head = queue.front();
        const int part = std::min(bytes, head.left);
        head.left -= part;
        bytes -= part;
        if (head.left == 0) {
            const Packet packet = head.packet;
            queue.erase(queue.begin());
            complete(packet);
        }
    }
}

} // namespace

void Transfer::assigned(Device &device) {
    Block &block = device.down;
    if (!block.waiting)
        take_downlink(device);
    block.waiting = false;
    ++block.attempts;
    later<&Transfer::downlink_end>(device, block.data.end);
}

void Transfer::granted(Device &device) {
    ++device.up.attempts;
    later<&Transfer::uplink_start>(device, device.up.data.begin);
}

// Fills the downlink block: status first, then the buffer.
void Transfer::take_downlink(Device &device) {
    Block &block = device.down;
    const bool blocked = device.downlink_blocked > network_.now_ms();
    int room = block.format->bits / 8 - (device.connected ? 0 : spec::kContentionIdBytes);
    block.status = device.base_status_due;
    if (block.status)
        room -= spec::kMacSubheaderBytes + spec::kRlcStatusBytes;
    const int waiting = blocked ? 0 : buffered(device.downlink);
    block.bytes = std::clamp(room - spec::kMacSubheaderBytes - spec::kRlcHeaderBytes, 0, waiting);
    block.poll = block.bytes > 0 && block.bytes == waiting && !device.releasing;
    block.decoded = false;
    block.attempts = 0;
    block.received = {};
    device.base_status_due = false;
}

void Transfer::downlink_end(Device &device) {
    Block &block = device.down;
    Channel::occupy(device, block.control.begin, block.data.end, "NPDCCH while the radio is busy");
    NBIOT_CHECK(block.active, "transport block evaluated twice");
    if (channel_.chance(channel_.control_missed(device, block.control, block.control_subframes))) {
        ++network_.tally.control_errors;
        later<&Transfer::downlink_acknowledged>(device,
                                                block.ack.end + network_.model.cell.processing_ms);
        device.radio_free = block.control.end;
        return;
    }
    device.receive_ms += static_cast<double>(block.data.end - block.control.begin);
    const Received part = channel_.receive_downlink(device, block.data, *block.format);
    block.received.symbols += part.symbols;
    block.received.energy += part.energy;
    ++network_.tally.downlink_blocks;
    bool acknowledge = block.decoded;
    if (!block.decoded) {
        acknowledge = !channel_.chance(
            block_error(block.received, block.format->bits + spec::kTransportBlockCrcBits, 2));
        if (!acknowledge)
            ++network_.tally.downlink_errors;
    }
    const double power =
        channel_.uplink_power_mw(device, 1, network_.level(device.level).ack_repetitions);
    Channel::count_transmission(device, block.ack.end - block.ack.begin, power);
    Channel::occupy(device, block.ack.begin, block.ack.end, "acknowledgement while receiving");
    device.ready = block.ack.end + spec::kMonitorGapMs;
    if (acknowledge && !block.decoded) {
        block.decoded = true;
        if (block.poll)
            device.device_status_due = true;
        drain(device.downlink, block.bytes,
              [&](const Packet &packet) { sink_->arrived_at_device(device, packet); });
    }
    later<&Transfer::downlink_acknowledged>(device,
                                            block.ack.end + network_.model.cell.processing_ms);
}

// The base station has received the acknowledgement, or nothing.
void Transfer::downlink_acknowledged(Device &device) {
    Block &block = device.down;
    block.active = false;
    const bool heard = block.decoded && !channel_.chance(spec::kAckMissProbability);
    adapt(device.downlink_margin_db, heard);
    if (!heard)
        block_failed(device, block, false);
    if (device.releasing && device.downlink.empty() && !block.waiting) {
        sink_->released(device);
        return;
    }
    if (heard && block.poll && network_.model.cell.status_grant)
        device.status_hint = true;
    maybe_request(device);
    scheduler_.want_service(device);
}

// Fills the uplink block when its grant has arrived (RLC concatenates what fits).
void Transfer::take_uplink(Device &device) {
    Block &block = device.up;
    const bool blocked = device.uplink_blocked > network_.now_ms();
    int room = block.format->bits / 8 - spec::kMacBsrBytes;
    block.status = device.device_status_due;
    if (block.status)
        room -= spec::kMacSubheaderBytes + spec::kRlcStatusBytes;
    const int waiting = blocked ? 0 : buffered(device.uplink);
    block.bytes = std::clamp(room - spec::kMacSubheaderBytes - spec::kRlcHeaderBytes, 0, waiting);
    block.remaining = waiting - block.bytes;
    block.poll = block.bytes > 0 && block.remaining == 0;
    block.received = {};
    device.device_status_due = false;
}

void Transfer::uplink_start(Device &device) {
    Block &block = device.up;
    block.mw_per_tone = 0;
    if (channel_.chance(channel_.control_missed(device, block.control, block.control_subframes))) {
        ++network_.tally.control_errors;
        adapt(device.downlink_margin_db, false);
    } else {
        Channel::occupy(device, block.control.begin, block.control.end,
                        "NPDCCH while the radio is busy");
        Channel::occupy(device, block.data.begin, block.data.end, "NPUSCH while the radio is busy");
        ++device.access.epoch; // a grant resolves contention (TS 36.321 5.1.5)
        device.receive_ms += static_cast<double>(block.control.end - block.control.begin);
        if (!block.waiting)
            take_uplink(device);
        const double power =
            channel_.uplink_power_mw(device, block.format->tones, block.format->repetitions);
        block.mw_per_tone = power / block.format->tones;
        Channel::count_transmission(device, block.data.end - block.data.begin, power);
        channel_.start(device, block.first_tone, block.format->tones, block.mw_per_tone);
        block.interference_before =
            channel_.interference(device.cell, block.first_tone, block.format->tones);
    }
    later<&Transfer::uplink_end>(device, block.data.end);
}

void Transfer::uplink_end(Device &device) {
    Block &block = device.up;
    NBIOT_CHECK(block.active, "transport block evaluated twice");
    block.active = false;
    device.ready =
        block.data.end + std::max(spec::kMonitorGapMs, network_.model.cell.processing_ms);
    if (block.mw_per_tone == 0) { // the grant was missed: ask again, nothing was sent
        --block.attempts;
        maybe_request(device);
        scheduler_.want_service(device);
        return;
    }
    const Format &format = *block.format;
    channel_.stop(device, block.first_tone, format.tones, block.mw_per_tone);
    const double duration = static_cast<double>(block.data.end - block.data.begin);
    const double interference =
        (channel_.interference(device.cell, block.first_tone, format.tones) -
         block.interference_before) /
        (duration * format.tones);
    const double ratio = block.mw_per_tone * device.gain / channel_.tone_noise_mw(interference);
    block.mw_per_tone = 0;
    const Received part = channel_.receive_uplink(device, block.data, format, ratio);
    block.received.symbols += part.symbols;
    block.received.energy += part.energy;
    ++network_.tally.uplink_blocks;
    const bool failed = channel_.chance(block_error(
        block.received, format.bits + spec::kTransportBlockCrcBits, format.bits_per_symbol));
    adapt(device.uplink_margin_db, !failed);
    if (failed) {
        ++network_.tally.uplink_errors;
        block_failed(device, block, true);
    } else {
        const Block sent = block;
        block = Block{};
        device.reported = sent.remaining;
        if (sent.status || sent.hinted)
            device.status_hint = false;
        if (sent.poll)
            device.base_status_due = true;
        drain(device.uplink, sent.bytes,
              [&](const Packet &packet) { sink_->arrived_at_base(device, packet); });
    }
    maybe_request(device);
    scheduler_.want_service(device);
}

// HARQ: send again, up to the limit. Beyond it RLC recovers: at once when a later PDU will show the
// gap, after t-PollRetransmit when the lost PDU carried the poll (TS 36.322 5.2.2.2).
void Transfer::block_failed(Device &device, Block &block, bool uplink) {
    if (block.attempts < network_.model.cell.harq_transmissions) {
        block.waiting = true;
        return;
    }
    const Ms until =
        block.poll ? network_.now_ms() + network_.model.cell.poll_retransmit_ms : network_.now_ms();
    if (block.status)
        (uplink ? device.device_status_due : device.base_status_due) = true;
    if (uplink) {
        device.uplink_blocked = until;
        device.reported = 0;
        device.status_hint = false;
    } else if (!block.decoded) {
        device.downlink_blocked = until;
    }
    block = Block{};
    if (until > network_.now_ms())
        network_.later(device, until, [this](Device &d) { scheduler_.want_service(d); });
}

// A device with data unknown to the base station requests a grant by random access, after the
// prohibit timer (TS 36.321 5.4.5): the grant for a polled status often arrives before.
void Transfer::maybe_request(Device &device) {
    if (!device.connected || device.request_armed || device.access.active)
        return;
    const bool unknown = device.reported == 0 && !device.up.active && !device.up.waiting &&
                         (!device.uplink.empty() || device.device_status_due);
    if (!unknown)
        return;
    device.request_armed = true;
    const Ms prohibit = network_.model.cell.sr_prohibit_periods * network_.period_ms(device.level);
    later<&Transfer::request_due>(device,
                                  std::max(network_.now_ms() + prohibit, device.uplink_blocked));
}

void Transfer::request_due(Device &device) {
    device.request_armed = false;
    if (!device.connected || device.access.active || device.reported > 0 || device.up.active ||
        device.up.waiting || (device.uplink.empty() && !device.device_status_due))
        return;
    if (device.down.active || device.uplink_blocked > network_.now_ms()) {
        maybe_request(device);
        return;
    }
    access_.begin(device, true);
}

} // namespace nbiot
