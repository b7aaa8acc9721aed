// Transport blocks with HARQ, RLC acknowledged mode (TS 36.322) and the RRC connection
// (TS 36.331 5.3.3, 5.3.8) of a connected device.
#include <algorithm>

#include "check.hpp"
#include "numeric.hpp"
#include "spec.hpp"
#include "system.hpp"

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

void System::count_transmission(Device &device, Ms milliseconds, double power_mw) {
    const auto duration = static_cast<double>(milliseconds);
    device.transmit_ms += duration;
    device.transmit_mj +=
        duration * (spec::kTransmitOverheadMw + power_mw / spec::kAmplifierEfficiency) / 1000;
}

// Fills the downlink block: status first, then the buffer.
void System::take_downlink(Device &device) {
    Block &block = device.down;
    const bool blocked = device.downlink_blocked > now_ms();
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

void System::downlink_end(Device &device) {
    Block &block = device.down;
    check_half_duplex(device, block.control.begin, block.data.end,
                      "NPDCCH while the radio is busy");
    NBIOT_CHECK(block.active, "transport block evaluated twice");
    const auto gains = fading_.sample(device.downlink_fading, block.control.begin, radio_random_);
    const double control_snr =
        downlink_snr(device, block.control.begin, block.control.end) / spec::kDownlinkPorts;
    const bool missed = radio_random_.chance(
        control_error(control_snr * gains[0], control_snr * gains[1], block.control_subframes));
    if (missed) {
        ++tally_.control_errors;
        later(device, block.ack.end + model_.cell.processing_ms, &System::downlink_acknowledged);
        device.radio_free = block.control.end;
        return;
    }
    device.receive_ms += static_cast<double>(block.data.end - block.control.begin);
    const double branch =
        downlink_snr(device, block.data.begin, block.data.end) / spec::kDownlinkPorts;
    const Received part =
        receive(fading_, device.downlink_fading, radio_random_, block.data.begin, block.data.end,
                branch, block.format->pilots, block.format->symbols);
    block.received.symbols += part.symbols;
    block.received.energy += part.energy;
    ++tally_.downlink_blocks;
    bool acknowledge = block.decoded;
    if (!block.decoded) {
        acknowledge = !radio_random_.chance(
            block_error(block.received, block.format->bits + spec::kTransportBlockCrcBits, 2));
        if (!acknowledge)
            ++tally_.downlink_errors;
    }
    const double power = uplink_power_mw(device, 1, level_of(device).ack_repetitions);
    count_transmission(device, block.ack.end - block.ack.begin, power);
    check_half_duplex(device, block.ack.begin, block.ack.end, "acknowledgement while receiving");
    device.ready = block.ack.end + spec::kMonitorGapMs;
    if (acknowledge && !block.decoded) {
        block.decoded = true;
        if (block.poll)
            device.device_status_due = true;
        drain(device.downlink, block.bytes,
              [&](const Packet &packet) { deliver_to_device(device, packet); });
    }
    later(device, block.ack.end + model_.cell.processing_ms, &System::downlink_acknowledged);
}

// The base station has heard the acknowledgement, or nothing.
void System::downlink_acknowledged(Device &device) {
    Block &block = device.down;
    block.active = false;
    const bool heard = block.decoded && !radio_random_.chance(spec::kAckMissProbability);
    adapt(device.downlink_margin_db, heard);
    if (!heard)
        block_failed(device, block, false);
    if (device.releasing && device.downlink.empty() && !block.waiting) {
        remove_device(device);
        return;
    }
    if (heard && block.poll && model_.cell.status_grant)
        device.status_hint = true;
    maybe_request(device);
    want_service(device);
}

// Fills the uplink block when its grant has arrived (RLC concatenates what fits).
void System::take_uplink(Device &device) {
    Block &block = device.up;
    const bool blocked = device.uplink_blocked > now_ms();
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

void System::uplink_start(Device &device) {
    Block &block = device.up;
    const auto gains = fading_.sample(device.downlink_fading, block.control.begin, radio_random_);
    const double control_snr =
        downlink_snr(device, block.control.begin, block.control.end) / spec::kDownlinkPorts;
    block.mw_per_tone = 0;
    if (radio_random_.chance(control_error(control_snr * gains[0], control_snr * gains[1],
                                           block.control_subframes))) {
        ++tally_.control_errors;
        adapt(device.downlink_margin_db, false);
    } else {
        check_half_duplex(device, block.control.begin, block.control.end,
                          "NPDCCH while the radio is busy");
        check_half_duplex(device, block.data.begin, block.data.end,
                          "NPUSCH while the radio is busy");
        ++device.access.epoch; // a grant resolves contention (TS 36.321 5.1.5)
        device.receive_ms += static_cast<double>(block.control.end - block.control.begin);
        if (!block.waiting)
            take_uplink(device);
        const double power =
            uplink_power_mw(device, block.format->tones, block.format->repetitions);
        block.mw_per_tone = power / block.format->tones;
        count_transmission(device, block.data.end - block.data.begin, power);
        interference_.start(device.cell, device.gains, block.first_tone, block.format->tones,
                            block.mw_per_tone, now_ms());
        block.interference_before =
            interference_.integral(device.cell, block.first_tone, block.format->tones, now_ms());
    }
    later(device, block.data.end, &System::uplink_end);
}

void System::uplink_end(Device &device) {
    Block &block = device.up;
    NBIOT_CHECK(block.active, "transport block evaluated twice");
    block.active = false;
    device.ready = block.data.end + std::max(spec::kMonitorGapMs, model_.cell.processing_ms);
    if (block.mw_per_tone == 0) { // the grant was missed: ask again, nothing was sent
        --block.attempts;
        maybe_request(device);
        want_service(device);
        return;
    }
    const Format &format = *block.format;
    interference_.stop(device.cell, device.gains, block.first_tone, format.tones, block.mw_per_tone,
                       now_ms());
    const double duration = static_cast<double>(block.data.end - block.data.begin);
    const double interference =
        model_.scenario.interference
            ? (interference_.integral(device.cell, block.first_tone, format.tones, now_ms()) -
               block.interference_before) /
                  (duration * format.tones)
            : 0;
    const double branch = block.mw_per_tone * device.gain / (tone_noise_mw_ + interference);
    block.mw_per_tone = 0;
    const Received part = receive(fading_, device.uplink_fading, radio_random_, block.data.begin,
                                  block.data.end, branch, format.pilots, format.symbols);
    block.received.symbols += part.symbols;
    block.received.energy += part.energy;
    ++tally_.uplink_blocks;
    ++device.blocks_sent;
    const bool failed = radio_random_.chance(block_error(
        block.received, format.bits + spec::kTransportBlockCrcBits, format.bits_per_symbol));
    adapt(device.uplink_margin_db, !failed);
    if (failed) {
        ++tally_.uplink_errors;
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
              [&](const Packet &packet) { deliver_to_base(device, packet); });
    }
    maybe_request(device);
    want_service(device);
}

// HARQ: send again, up to the limit. Beyond it RLC recovers: at once when a later PDU will show the
// gap, after t-PollRetransmit when the lost PDU carried the poll (TS 36.322 5.2.2.2).
void System::block_failed(Device &device, Block &block, bool uplink) {
    if (block.attempts < model_.cell.harq_transmissions) {
        block.waiting = true;
        return;
    }
    const Ms until = block.poll ? now_ms() + model_.cell.poll_retransmit_ms : now_ms();
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
    if (until > now_ms())
        later(device, until, &System::want_service);
}

// A device whose data the base station does not know of asks for a grant by random access, after
// the prohibit timer (TS 36.321 5.4.5): the grant for a polled status often comes before.
void System::maybe_request(Device &device) {
    if (!device.connected || device.request_armed || device.access.active)
        return;
    const bool unknown = device.reported == 0 && !device.up.active && !device.up.waiting &&
                         (!device.uplink.empty() || device.device_status_due);
    if (!unknown)
        return;
    device.request_armed = true;
    const Ms prohibit = model_.cell.sr_prohibit_periods * period_ms(device.level);
    later(device, std::max(now_ms() + prohibit, device.uplink_blocked), &System::request_due);
}

void System::request_due(Device &device) {
    device.request_armed = false;
    if (!device.connected || device.access.active || device.reported > 0 || device.up.active ||
        device.up.waiting || (device.uplink.empty() && !device.device_status_due))
        return;
    if (device.down.active || device.uplink_blocked > now_ms()) {
        maybe_request(device);
        return;
    }
    begin_access(device, true);
}

void System::queue_uplink(Device &device, const Packet &packet) {
    if (!device.bearer) {
        device.held.push_back(packet);
        return;
    }
    device.uplink.push_back({packet, packet.bytes + spec::kPdcpHeaderBytes});
    maybe_request(device);
}

void System::signal_down(Device &device, Signal signal, int bytes) {
    Packet packet;
    packet.kind = Packet::kSignal;
    packet.signal = static_cast<std::uint8_t>(signal);
    packet.bytes = static_cast<std::uint16_t>(bytes);
    device.downlink.push_back({packet, bytes + spec::kPdcpHeaderBytes + spec::kPdcpMacIBytes});
    want_service(device);
}

void System::signal_up(Device &device, Signal signal, int bytes) {
    Packet packet;
    packet.kind = Packet::kSignal;
    packet.signal = static_cast<std::uint8_t>(signal);
    packet.bytes = static_cast<std::uint16_t>(bytes);
    const int length = bytes + spec::kPdcpHeaderBytes + spec::kPdcpMacIBytes;
    device.uplink.push_back({packet, length});
}

void System::open_bearer(Device &device) {
    device.bearer = true;
    for (const Packet &packet : device.held)
        device.uplink.push_back({packet, packet.bytes + spec::kPdcpHeaderBytes});
    device.held.clear();
}

void System::deliver_to_device(Device &device, const Packet &packet) {
    if (packet.kind != Packet::kSignal) {
        device.session.receive(*this, Side::kDevice, packet);
        return;
    }
    const Rrc &rrc = model_.rrc;
    const auto answer = [&](Signal signal, int bytes) {
        signal_up(device, signal, bytes);
        device.reported += device.uplink.back().left; // the base station expects it
    };
    switch (static_cast<Signal>(packet.signal)) {
    case Signal::kResume:
    case Signal::kSetup:
        ++device.access.epoch; // contention is resolved
        device.connected = true;
        device.connected_at = now_ms();
        if (static_cast<Signal>(packet.signal) == Signal::kResume) {
            answer(Signal::kResumeComplete, rrc.resume_complete_bytes);
            open_bearer(device);
        } else {
            device.reported = 0; // user data waits for the bearer
            answer(Signal::kSetupComplete, rrc.setup_complete_bytes);
        }
        break;
    case Signal::kSecurityCommand:
        answer(Signal::kSecurityComplete, rrc.security_complete_bytes);
        break;
    case Signal::kReconfiguration:
        answer(Signal::kReconfigurationComplete, rrc.reconfiguration_complete_bytes);
        open_bearer(device);
        break;
    default:
        break; // a release takes effect when it is acknowledged
    }
}

void System::deliver_to_base(Device &device, const Packet &packet) {
    if (packet.kind != Packet::kSignal) {
        cross_internet(device, Side::kCloud, packet);
        return;
    }
    if (static_cast<Signal>(packet.signal) == Signal::kSetupComplete)
        signal_down(device, Signal::kSecurityCommand, model_.rrc.security_command_bytes);
    else if (static_cast<Signal>(packet.signal) == Signal::kSecurityComplete)
        signal_down(device, Signal::kReconfiguration, model_.rrc.reconfiguration_bytes);
}

} // namespace nbiot
