// The radio links of all devices: losses, interference, reception; and the activity of a device's
// radio.
#pragma once

#include <array>
#include <vector>

#include "des/random.hpp"
#include "network.hpp"
#include "radio.hpp"
#include "spec.hpp"

namespace nbiot {

class Channel {
public:
    Channel(Network &network, std::uint64_t seed);

    // Every second from the first on, the base stations measure the load of the second before.
    void start_measuring();
    // Chooses cell, coverage level and power control of a device whose gains are set.
    void attach(Device &device) const;

    // The base station's knowledge of a link: mean ratio of both antenna ports together; the same
    // while every other cell sends; and the ratio of one milliwatt sent on one tone.
    [[nodiscard]] double downlink_estimate_db(const Device &device) const;
    [[nodiscard]] double uplink_path_db(const Device &device) const;

    [[nodiscard]] double uplink_power_mw(const Device &device, int tones, int repetitions) const;
    [[nodiscard]] double preamble_power_mw(const Device &device) const;

    // Probability that the device misses a control message in so many subframes of the span.
    double control_missed(Device &device, const Span &control, int subframes);
    // The part of a block that the device receives.
    Received receive_downlink(Device &device, const Span &data, const Format &format);
    // The part of a block that its cell receives, at this mean ratio on each of two antennas.
    Received receive_uplink(Device &device, const Span &data, const Format &format, double ratio) {
        return receive(fading_, device.uplink_fading, random_, data.begin, data.end, ratio,
                       format.pilots, format.symbols);
    }
    // Adds the ratio at which its cell receives the device's preamble.
    void receive_preamble(Device &device, Ms at, double power_mw, double &ratio);
    // True with this probability.
    bool chance(double probability) { return random_.chance(probability); }

    // The device sends on these tones now, until stop().
    void start(const Device &device, int first, int tones, double mw_per_tone) {
        interference_.start(device.cell, device.gains, first, tones, mw_per_tone,
                            network_.now_ms());
    }
    void stop(const Device &device, int first, int tones, double mw_per_tone) {
        interference_.stop(device.cell, device.gains, first, tones, mw_per_tone, network_.now_ms());
    }
    // Power from other cells on these tones up to now, in mW ms.
    double interference(int cell, int first, int tones) {
        return interference_.integral(cell, first, tones, network_.now_ms());
    }
    // Noise on a tone, with the interference given.
    [[nodiscard]] double tone_noise_mw(double interference_mw) const {
        return tone_noise_mw_ + (network_.model.scenario.interference ? interference_mw : 0);
    }

    // The device's radio is busy; it must have been free.
    static void occupy(Device &device, Ms begin, Ms end, const char *what);
    // Counts time and energy of a transmission.
    static void count_transmission(Device &device, Ms milliseconds, double power_mw);

private:
    void measure();
    double downlink_ratio(const Device &device, const DownlinkActivity::Shares &shares) const;
    double downlink_branch(const Device &device, const Span &span) const;

    struct Measured {            // by a base station
        double interference = 0; // mean mW on a tone in the last second
        double integral = 0;     // at its end
    };

    Network &network_;
    FadingModel fading_;
    des::RandomStream random_;
    UplinkInterference interference_;
    std::vector<Measured> measured_;               // by cell
    DownlinkActivity::Shares downlink_activity_{}; // in the last second
    Ms measured_at_ = 0;
    double base_mw_, device_mw_, downlink_noise_mw_, tone_noise_mw_, preamble_noise_mw_;
    double lowest_repetitions_db_; // of the preamble in the lowest coverage level
    std::array<double, spec::kTones + 1> tone_limit_dbm_{}; // a device's power on each of so many
};

} // namespace nbiot
