#include "system.hpp"

#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "numeric.hpp"
#include "spec.hpp"

namespace nbiot {

LinkTables::LinkTables(const Cell &cell)
    : downlink(FormatTable::downlink(cell.target_error)), control_snr_db{} {
    for (const int tones : cell.uplink_tones)
        uplink.push_back(FormatTable::uplink(tones, cell.target_error));
    for (std::size_t level = 0; level < 3; ++level)
        for (std::size_t step = 0; step < 4; ++step)
            control_snr_db[level][step] = required_control_snr_db(
                cell.levels[level].control_repetitions >> (3 - step), cell.control_target_error);
}

System::System(const Model &model, const LinkTables &tables, RunPlan plan)
    : model_(model), tables_(tables), plan_(std::move(plan)), layout_(model.scenario),
      fading_(model.scenario.doppler_hz, model.scenario.fading),
      arrival_random_(plan_.seed, "nbiot.arrivals"), place_random_(plan_.seed, "nbiot.places"),
      radio_random_(plan_.seed, "nbiot.radio"), access_random_(plan_.seed, "nbiot.access"),
      transport_random_(plan_.seed, "nbiot.transport"), valid_(model.cell),
      base_mw_(from_db(model.scenario.base_power_dbm)),
      device_mw_(from_db(model.scenario.device_power_dbm)),
      downlink_noise_mw_(
          noise_mw(spec::kTones * spec::kToneHz, model.scenario.device_noise_figure_db)),
      tone_noise_mw_(noise_mw(spec::kToneHz, model.scenario.base_noise_figure_db)),
      preamble_noise_mw_(noise_mw(spec::kPreambleToneHz, model.scenario.base_noise_figure_db)),
      lowest_repetitions_db_(to_db(model.cell.levels[0].preamble_repetitions)) {
    for (std::size_t tones = 1; tones < tone_limit_dbm_.size(); ++tones)
        tone_limit_dbm_[tones] =
            model.scenario.device_power_dbm - to_db(static_cast<double>(tones));
    des::RandomStream phases(plan_.seed, "nbiot.phases");
    for (int i = 0; i < layout_.cells(); ++i)
        cells_.emplace_back(
            model.cell, valid_,
            model.scenario.synchronised ? 0 : phases.integer(0, spec::kBroadcastPeriodMs - 1),
            downlinks_, cells_.size());
}

Tally System::run() {
    arrive();
    queue_.schedule(at_ms(1000), [this] { sample_load(); });
    queue_.run_until(des::from_seconds(plan_.simulated_s));
    tally_.events = queue_.executed();
    tally_.devices_at_end = alive_;
    return std::move(tally_);
}

Report System::run_single(double arrival_s) {
    single_ = true;
    queue_.schedule(des::from_seconds(arrival_s), [this] { arrive(); });
    queue_.run_until(des::from_seconds(arrival_s + 2 * plan_.give_up_s));
    return tally_.reports.at(0);
}

// Poisson arrivals, uniform in the simulated area (study 2.3); the next one is drawn at each.
void System::arrive() {
    if (queue_.now() > des::Time{0} || single_) {
        Device &device = create_device();
        ++tally_.arrivals;
        device.measured = single_ || (device.arrived_s >= plan_.warmup_s &&
                                      device.arrived_s < plan_.simulated_s - plan_.give_up_s);
        device.session.start(*this);
        begin_access(device, false);
        queue_.schedule_in(des::from_seconds(plan_.give_up_s),
                           [this, index = device.index, generation = device.generation] {
                               if (Device *d = find(index, generation))
                                   give_up(*d);
                           });
    }
    if (!single_)
        queue_.schedule_in(
            des::from_seconds(arrival_random_.exponential(1 / (plan_.load * layout_.cells()))),
            [this] { arrive(); });
}

Device &System::create_device() {
    if (free_devices_.empty()) {
        free_devices_.push_back(static_cast<std::uint32_t>(devices_.size()));
        devices_.emplace_back();
    }
    const std::uint32_t index = free_devices_.back();
    free_devices_.pop_back();
    Device &device = devices_[index];
    const std::uint32_t generation = device.generation + 1;
    Device fresh; // with the memory of the last one
    fresh.gains.swap(device.gains);
    fresh.uplink.swap(device.uplink);
    fresh.downlink.swap(device.downlink);
    fresh.held.swap(device.held);
    fresh.uplink.clear();
    fresh.downlink.clear();
    fresh.held.clear();
    device = std::move(fresh);
    device.index = index;
    device.generation = generation;
    device.alive = true;
    device.arrived_s = now_s();
    layout_.gains(layout_.place(place_random_), place_random_, device.gains);
    device.cell = static_cast<int>(std::max_element(device.gains.begin(), device.gains.end()) -
                                   device.gains.begin());
    device.gain = static_cast<double>(device.gains[static_cast<std::size_t>(device.cell)]);
    device.gain_db = to_db(device.gain);
    const double open_loop_dbm = model_.cell.p0_dbm - model_.cell.alpha * device.gain_db;
    device.open_loop_mw = from_db(open_loop_dbm);
    for (std::size_t i = 0; i < device.tone_dbm.size(); ++i)
        device.tone_dbm[i] = std::min(open_loop_dbm, tone_limit_dbm_[i]);
    // NRSRP: power of a reference resource element, at twice the data's (TS 36.213 16.2.2).
    const double rsrp_dbm =
        to_db(base_mw_ / spec::kTones * spec::kReferenceBoost / spec::kDownlinkPorts * device.gain);
    device.level = rsrp_dbm >= model_.cell.rsrp_thresholds_dbm[0]   ? 0
                   : rsrp_dbm >= model_.cell.rsrp_thresholds_dbm[1] ? 1
                                                                    : 2;
    device.worst_db = downlink_worst_db(device);
    device.session.reset(index, plan_.stack, model_.transport);
    tally_.devices_peak = std::max(tally_.devices_peak, ++alive_);
    return device;
}

void System::remove_device(Device &device) {
    device.session.stop(*this);
    tally_.transport_retransmissions += device.session.retransmissions();
    if (device.measured) {
        double energy = device.transmit_mj;
        const double awake_ms =
            device.connected_at < 0 ? 0 : static_cast<double>(now_ms() - device.connected_at);
        const double listening = 1 / level_of(device).control_period_factor;
        const double idle_ms = std::max(0.0, awake_ms - device.transmit_ms - device.receive_ms);
        energy += (device.receive_ms + idle_ms * listening) * spec::kReceiveMw / 1000 +
                  idle_ms * (1 - listening) * spec::kLightSleepMw / 1000;
        tally_.reports.push_back(
            {static_cast<float>(device.delivered_s < 0 ? -1
                                                       : device.delivered_s - device.arrived_s),
             static_cast<float>(device.gain_db), static_cast<float>(energy),
             static_cast<std::uint8_t>(device.level)});
    }
    device.alive = false;
    --alive_;
    free_devices_.push_back(device.index);
}

// The application drops the report; what is in the air goes to its end first.
void System::give_up(Device &device) {
    if (device.radio_free >= now_ms())
        later(device, device.radio_free + 1, &System::give_up);
    else
        remove_device(device);
}

// Both sides are done: after the study's short delay the network releases the connection.
void System::begin_release(Device &device) {
    if (device.releasing)
        return;
    device.releasing = true;
    signal_down(device, Signal::kRelease, model_.rrc.release_bytes);
}

void System::finished(Session &session) {
    later(devices_[session.id()], now_ms() + model_.rrc.release_delay_ms, &System::begin_release);
}

void System::delivered(Session &session) {
    Device &device = devices_[session.id()];
    device.delivered_s = now_s();
    if (device.delivered_s >= plan_.warmup_s && device.delivered_s < plan_.simulated_s)
        tally_.delivered_bits += 8.0 * plan_.payload_bytes;
}

// Packets of the device go to its radio bearer; packets of the cloud cross the Internet first.
void System::send(Session &session, Side from, const Packet &packet) {
    Device &device = devices_[session.id()];
    if (from == Side::kDevice)
        queue_uplink(device, packet);
    else
        cross_internet(device, Side::kDevice, packet);
}

void System::cross_internet(Device &device, Side to, const Packet &packet) {
    const std::uint32_t slot = crossing_.put({packet, device.index, device.generation, to});
    queue_.schedule_in(des::from_seconds(model_.transport.internet_delay_s), [this, slot] {
        const Crossing arrived = crossing_.take(slot);
        Device *device_now = find(arrived.device, arrived.generation);
        if (device_now == nullptr)
            return;
        Device &d = *device_now;
        if (arrived.to == Side::kCloud) {
            d.session.receive(*this, Side::kCloud, arrived.packet);
        } else if (!d.releasing) { // a late duplicate does not hold up the release
            d.downlink.push_back({arrived.packet, arrived.packet.bytes + spec::kPdcpHeaderBytes});
            want_service(d);
        }
    });
}

des::EventHandle System::start_timer(Session &session, Side side, double seconds) {
    const Device &device = devices_[session.id()];
    return queue_.schedule_in(des::from_seconds(seconds),
                              [this, side, index = device.index, generation = device.generation] {
                                  if (Device *d = find(index, generation))
                                      d->session.timeout(*this, side);
                              });
}

// What a base station measures: its own activity and the uplink interference of the last second.
void System::sample_load() {
    const Ms now = now_ms();
    const double seconds_ms = static_cast<double>(now - last_sample_);
    downlink_activity_ = downlinks_.shares(last_sample_, now);
    for (std::size_t i = 0; i < cells_.size(); ++i) {
        CellState &cell = cells_[i];
        const double integral = interference_.integral(static_cast<int>(i), 0, spec::kTones, now);
        cell.uplink_interference =
            (integral - cell.interference_before) / (spec::kTones * seconds_ms);
        cell.interference_before = integral;
    }
    last_sample_ = now;
    queue_.schedule(at_ms(now + 1000), [this] { sample_load(); });
}

// Mean ratio, both antenna ports together, of the carrier to noise and to what the other cells
// send, each in its share of the time.
double System::downlink_ratio(const Device &device, const DownlinkActivity::Shares &shares) const {
    double interference = 0;
    const auto own = static_cast<std::size_t>(device.cell);
    if (model_.scenario.interference)
        for (std::size_t i = 0; i < device.gains.size(); ++i)
            interference +=
                i == own ? 0 : shares[i] * base_mw_ * static_cast<double>(device.gains[i]);
    return base_mw_ * device.gain / (downlink_noise_mw_ + interference);
}

// The same for what the other cells send in these subframes.
double System::downlink_snr(const Device &device, Ms begin, Ms end) const {
    return downlink_ratio(device, model_.scenario.interference ? downlinks_.shares(begin, end)
                                                               : DownlinkActivity::Shares{});
}

double System::downlink_estimate_db(const Device &device) const {
    if (device.downlink_at != last_sample_) {
        device.downlink_at = last_sample_;
        device.downlink_db = to_db(downlink_ratio(device, downlink_activity_));
    }
    return device.downlink_db + device.downlink_margin_db;
}

// With every other cell sending all the time.
double System::downlink_worst_db(const Device &device) const {
    DownlinkActivity::Shares all;
    all.fill(1);
    return to_db(downlink_ratio(device, all));
}

// TS 36.213 16.2.1.1.1: full power with more than two repetitions, else open-loop control.
double System::uplink_power_mw(const Device &device, int tones, int repetitions) const {
    return repetitions > 2 ? device_mw_ : std::min(device_mw_, tones * device.open_loop_mw);
}

// Ratio in dB of a milliwatt sent on one tone, at the cell.
double System::uplink_path_db(const Device &device) const {
    if (device.uplink_at != last_sample_) {
        device.uplink_at = last_sample_;
        const double interference =
            model_.scenario.interference
                ? cells_[static_cast<std::size_t>(device.cell)].uplink_interference
                : 0;
        device.uplink_path_db = to_db(device.gain / (tone_noise_mw_ + interference));
    }
    return device.uplink_path_db + device.uplink_margin_db;
}

void System::check_half_duplex(Device &device, Ms begin, Ms end, const char *what) {
    NBIOT_CHECK(begin >= device.radio_free, what);
    device.radio_free = end;
}

} // namespace nbiot
