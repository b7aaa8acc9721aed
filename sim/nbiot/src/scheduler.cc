#include "scheduler.hpp"

#include <limits>

#include "spec.hpp"

namespace nbiot {

namespace {
// The number of devices considered in one search space: more never fit.
constexpr int kConsidered = 12;
constexpr Ms kAnyEnd = std::numeric_limits<Ms>::max();
} // namespace

Scheduler::Scheduler(Network &network, Channel &channel)
    : network_(network), channel_(channel), cells_(network.carriers.size()) {}

bool Scheduler::needs_downlink(const Device &device) const {
    return device.down.waiting || device.base_status_due ||
           (!device.downlink.empty() && device.downlink_blocked <= network_.now_ms());
}

bool Scheduler::needs_uplink(const Device &device) {
    return device.up.waiting || device.reported > 0 || device.status_hint;
}

void Scheduler::want_service(Device &device) {
    if (device.queued || device.access.active || device.up.active || device.down.active ||
        !(needs_downlink(device) || needs_uplink(device)))
        return;
    device.queued = true;
    CellState &state = cells_[static_cast<std::size_t>(device.cell)];
    state.waiting[static_cast<std::size_t>(device.level)].push_back(Network::ref(device));
    arm(device.cell, device.level);
}

void Scheduler::arm(int cell, int level_index) {
    const auto l = static_cast<std::size_t>(level_index);
    CellState &state = cells_[static_cast<std::size_t>(cell)];
    if (state.armed[l])
        return;
    state.armed[l] = true;
    const Ms period = network_.period_ms(level_index);
    const Ms offset =
        (static_cast<Ms>(network_.level(level_index).control_offset * static_cast<double>(period)) +
         network_.carrier(cell).phase) %
        period;
    const Ms next = (network_.now_ms() - offset + period) / period * period + offset;
    network_.queue.schedule(Network::at_ms(next),
                            [this, cell, level_index] { occasion(cell, level_index); });
}

void Scheduler::occasion(int cell, int level_index) {
    const auto l = static_cast<std::size_t>(level_index);
    CellState &state = cells_[static_cast<std::size_t>(cell)];
    state.armed[l] = false;
    const Ms now = network_.now_ms();
    Carrier &carrier = network_.carrier(cell);
    carrier.downlink.advance(now);
    carrier.uplink.advance(now);

    SearchSpace space(carrier.downlink, now, network_.level(level_index).control_repetitions);
    while (responder_->respond(cell, level_index, space))
        space.look();
    auto &waiting = state.waiting[l];
    auto entry = waiting.begin();
    for (int looked = 0; looked < kConsidered && entry != waiting.end(); ++looked) {
        Device *device = network_.find(*entry);
        const bool stale = device == nullptr || !device->queued || device->level != level_index;
        const bool waits = !stale && !device->access.active;
        if (waits && (device->ready > space.last() || !schedule(*device, space))) {
            ++entry;
            continue;
        }
        if (!stale)
            device->queued = false;
        space.look();
        entry = waiting.erase(entry);
    }
    if (!waiting.empty() || responder_->has_responses(cell, level_index))
        arm(cell, level_index);
}

Control Scheduler::find_control(const SearchSpace &space, Ms ready, int level,
                                double snr_db) const {
    const auto &needed = network_.tables.control_snr_db[static_cast<std::size_t>(level)];
    std::size_t step = 0;
    while (step < 3 && needed[step] > snr_db)
        ++step;
    return {space.candidate(1u << step, ready),
            network_.level(level).control_repetitions >> (3 - step)};
}

// True when the device needs nothing more from the list: served, or nothing to do.
bool Scheduler::schedule(Device &device, const SearchSpace &space) {
    const bool down = needs_downlink(device), up = needs_uplink(device);
    if (!down && !up)
        return true;
    if (space.full())
        return false;
    const Control control =
        find_control(space, device.ready, device.level, channel_.downlink_estimate_db(device));
    if (!control.span.valid())
        return false;
    // Failed blocks go first; then the answer to the device before its next grant, but an RLC
    // status alone waits for the uplink.
    const bool bare_status = !device.down.waiting && device.downlink.empty();
    const bool down_first = down && !device.up.waiting && !(bare_status && up);
    if (down_first)
        return schedule_downlink(device, control) || (up && schedule_uplink(device, control));
    return schedule_uplink(device, control) || (down && schedule_downlink(device, control));
}

bool Scheduler::schedule_downlink(Device &device, const Control &control) {
    Carrier &carrier = network_.carrier(device.cell);
    Block &block = device.down;
    if (!block.waiting) {
        const bool blocked = device.downlink_blocked > network_.now_ms();
        const int bytes =
            (blocked ? 0 : buffered(device.downlink)) +
            (blocked || device.downlink.empty()
                 ? 0
                 : spec::kMacSubheaderBytes + spec::kRlcHeaderBytes) +
            (device.base_status_due ? spec::kMacSubheaderBytes + spec::kRlcStatusBytes : 0) +
            (device.connected ? 0 : spec::kContentionIdBytes);
        block.format =
            &network_.tables.downlink.choose(8 * bytes, channel_.downlink_estimate_db(device),
                                             static_cast<int>(network_.period_ms(device.level)));
    }
    const auto &delays = network_.level(device.level).control_repetitions < 128
                             ? spec::kDownlinkDelaySmall
                             : spec::kDownlinkDelayLarge;
    const int ack_ms = spec::kAckResourceUnitMs * network_.level(device.level).ack_repetitions;
    for (const int delay : delays) {
        const Span data = carrier.downlink.fit(control.span.end - 1 + spec::kDownlinkGap + delay,
                                               block.format->duration_ms);
        if (!data.valid())
            continue;
        int tone = 0;
        const Span ack = carrier.uplink.fit_acknowledgement(data.end - 1, ack_ms, tone);
        if (!ack.valid())
            continue;
        carrier.downlink.allocate(control.span);
        carrier.downlink.allocate(data);
        carrier.uplink.allocate(ack, tone, 1);
        block.control = control.span;
        block.control_subframes = control.subframes;
        block.data = data;
        block.ack = ack;
        block.first_tone = tone;
        block.active = true;
        ++network_.tally.control_messages;
        network_.tally.control_ms += block.control_subframes;
        network_.tally.downlink_ms += block.format->duration_ms;
        network_.tally.uplink_tone_ms += ack_ms;
        blocks_->assigned(device);
        return true;
    }
    return false;
}

bool Scheduler::schedule_uplink(Device &device, const Control &control) {
    Carrier &carrier = network_.carrier(device.cell);
    Block &block = device.up;
    const int period = static_cast<int>(network_.period_ms(device.level));
    const int bytes = device.reported +
                      (device.reported > 0 ? spec::kMacSubheaderBytes + spec::kRlcHeaderBytes : 0) +
                      spec::kMacBsrBytes +
                      (device.status_hint ? spec::kMacSubheaderBytes + spec::kRlcStatusBytes : 0);
    const double path_db = channel_.uplink_path_db(device);
    const Format *chosen = nullptr;
    Span best;
    int best_tone = 0;
    Ms least = kAnyEnd;
    for (std::size_t kind = network_.model.cell.uplink_tones.size();
         kind-- > 0;) { // the widest first
        const int tones = network_.model.cell.uplink_tones[kind];
        const Format &format =
            block.waiting ? *block.format
                          : network_.tables.uplink[kind].choose(
                                8 * bytes,
                                path_db + device.tone_dbm[static_cast<std::size_t>(tones)], period);
        if (format.tones != tones)
            continue; // a retransmission keeps its format
        const Ms blocks = (8 * bytes + format.bits - 1) / format.bits;
        const Ms later_blocks = block.waiting ? 0 : (blocks - 1) * (format.duration_ms + period);
        for (const int delay : spec::kUplinkGrantDelayMs) {
            const Ms from = control.span.end + delay;
            if (from + format.duration_ms + later_blocks >= least)
                break;
            int first = carrier.next_tone / tones * tones;
            const Span span = carrier.uplink.fit_any(
                from, format.duration_ms, tones, spec::kTones / tones, least - later_blocks, first);
            if (!span.valid())
                continue;
            least = span.end + later_blocks;
            chosen = &format;
            best = span;
            best_tone = first;
        }
    }
    if (chosen == nullptr)
        return false;
    carrier.next_tone = (best_tone + chosen->tones) % spec::kTones;
    carrier.downlink.allocate(control.span);
    carrier.uplink.allocate(best, best_tone, chosen->tones);
    block.format = chosen;
    block.control = control.span;
    block.control_subframes = control.subframes;
    block.data = best;
    block.first_tone = best_tone;
    block.active = true;
    block.hinted = device.status_hint;
    ++network_.tally.control_messages;
    network_.tally.control_ms += block.control_subframes;
    network_.tally.uplink_tone_ms += static_cast<double>(chosen->duration_ms) * chosen->tones;
    blocks_->granted(device);
    return true;
}

} // namespace nbiot
