#include "access.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "spec.hpp"

namespace nbiot {

namespace {

Ms preamble_ms(const Level &level) {
    return static_cast<Ms>(
        std::ceil(level.preamble_repetitions * spec::kPreambleRepetitionMs - 1e-9));
}

} // namespace

RandomAccess::RandomAccess(Network &network, Channel &channel, Scheduler &scheduler,
                           std::uint64_t seed)
    : network_(network), channel_(channel), scheduler_(scheduler), random_(seed, "nbiot.access"),
      cells_(network.carriers.size()) {}

void RandomAccess::begin(Device &device, bool connected) {
    Access &access = device.access;
    ++access.epoch;
    access.active = true;
    access.connected = connected;
    access.level = device.level;
    access.level_attempts = 0;
    access.attempts = 0;
    access.began = network_.now_ms();
    join_occasion(device);
}

// Chooses a preamble in the next occasion of the device's level.
void RandomAccess::join_occasion(Device &device) {
    Access &access = device.access;
    const Level &level = network_.level(access.level);
    const Ms earliest = std::max(network_.now_ms() + 1, device.radio_free + spec::kTurnaroundMs);
    const Ms period = level.preamble_period_ms;
    const Ms start = (level.preamble_start_ms + network_.carrier(device.cell).phase) % period;
    const Ms begin = start + (earliest - start + period - 1) / period * period;
    ++access.attempts;
    ++access.level_attempts;
    access.preamble = static_cast<int>(random_.integer(0, level.preambles - 1));
    Occasion &occasion = state(device.cell).occasions[static_cast<std::size_t>(access.level)];
    if (occasion.began == begin) {
        occasion.attempts.push_back(attempt_of(device));
    } else if (begin > network_.now_ms() && occasion.began < network_.now_ms() &&
               occasion.attempts.empty()) {
        occasion.began = begin;
        occasion.attempts.push_back(attempt_of(device));
        network_.queue.schedule(Network::at_ms(begin + preamble_ms(level)),
                                [this, cell = device.cell, l = access.level, begin] {
                                    close_occasion(cell, l, begin);
                                });
    } else { // the occasion before is still in the air: decide when it is over
        --access.attempts;
        --access.level_attempts;
        later<&RandomAccess::join_occasion>(device, occasion.began + preamble_ms(level) + 1);
    }
}

// The end of an NPRACH occasion: detects preambles and opens their response window.
void RandomAccess::close_occasion(int cell, int level_index, Ms began) {
    const auto l = static_cast<std::size_t>(level_index);
    const Level &level = network_.level(level_index);
    Occasion &occasion = state(cell).occasions[l];
    std::vector<Attempt> attempts;
    attempts.swap(occasion.attempts);
    occasion.began = -1;

    const Ms end = began + preamble_ms(level);
    const Ms opens = end + (level.preamble_repetitions >= 64 ? spec::kResponseWindowDelayLongMs
                                                             : spec::kResponseWindowDelayMs);
    Response response{opens, opens + level.response_window * network_.period_ms(level_index), {}};
    std::vector<std::vector<Attempt>> chosen(static_cast<std::size_t>(level.preambles));
    std::vector<double> snr(static_cast<std::size_t>(level.preambles), 0);
    for (const Attempt &attempt : attempts) {
        Device *device = find(attempt);
        if (device == nullptr)
            continue;
        const auto preamble = static_cast<std::size_t>(device->access.preamble);
        chosen[preamble].push_back(attempt);
        Channel::occupy(*device, began, end, "preamble while the radio is busy");
        const double power_mw = channel_.preamble_power_mw(*device);
        Channel::count_transmission(*device, end - began, power_mw);
        ++network_.tally.preambles;
        channel_.receive_preamble(*device, (began + end) / 2, power_mw, snr[preamble]);
    }
    const std::uint32_t slot = attempts_.put(std::move(attempts));
    network_.queue.schedule(Network::at_ms(response.closes), [this, slot] { close_window(slot); });
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        if (chosen[i].size() > 1)
            network_.tally.preamble_collisions += chosen[i].size();
        if (!chosen[i].empty() &&
            channel_.chance(preamble_detection(snr[i], level.preamble_repetitions)))
            response.preambles.push_back(std::move(chosen[i]));
    }
    if (!response.preambles.empty()) {
        state(cell).responses[l].push_back(std::move(response));
        scheduler_.arm(cell, level_index);
    }
}

// The response window ends. Without a response an attempt has failed, whatever the base station
// received.
void RandomAccess::close_window(std::uint32_t slot) {
    for (const Attempt &attempt : attempts_.take(slot))
        if (Device *device = find(attempt))
            attempt_failed(*device);
}

// No response, or contention lost: back off, move up a level, or give up (TS 36.321 5.1.4, 5.1.5).
void RandomAccess::attempt_failed(Device &device) {
    Access &access = device.access;
    ++access.epoch;
    const Level &level = network_.level(access.level);
    if (access.level_attempts >= level.attempts && access.level < 2) {
        ++access.level;
        access.level_attempts = 0;
    }
    if (access.attempts >= network_.model.cell.preamble_attempts) {
        // A connected device falls back to idle; both try again when T300 is over
        // (TS 36.331 5.3.3.6; upper layers of a report still waiting ask again).
        const Ms again =
            std::max(network_.now_ms() + 1, access.began + network_.model.cell.t300_ms);
        later<&RandomAccess::restart>(device, again);
        return;
    }
    const auto backoff = random_.integer(0, network_.model.cell.backoff_ms);
    later<&RandomAccess::join_occasion>(device, network_.now_ms() + backoff);
}

void RandomAccess::restart(Device &device) {
    begin(device, device.connected);
}

// Sends one response for as many preambles of an occasion as fit, with their Msg3 grants.
bool RandomAccess::respond(int cell, int level_index, const SearchSpace &space) {
    Carrier &carrier = network_.carrier(cell);
    auto &pending = state(cell).responses[static_cast<std::size_t>(level_index)];
    while (!pending.empty() && pending.front().closes <= space.first())
        pending.erase(pending.begin());
    if (pending.empty() || pending.front().opens > space.last() || space.full())
        return false;
    Response &response = pending.front();
    const int most = 680 / (8 * spec::kRarEntryBytes);
    const int entries = std::min(static_cast<int>(response.preambles.size()), most);

    // There is no HARQ, so the response is coded for the case that all other cells send.
    double weakest_db = 1e9;
    for (int i = 0; i < entries; ++i)
        for (const Attempt &attempt : response.preambles[static_cast<std::size_t>(i)])
            if (const Device *device = network_.find(attempt.device))
                weakest_db = std::min(weakest_db, device->worst_db);
    ResponseBlock block;
    block.cell = cell;
    const Control control = scheduler_.find_control(space, response.opens, level_index, weakest_db);
    if (!control.span.valid())
        return false;
    block.control = control.span;
    block.control_subframes = control.subframes;
    block.format =
        &network_.tables.downlink.choose(8 * spec::kRarEntryBytes * entries, weakest_db, 1 << 20);
    for (const int delay : network_.level(level_index).control_repetitions < 128
                               ? spec::kDownlinkDelaySmall
                               : spec::kDownlinkDelayLarge) {
        block.data = carrier.downlink.fit(block.control.end - 1 + spec::kDownlinkGap + delay,
                                          block.format->duration_ms);
        if (block.data.valid())
            break;
    }
    if (!block.data.valid() || block.data.end > response.closes)
        return false;
    carrier.downlink.allocate(block.control);
    carrier.downlink.allocate(block.data);
    network_.tally.control_ms += block.control_subframes;
    network_.tally.downlink_ms += block.format->duration_ms;
    ++network_.tally.control_messages;

    for (int i = 0; i < entries; ++i) {
        auto &contenders = response.preambles[static_cast<std::size_t>(i)];
        Msg3 grant;
        grant.cell = cell;
        double best_db = -1e9;
        for (const Attempt &attempt : contenders)
            if (const Device *device = network_.find(attempt.device))
                best_db = std::max(best_db, channel_.uplink_path_db(*device) + device->tone_dbm[1]);
        grant.format = &network_.tables.uplink.front().choose(spec::kMsg3Bits, best_db, 1 << 20);
        for (const int delay : spec::kMsg3DelayMs) {
            const int tones = grant.format->tones;
            grant.first = carrier.next_tone / tones * tones;
            grant.span = carrier.uplink.fit_any(block.data.end + delay, grant.format->duration_ms,
                                                tones, spec::kTones / tones,
                                                std::numeric_limits<Ms>::max(), grant.first);
            if (grant.span.valid())
                break;
        }
        if (!grant.span.valid())
            continue; // no room: these devices hear nothing
        carrier.next_tone = (grant.first + 1) % spec::kTones;
        carrier.uplink.allocate(grant.span, grant.first, grant.format->tones);
        network_.tally.uplink_tone_ms +=
            static_cast<double>(grant.format->duration_ms) * grant.format->tones;
        grant.devices = std::move(contenders);
        block.grants.push_back(std::move(grant));
    }
    response.preambles.erase(response.preambles.begin(), response.preambles.begin() + entries);
    if (response.preambles.empty())
        pending.erase(pending.begin());
    const Ms end = block.data.end;
    const std::uint32_t slot = responses_.put(std::move(block));
    network_.queue.schedule(Network::at_ms(end), [this, slot] { response_end(slot); });
    return true;
}

// Each addressed device decodes the response independently; there is no HARQ (TS 36.321 5.1.4).
void RandomAccess::response_end(std::uint32_t slot) {
    ResponseBlock block = responses_.take(slot);
    for (Msg3 &grant : block.grants) {
        std::vector<Attempt> heard;
        for (const Attempt &attempt : grant.devices) {
            Device *device = find(attempt);
            if (device == nullptr)
                continue;
            const double missed =
                channel_.control_missed(*device, block.control, block.control_subframes);
            const Received received = channel_.receive_downlink(*device, block.data, *block.format);
            device->receive_ms += static_cast<double>(block.data.end - block.control.begin);
            if (channel_.chance(missed) ||
                channel_.chance(
                    block_error(received, block.format->bits + spec::kTransportBlockCrcBits, 2)))
                continue;
            ++device->access.epoch; // the response window's timer is void
            heard.push_back(attempt_of(*device));
        }
        if (heard.empty())
            continue;
        grant.devices = std::move(heard);
        const Ms begin = grant.span.begin;
        const std::uint32_t msg3 = msg3_.put(std::move(grant));
        network_.queue.schedule(Network::at_ms(begin), [this, msg3] { msg3_start(msg3); });
    }
}

void RandomAccess::msg3_start(std::uint32_t slot) {
    Msg3 &grant = msg3_.at(slot);
    grant.mw.clear();
    for (const Attempt &attempt : grant.devices) {
        Device *device = network_.find(attempt.device);
        if (device == nullptr) {
            grant.mw.push_back(0);
            continue;
        }
        Channel::occupy(*device, grant.span.begin, grant.span.end, "Msg3 while the radio is busy");
        device->ready = grant.span.end + spec::kMonitorGapMs;
        const double power =
            channel_.uplink_power_mw(*device, grant.format->tones, grant.format->repetitions);
        grant.mw.push_back(power / grant.format->tones);
        Channel::count_transmission(*device, grant.span.end - grant.span.begin, power);
        channel_.start(*device, grant.first, grant.format->tones, grant.mw.back());
    }
    grant.before = channel_.interference(grant.cell, grant.first, grant.format->tones);
    network_.queue.schedule(Network::at_ms(grant.span.end), [this, slot] { msg3_end(slot); });
}

// Contenders with the same preamble interfere with each other; the stronger may be captured.
void RandomAccess::msg3_end(std::uint32_t slot) {
    const Msg3 grant = msg3_.take(slot);
    const Format &format = *grant.format;
    const double duration = static_cast<double>(grant.span.end - grant.span.begin);
    const double interference =
        (channel_.interference(grant.cell, grant.first, format.tones) - grant.before) /
        (duration * format.tones);
    double all = 0;
    for (std::size_t i = 0; i < grant.devices.size(); ++i)
        if (const Device *device = network_.find(grant.devices[i].device))
            all += grant.mw[i] * device->gain;
    Device *captured = nullptr;
    for (std::size_t i = 0; i < grant.devices.size(); ++i) {
        Device *device = network_.find(grant.devices[i].device);
        if (device == nullptr)
            continue;
        channel_.stop(*device, grant.first, format.tones, grant.mw[i]);
        ++network_.tally.uplink_blocks;
        const double own = grant.mw[i] * device->gain;
        const double noise = channel_.tone_noise_mw(0) + all - own +
                             (network_.model.scenario.interference ? interference : 0);
        const Received received = channel_.receive_uplink(*device, grant.span, format, own / noise);
        const bool failed = channel_.chance(block_error(
            received, format.bits + spec::kTransportBlockCrcBits, format.bits_per_symbol));
        if (failed)
            ++network_.tally.uplink_errors;
        if (!failed && captured == nullptr)
            captured = device;
        else // TS 36.321 5.1.5: wait for the contention resolution timer
            later<&RandomAccess::contention_expired>(*device, contention_ends(*device));
    }
    if (captured != nullptr)
        msg3_decoded(*captured);
}

// The base station knows the device now: answer its request, or grant the requested volume. Msg3
// carries the data volume (TS 36.321 6.1.3.10) or the buffer status.
void RandomAccess::msg3_decoded(Device &device) {
    const Ms now = network_.now_ms();
    device.level = device.access.level;
    device.ready = std::max(device.ready, now + network_.model.cell.processing_ms);
    later<&RandomAccess::contention_expired>(device, contention_ends(device));
    if (device.access.connected) {
        device.reported = buffered(device.uplink);
        device.access.active = false; // the base station may address it
        scheduler_.want_service(device);
        return;
    }
    admission_->admitted(device);
}

// The answer did not arrive in time. The base station's preparations are cancelled.
void RandomAccess::contention_expired(Device &device) {
    if (device.down.active || device.up.active) { // it is coming
        later<&RandomAccess::contention_expired>(device, network_.now_ms() +
                                                             network_.period_ms(device.level));
        return;
    }
    if (!device.access.connected) {
        device.downlink.clear();
        device.down = Block{};
        device.reported = 0;
    }
    device.access.active = true;
    attempt_failed(device);
}

} // namespace nbiot
