#include "channel.hpp"

#include <algorithm>

#include "check.hpp"
#include "numeric.hpp"

namespace nbiot {

Channel::Channel(Network &network, std::uint64_t seed)
    : network_(network), fading_(network.model.scenario.doppler_hz, network.model.scenario.fading),
      random_(seed, "nbiot.radio"), measured_(network.carriers.size()),
      base_mw_(from_db(network.model.scenario.base_power_dbm)),
      device_mw_(from_db(network.model.scenario.device_power_dbm)),
      downlink_noise_mw_(
          noise_mw(spec::kTones * spec::kToneHz, network.model.scenario.device_noise_figure_db)),
      tone_noise_mw_(noise_mw(spec::kToneHz, network.model.scenario.base_noise_figure_db)),
      preamble_noise_mw_(
          noise_mw(spec::kPreambleToneHz, network.model.scenario.base_noise_figure_db)),
      lowest_repetitions_db_(to_db(network.model.cell.levels[0].preamble_repetitions)) {
    for (std::size_t tones = 1; tones < tone_limit_dbm_.size(); ++tones)
        tone_limit_dbm_[tones] =
            network.model.scenario.device_power_dbm - to_db(static_cast<double>(tones));
}

void Channel::start_measuring() {
    network_.queue.schedule(Network::at_ms(1000), [this] { measure(); });
}

// Measurements of a base station: its own activity and the uplink interference of the last second.
void Channel::measure() {
    const Ms now = network_.now_ms();
    const double seconds_ms = static_cast<double>(now - measured_at_);
    downlink_activity_ = network_.downlinks.shares(measured_at_, now);
    for (std::size_t i = 0; i < measured_.size(); ++i) {
        Measured &cell = measured_[i];
        const double integral = interference(static_cast<int>(i), 0, spec::kTones);
        cell.interference = (integral - cell.integral) / (spec::kTones * seconds_ms);
        cell.integral = integral;
    }
    measured_at_ = now;
    network_.queue.schedule(Network::at_ms(now + 1000), [this] { measure(); });
}

void Channel::attach(Device &device) const {
    const Cell &cell = network_.model.cell;
    device.cell = static_cast<int>(std::max_element(device.gains.begin(), device.gains.end()) -
                                   device.gains.begin());
    device.gain = static_cast<double>(device.gains[static_cast<std::size_t>(device.cell)]);
    device.gain_db = to_db(device.gain);
    const double open_loop_dbm = cell.p0_dbm - cell.alpha * device.gain_db;
    device.open_loop_mw = from_db(open_loop_dbm);
    for (std::size_t i = 0; i < device.tone_dbm.size(); ++i)
        device.tone_dbm[i] = std::min(open_loop_dbm, tone_limit_dbm_[i]);
    // NRSRP: power of a reference resource element, at twice the data's (TS 36.213 16.2.2).
    const double rsrp_dbm =
        to_db(base_mw_ / spec::kTones * spec::kReferenceBoost / spec::kDownlinkPorts * device.gain);
    device.level = rsrp_dbm >= cell.rsrp_thresholds_dbm[0]   ? 0
                   : rsrp_dbm >= cell.rsrp_thresholds_dbm[1] ? 1
                                                             : 2;
    DownlinkActivity::Shares all;
    all.fill(1);
    device.worst_db = to_db(downlink_ratio(device, all));
}

// Mean ratio, both antenna ports together, of the carrier to noise plus the other cells' signals,
// each weighted by its share of the time.
double Channel::downlink_ratio(const Device &device, const DownlinkActivity::Shares &shares) const {
    double interference = 0;
    const auto own = static_cast<std::size_t>(device.cell);
    if (network_.model.scenario.interference)
        for (std::size_t i = 0; i < device.gains.size(); ++i)
            interference +=
                i == own ? 0 : shares[i] * base_mw_ * static_cast<double>(device.gains[i]);
    return base_mw_ * device.gain / (downlink_noise_mw_ + interference);
}

// The ratio of one port, with the signals of the other cells in these subframes.
double Channel::downlink_branch(const Device &device, const Span &span) const {
    return downlink_ratio(device, network_.model.scenario.interference
                                      ? network_.downlinks.shares(span.begin, span.end)
                                      : DownlinkActivity::Shares{}) /
           spec::kDownlinkPorts;
}

double Channel::downlink_estimate_db(const Device &device) const {
    if (device.downlink_at != measured_at_) {
        device.downlink_at = measured_at_;
        device.downlink_db = to_db(downlink_ratio(device, downlink_activity_));
    }
    return device.downlink_db + device.downlink_margin_db;
}

double Channel::uplink_path_db(const Device &device) const {
    if (device.uplink_at != measured_at_) {
        device.uplink_at = measured_at_;
        const Measured &cell = measured_[static_cast<std::size_t>(device.cell)];
        device.uplink_path_db = to_db(device.gain / tone_noise_mw(cell.interference));
    }
    return device.uplink_path_db + device.uplink_margin_db;
}

// TS 36.213 16.2.1.1.1: full power with more than two repetitions, else open-loop control.
double Channel::uplink_power_mw(const Device &device, int tones, int repetitions) const {
    return repetitions > 2 ? device_mw_ : std::min(device_mw_, tones * device.open_loop_mw);
}

// TS 36.213 16.3.1 and TS 36.321 5.1.3: power control with ramping in the lowest level, full power
// in the others.
double Channel::preamble_power_mw(const Device &device) const {
    if (device.access.level > 0)
        return device_mw_;
    const Model &model = network_.model;
    const double target = model.cell.preamble_target_dbm +
                          (device.access.attempts - 1) * model.cell.ramping_db -
                          lowest_repetitions_db_;
    return from_db(std::min(model.scenario.device_power_dbm, target - device.gain_db));
}

double Channel::control_missed(Device &device, const Span &control, int subframes) {
    const auto gains = fading_.sample(device.downlink_fading, control.begin, random_);
    const double branch = downlink_branch(device, control);
    return control_error(branch * gains[0], branch * gains[1], subframes);
}

Received Channel::receive_downlink(Device &device, const Span &data, const Format &format) {
    return receive(fading_, device.downlink_fading, random_, data.begin, data.end,
                   downlink_branch(device, data), format.pilots, format.symbols);
}

void Channel::receive_preamble(Device &device, Ms at, double power_mw, double &ratio) {
    const Measured &cell = measured_[static_cast<std::size_t>(device.cell)];
    const double noise = preamble_noise_mw_ + (network_.model.scenario.interference
                                                   ? cell.interference / spec::kPreambleTonesPerTone
                                                   : 0);
    for (const double gain : fading_.sample(device.uplink_fading, at, random_))
        ratio += power_mw * device.gain * gain / noise;
}

void Channel::occupy(Device &device, Ms begin, Ms end, const char *what) {
    NBIOT_CHECK(begin >= device.radio_free, what);
    device.radio_free = end;
}

void Channel::count_transmission(Device &device, Ms milliseconds, double power_mw) {
    const auto duration = static_cast<double>(milliseconds);
    device.transmit_ms += duration;
    device.transmit_mj +=
        duration * (spec::kTransmitOverheadMw + power_mw / spec::kAmplifierEfficiency) / 1000;
}

} // namespace nbiot
