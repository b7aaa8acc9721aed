// The base station's scheduler: round robin over the devices that need a grant or an assignment, at
// every NPDCCH search space of a coverage level (TS 36.213 16.6).
#include <algorithm>
#include <cmath>
#include <limits>

#include "check.hpp"
#include "numeric.hpp"
#include "spec.hpp"
#include "system.hpp"

namespace nbiot {

namespace {
// Devices looked at in one search space: more never fit into it.
constexpr int kConsidered = 12;
constexpr Ms kAnyEnd = std::numeric_limits<Ms>::max();
} // namespace

Ms System::period_ms(int level) const {
    const Level &l = model_.cell.levels[static_cast<std::size_t>(level)];
    return static_cast<Ms>(l.control_repetitions * l.control_period_factor);
}

bool System::needs_downlink(const Device &device) const {
    return device.down.waiting || device.base_status_due ||
           (!device.downlink.empty() && device.downlink_blocked <= now_ms());
}

bool System::needs_uplink(const Device &device) {
    return device.up.waiting || device.reported > 0 || device.status_hint;
}

// Puts a device with something to send or to receive into the list of its level.
void System::want_service(Device &device) {
    if (device.queued || device.access.active || device.up.active || device.down.active ||
        !(needs_downlink(device) || needs_uplink(device)))
        return;
    device.queued = true;
    CellState &state = cells_[static_cast<std::size_t>(device.cell)];
    state.waiting[static_cast<std::size_t>(device.level)].push_back(
        {device.index, device.generation, 0});
    arm_occasion(device.cell, device.level);
}

// Wakes the scheduler at the level's next search space.
void System::arm_occasion(int cell, int level_index) {
    const auto l = static_cast<std::size_t>(level_index);
    CellState &state = cells_[static_cast<std::size_t>(cell)];
    if (state.armed[l])
        return;
    state.armed[l] = true;
    const Ms period = period_ms(level_index);
    const Ms offset =
        (static_cast<Ms>(model_.cell.levels[l].control_offset * static_cast<double>(period)) +
         state.phase) %
        period;
    const Ms next = (now_ms() - offset + period) / period * period + offset;
    queue_.schedule(at_ms(next), [this, cell, level_index] { occasion(cell, level_index); });
}

void System::occasion(int cell, int level_index) {
    const auto l = static_cast<std::size_t>(level_index);
    CellState &state = cells_[static_cast<std::size_t>(cell)];
    state.armed[l] = false;
    const Ms now = now_ms();
    state.downlink.advance(now);
    state.uplink.advance(now);

    SearchSpace space(state.downlink, now, model_.cell.levels[l].control_repetitions);
    while (schedule_response(cell, level_index, space))
        space.look();
    auto &waiting = state.waiting[l];
    auto entry = waiting.begin();
    for (int looked = 0; looked < kConsidered && entry != waiting.end(); ++looked) {
        Device *device = find(entry->device, entry->generation);
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
    if (!waiting.empty() || !state.responses[l].empty())
        arm_occasion(cell, level_index);
}

// The first free candidate of the search space with the least repetitions that `snr_db` asks for.
System::Control System::find_control(const SearchSpace &space, Ms ready, int level,
                                     double snr_db) const {
    const auto l = static_cast<std::size_t>(level);
    std::size_t step = 0;
    while (step < 3 && tables_.control_snr_db[l][step] > snr_db)
        ++step;
    return {space.candidate(1u << step, ready),
            model_.cell.levels[l].control_repetitions >> (3 - step)};
}

// True when the device needs nothing more from the list: served, or nothing to do.
bool System::schedule(Device &device, const SearchSpace &space) {
    const bool down = needs_downlink(device), up = needs_uplink(device);
    if (!down && !up)
        return true;
    if (space.full())
        return false;
    const Control control =
        find_control(space, device.ready, device.level, downlink_estimate_db(device));
    if (!control.span.valid())
        return false;
    // What failed goes first; else the answer to the device before its next grant, but a bare RLC
    // status waits for the uplink.
    const bool bare_status = !device.down.waiting && device.downlink.empty();
    const bool down_first = down && !device.up.waiting && !(bare_status && up);
    if (down_first)
        return schedule_downlink(device, control) || (up && schedule_uplink(device, control));
    return schedule_uplink(device, control) || (down && schedule_downlink(device, control));
}

bool System::schedule_downlink(Device &device, const Control &control) {
    CellState &state = cells_[static_cast<std::size_t>(device.cell)];
    Block &block = device.down;
    if (!block.waiting) {
        const bool blocked = device.downlink_blocked > now_ms();
        const int bytes =
            (blocked ? 0 : buffered(device.downlink)) +
            (blocked || device.downlink.empty()
                 ? 0
                 : spec::kMacSubheaderBytes + spec::kRlcHeaderBytes) +
            (device.base_status_due ? spec::kMacSubheaderBytes + spec::kRlcStatusBytes : 0) +
            (device.connected ? 0 : spec::kContentionIdBytes);
        block.format = &tables_.downlink.choose(8 * bytes, downlink_estimate_db(device),
                                                static_cast<int>(period_ms(device.level)));
    }
    const auto &delays = level_of(device).control_repetitions < 128 ? spec::kDownlinkDelaySmall
                                                                    : spec::kDownlinkDelayLarge;
    const int ack_ms = spec::kAckResourceUnitMs * level_of(device).ack_repetitions;
    for (const int delay : delays) {
        const Span data = state.downlink.fit(control.span.end - 1 + spec::kDownlinkGap + delay,
                                             block.format->duration_ms);
        if (!data.valid())
            continue;
        int tone = 0;
        const Span ack = state.uplink.fit_acknowledgement(data.end - 1, ack_ms, tone);
        if (!ack.valid())
            continue;
        state.downlink.allocate(control.span);
        state.downlink.allocate(data);
        state.uplink.allocate(ack, tone, 1);
        block.control = control.span;
        block.control_subframes = control.subframes;
        block.data = data;
        block.ack = ack;
        block.first_tone = tone;
        block.active = true;
        if (!block.waiting)
            take_downlink(device);
        block.waiting = false;
        ++block.attempts;
        ++tally_.control_messages;
        tally_.control_ms += block.control_subframes;
        tally_.downlink_ms += block.format->duration_ms;
        tally_.uplink_tone_ms += ack_ms;
        later(device, data.end, &System::downlink_end);
        return true;
    }
    return false;
}

bool System::schedule_uplink(Device &device, const Control &control) {
    CellState &state = cells_[static_cast<std::size_t>(device.cell)];
    Block &block = device.up;
    const int period = static_cast<int>(period_ms(device.level));
    const int bytes = device.reported +
                      (device.reported > 0 ? spec::kMacSubheaderBytes + spec::kRlcHeaderBytes : 0) +
                      spec::kMacBsrBytes +
                      (device.status_hint ? spec::kMacSubheaderBytes + spec::kRlcStatusBytes : 0);
    const double path_db = uplink_path_db(device);
    const Format *chosen = nullptr;
    Span best;
    int best_tone = 0;
    Ms least = kAnyEnd;
    for (std::size_t kind = model_.cell.uplink_tones.size(); kind-- > 0;) { // the widest first
        const int tones = model_.cell.uplink_tones[kind];
        const Format &format =
            block.waiting ? *block.format
                          : tables_.uplink[kind].choose(
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
            int first = state.next_tone / tones * tones;
            const Span span = state.uplink.fit_any(
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
    state.next_tone = (best_tone + chosen->tones) % spec::kTones;
    state.downlink.allocate(control.span);
    state.uplink.allocate(best, best_tone, chosen->tones);
    block.format = chosen;
    block.control = control.span;
    block.control_subframes = control.subframes;
    block.data = best;
    block.first_tone = best_tone;
    block.active = true;
    block.hinted = device.status_hint;
    ++block.attempts;
    ++tally_.control_messages;
    tally_.control_ms += block.control_subframes;
    tally_.uplink_tone_ms += static_cast<double>(chosen->duration_ms) * chosen->tones;
    later(device, best.begin, &System::uplink_start);
    return true;
}

} // namespace nbiot
