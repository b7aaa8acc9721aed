// Random access: TS 36.321 5.1 with the NB-IoT rules, TS 36.211 10.1.6, TS 36.213 16.3.
#include <algorithm>
#include <cmath>
#include <limits>

#include "check.hpp"
#include "numeric.hpp"
#include "spec.hpp"
#include "system.hpp"

namespace nbiot {

namespace {

Ms preamble_ms(const Level &level) {
    return static_cast<Ms>(
        std::ceil(level.preamble_repetitions * spec::kPreambleRepetitionMs - 1e-9));
}

} // namespace

// Starts random access from idle, or as the scheduling request of a connected device, which has no
// other way to ask for a grant (TS 36.321 5.4.4).
void System::begin_access(Device &device, bool connected) {
    Access &access = device.access;
    ++access.epoch;
    access.active = true;
    access.connected = connected;
    access.level = device.level;
    access.level_attempts = 0;
    access.attempts = 0;
    access.began = now_ms();
    join_occasion(device);
}

// Chooses a preamble in the next occasion of the device's level.
void System::join_occasion(Device &device) {
    Access &access = device.access;
    const auto level_index = static_cast<std::size_t>(access.level);
    const Level &level = model_.cell.levels[level_index];
    const Ms earliest = std::max(now_ms() + 1, device.radio_free + spec::kTurnaroundMs);
    const Ms period = level.preamble_period_ms;
    CellState &state = cells_[static_cast<std::size_t>(device.cell)];
    const Ms start = (level.preamble_start_ms + state.phase) % period;
    const Ms begin = start + (earliest - start + period - 1) / period * period;
    ++access.attempts;
    ++access.level_attempts;
    access.preamble = static_cast<int>(access_random_.integer(0, level.preambles - 1));
    Occasion &occasion = state.occasions[level_index];
    if (occasion.began == begin) {
        occasion.attempts.push_back({device.index, device.generation, access.epoch});
    } else if (begin > now_ms() && occasion.began < now_ms() && occasion.attempts.empty()) {
        occasion.began = begin;
        occasion.attempts.push_back({device.index, device.generation, access.epoch});
        queue_.schedule(at_ms(begin + preamble_ms(level)),
                        [this, cell = device.cell, l = access.level, begin] {
                            close_occasion(cell, l, begin);
                        });
    } else { // the occasion before is still in the air: decide when it is over
        --access.attempts;
        --access.level_attempts;
        later_access<&System::join_occasion>(device, occasion.began + preamble_ms(level) + 1);
    }
}

// TS 36.213 16.3.1 and TS 36.321 5.1.3: power control with ramping in the lowest level, full power
// in the others.
double System::preamble_power_mw(const Device &device) const {
    if (device.access.level > 0)
        return device_mw_;
    const double target = model_.cell.preamble_target_dbm +
                          (device.access.attempts - 1) * model_.cell.ramping_db -
                          lowest_repetitions_db_;
    return from_db(std::min(model_.scenario.device_power_dbm, target - device.gain_db));
}

// The end of an NPRACH occasion: detects preambles and opens their response window.
void System::close_occasion(int cell, int level_index, Ms began) {
    CellState &state = cells_[static_cast<std::size_t>(cell)];
    const auto l = static_cast<std::size_t>(level_index);
    const Level &level = model_.cell.levels[l];
    std::vector<Attempt> attempts;
    attempts.swap(state.occasions[l].attempts);
    state.occasions[l].began = -1;

    const Ms end = began + preamble_ms(level);
    const Ms opens = end + (level.preamble_repetitions >= 64 ? spec::kResponseWindowDelayLongMs
                                                             : spec::kResponseWindowDelayMs);
    Response response{opens, opens + level.response_window * period_ms(level_index), {}};
    std::vector<std::vector<Attempt>> chosen(static_cast<std::size_t>(level.preambles));
    std::vector<double> snr(static_cast<std::size_t>(level.preambles), 0);
    const double noise =
        preamble_noise_mw_ + (model_.scenario.interference
                                  ? state.uplink_interference / spec::kPreambleTonesPerTone
                                  : 0);
    for (const Attempt &attempt : attempts) {
        Device *device = find(attempt.device, attempt.generation);
        if (device == nullptr || device->access.epoch != attempt.epoch)
            continue;
        const auto preamble = static_cast<std::size_t>(device->access.preamble);
        chosen[preamble].push_back(attempt);
        check_half_duplex(*device, began, end, "preamble while the radio is busy");
        const double power_mw = preamble_power_mw(*device);
        count_transmission(*device, end - began, power_mw);
        ++tally_.preambles;
        ++device->preambles_sent;
        for (const double gain :
             fading_.sample(device->uplink_fading, (began + end) / 2, radio_random_))
            snr[preamble] += power_mw * device->gain * gain / noise;
    }
    const std::uint32_t slot = attempts_.put(std::move(attempts));
    queue_.schedule(at_ms(response.closes), [this, slot] { close_window(slot); });
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        if (chosen[i].size() > 1)
            tally_.preamble_collisions += chosen[i].size();
        if (!chosen[i].empty() &&
            radio_random_.chance(preamble_detection(snr[i], level.preamble_repetitions)))
            response.preambles.push_back(std::move(chosen[i]));
    }
    if (!response.preambles.empty()) {
        state.responses[l].push_back(std::move(response));
        arm_occasion(cell, level_index);
    }
}

// The response window's end. Without a response an attempt has failed, whatever the base station
// heard.
void System::close_window(std::uint32_t slot) {
    for (const Attempt &attempt : attempts_.take(slot)) {
        Device *device = find(attempt.device, attempt.generation);
        if (device != nullptr && device->access.epoch == attempt.epoch)
            access_failed(*device);
    }
}

// No response, or contention lost: back off, move up a level, or give up (TS 36.321 5.1.4, 5.1.5).
void System::access_failed(Device &device) {
    Access &access = device.access;
    ++tally_.access_failures;
    ++access.epoch;
    const Level &level = model_.cell.levels[static_cast<std::size_t>(access.level)];
    if (access.level_attempts >= level.attempts && access.level < 2) {
        ++access.level;
        access.level_attempts = 0;
    }
    if (access.attempts >= model_.cell.preamble_attempts) {
        // A connected device falls back to idle; both try again when T300 is over
        // (TS 36.331 5.3.3.6; upper layers of a report still waiting ask again).
        const Ms again = std::max(now_ms() + 1, access.began + model_.cell.t300_ms);
        later_access<&System::restart_access>(device, again);
        return;
    }
    const auto backoff = access_random_.integer(0, model_.cell.backoff_ms);
    later_access<&System::join_occasion>(device, now_ms() + backoff);
}

void System::restart_access(Device &device) {
    begin_access(device, device.connected);
}

// Sends one response for as many preambles of an occasion as fit, with their Msg3 grants.
bool System::schedule_response(int cell, int level_index, const SearchSpace &space) {
    CellState &state = cells_[static_cast<std::size_t>(cell)];
    auto &pending = state.responses[static_cast<std::size_t>(level_index)];
    while (!pending.empty() && pending.front().closes <= space.first())
        pending.erase(pending.begin());
    if (pending.empty() || pending.front().opens > space.last() || space.full())
        return false;
    Response &response = pending.front();
    const int most = 680 / (8 * spec::kRarEntryBytes);
    const int entries = std::min(static_cast<int>(response.preambles.size()), most);

    // Without HARQ, the response is made for the case that all other cells send.
    double weakest_db = 1e9;
    for (int i = 0; i < entries; ++i)
        for (const Attempt &attempt : response.preambles[static_cast<std::size_t>(i)])
            if (const Device *device = find(attempt.device, attempt.generation))
                weakest_db = std::min(weakest_db, device->worst_db);
    ResponseBlock block;
    block.cell = cell;
    const Control control = find_control(space, response.opens, level_index, weakest_db);
    if (!control.span.valid())
        return false;
    block.control = control.span;
    block.control_subframes = control.subframes;
    block.format =
        &tables_.downlink.choose(8 * spec::kRarEntryBytes * entries, weakest_db, 1 << 20);
    for (const int delay :
         model_.cell.levels[static_cast<std::size_t>(level_index)].control_repetitions < 128
             ? spec::kDownlinkDelaySmall
             : spec::kDownlinkDelayLarge) {
        block.data = state.downlink.fit(block.control.end - 1 + spec::kDownlinkGap + delay,
                                        block.format->duration_ms);
        if (block.data.valid())
            break;
    }
    if (!block.data.valid() || block.data.end > response.closes)
        return false;
    state.downlink.allocate(block.control);
    state.downlink.allocate(block.data);
    tally_.control_ms += block.control_subframes;
    tally_.downlink_ms += block.format->duration_ms;
    ++tally_.control_messages;

    for (int i = 0; i < entries; ++i) {
        auto &contenders = response.preambles[static_cast<std::size_t>(i)];
        Msg3 grant;
        grant.cell = cell;
        double best_db = -1e9;
        for (const Attempt &attempt : contenders)
            if (const Device *device = find(attempt.device, attempt.generation))
                best_db = std::max(best_db, uplink_path_db(*device) + device->tone_dbm[1]);
        grant.format = &tables_.uplink.front().choose(spec::kMsg3Bits, best_db, 1 << 20);
        for (const int delay : spec::kMsg3DelayMs) {
            const int tones = grant.format->tones;
            grant.first = state.next_tone / tones * tones;
            grant.span = state.uplink.fit_any(block.data.end + delay, grant.format->duration_ms,
                                              tones, spec::kTones / tones,
                                              std::numeric_limits<Ms>::max(), grant.first);
            if (grant.span.valid())
                break;
        }
        if (!grant.span.valid())
            continue; // no room: these devices hear nothing
        state.next_tone = (grant.first + 1) % spec::kTones;
        state.uplink.allocate(grant.span, grant.first, grant.format->tones);
        tally_.uplink_tone_ms +=
            static_cast<double>(grant.format->duration_ms) * grant.format->tones;
        grant.devices = std::move(contenders);
        block.grants.push_back(std::move(grant));
    }
    response.preambles.erase(response.preambles.begin(), response.preambles.begin() + entries);
    if (response.preambles.empty())
        pending.erase(pending.begin());
    const Ms end = block.data.end;
    const std::uint32_t slot = responses_.put(std::move(block));
    queue_.schedule(at_ms(end), [this, slot] { response_end(slot); });
    return true;
}

// Each addressed device decodes the response for itself; there is no HARQ (TS 36.321 5.1.4).
void System::response_end(std::uint32_t slot) {
    ResponseBlock block = responses_.take(slot);
    for (Msg3 &grant : block.grants) {
        std::vector<Attempt> heard;
        for (const Attempt &attempt : grant.devices) {
            Device *device = find(attempt.device, attempt.generation);
            if (device == nullptr || device->access.epoch != attempt.epoch)
                continue;
            const double control_snr =
                downlink_snr(*device, block.control.begin, block.control.end);
            const auto gains =
                fading_.sample(device->downlink_fading, block.control.begin, radio_random_);
            const double missed = control_error(
                control_snr * gains[0] / 2, control_snr * gains[1] / 2, block.control_subframes);
            const double branch =
                downlink_snr(*device, block.data.begin, block.data.end) / spec::kDownlinkPorts;
            const Received received =
                receive(fading_, device->downlink_fading, radio_random_, block.data.begin,
                        block.data.end, branch, block.format->pilots, block.format->symbols);
            device->receive_ms += static_cast<double>(block.data.end - block.control.begin);
            if (radio_random_.chance(missed) ||
                radio_random_.chance(
                    block_error(received, block.format->bits + spec::kTransportBlockCrcBits, 2)))
                continue;
            ++device->access.epoch; // the response window's timer is void
            heard.push_back({device->index, device->generation, device->access.epoch});
        }
        if (heard.empty())
            continue;
        grant.devices = std::move(heard);
        const Ms begin = grant.span.begin;
        const std::uint32_t msg3 = msg3_.put(std::move(grant));
        queue_.schedule(at_ms(begin), [this, msg3] { msg3_start(msg3); });
    }
}

void System::msg3_start(std::uint32_t slot) {
    Msg3 &grant = msg3_.at(slot);
    grant.mw.clear();
    for (const Attempt &attempt : grant.devices) {
        Device *device = find(attempt.device, attempt.generation);
        if (device == nullptr) {
            grant.mw.push_back(0);
            continue;
        }
        check_half_duplex(*device, grant.span.begin, grant.span.end,
                          "Msg3 while the radio is busy");
        device->ready = grant.span.end + spec::kMonitorGapMs;
        const double power =
            uplink_power_mw(*device, grant.format->tones, grant.format->repetitions);
        grant.mw.push_back(power / grant.format->tones);
        count_transmission(*device, grant.span.end - grant.span.begin, power);
        interference_.start(grant.cell, device->gains, grant.first, grant.format->tones,
                            grant.mw.back(), now_ms());
    }
    grant.before = interference_.integral(grant.cell, grant.first, grant.format->tones, now_ms());
    queue_.schedule(at_ms(grant.span.end), [this, slot] { msg3_end(slot); });
}

// Contenders that chose the same preamble are noise to each other; the stronger may be captured.
void System::msg3_end(std::uint32_t slot) {
    const Msg3 grant = msg3_.take(slot);
    const Format &format = *grant.format;
    const double duration = static_cast<double>(grant.span.end - grant.span.begin);
    const double interference =
        (interference_.integral(grant.cell, grant.first, format.tones, now_ms()) - grant.before) /
        (duration * format.tones);
    double all = 0;
    for (std::size_t i = 0; i < grant.devices.size(); ++i)
        if (const Device *device = find(grant.devices[i].device, grant.devices[i].generation))
            all += grant.mw[i] * device->gain;
    Device *captured = nullptr;
    for (std::size_t i = 0; i < grant.devices.size(); ++i) {
        Device *device = find(grant.devices[i].device, grant.devices[i].generation);
        if (device == nullptr)
            continue;
        interference_.stop(grant.cell, device->gains, grant.first, format.tones, grant.mw[i],
                           now_ms());
        ++tally_.uplink_blocks;
        const double own = grant.mw[i] * device->gain;
        const double noise =
            tone_noise_mw_ + all - own + (model_.scenario.interference ? interference : 0);
        const Received received =
            receive(fading_, device->uplink_fading, radio_random_, grant.span.begin, grant.span.end,
                    own / noise, format.pilots, format.symbols);
        const bool failed = radio_random_.chance(block_error(
            received, format.bits + spec::kTransportBlockCrcBits, format.bits_per_symbol));
        if (failed)
            ++tally_.uplink_errors;
        if (!failed && captured == nullptr)
            captured = device;
        else // TS 36.321 5.1.5: wait for the contention resolution timer
            later_access<&System::contention_expired>(
                *device,
                now_ms() +
                    model_.cell.levels[static_cast<std::size_t>(device->level)].contention_timer *
                        period_ms(device->level));
    }
    if (captured != nullptr)
        msg3_decoded(*captured);
}

// The base station knows the device now: answer its request, or grant what it asks for. Msg3
// carries the data volume (TS 36.321 6.1.3.10) or the buffer status.
void System::msg3_decoded(Device &device) {
    device.level = device.access.level;
    device.ready = std::max(device.ready, now_ms() + model_.cell.processing_ms);
    later_access<&System::contention_expired>(device, now_ms() + level_of(device).contention_timer *
                                                                     period_ms(device.level));
    if (device.access.connected) {
        device.reported = buffered(device.uplink);
        device.access.active = false; // the base station may address it
        want_service(device);
        return;
    }
    for (const Packet &packet : device.held)
        device.reported += packet.bytes + spec::kPdcpHeaderBytes;
    device.access.active = false;
    if (model_.rrc.procedure == "resume")
        signal_down(device, Signal::kResume, model_.rrc.resume_bytes);
    else
        signal_down(device, Signal::kSetup, model_.rrc.setup_bytes);
}

// The answer did not come in time. What the base station had prepared is void.
void System::contention_expired(Device &device) {
    if (device.down.active || device.up.active) { // it is coming
        later_access<&System::contention_expired>(device, now_ms() + period_ms(device.level));
        return;
    }
    if (!device.access.connected) {
        device.downlink.clear();
        device.down = Block{};
        device.reported = 0;
    }
    device.access.active = true;
    access_failed(device);
}

} // namespace nbiot
