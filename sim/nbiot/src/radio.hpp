// The radio channel while the simulation runs: fading of each device, interference between cells.
#pragma once

#include <array>
#include <vector>

#include "config.hpp"
#include "des/random.hpp"
#include "grid.hpp"
#include "link.hpp"
#include "spec.hpp"

namespace nbiot {

// Two independent Rayleigh branches of unit mean power. Successive samples are correlated as in
// Clarke's model (J0 of the Doppler shift); beyond its first zero they are independent.
struct Fading {
    std::array<double, 2> real{}, imaginary{};
    Ms at = -1; // of the last sample
};

class FadingModel {
public:
    // `doppler_hz` 0, or `enabled` false: constant unit gains.
    FadingModel(double doppler_hz, bool enabled);
    // Power gains of both branches at `at`.
    std::array<double, 2> sample(Fading &state, Ms at, des::RandomStream &random) const;
    // Duration for which one sample represents the channel.
    [[nodiscard]] Ms step_ms() const { return step_ms_; }
    [[nodiscard]] bool enabled() const { return enabled_; }

private:
    bool enabled_;
    Ms step_ms_;
    std::vector<double> correlation_; // by milliseconds
};

// Energy that reaches the receiver between `begin` and `end` at mean branch ratio `branch_snr`, the
// channel estimate's loss included; `symbols` in all.
Received receive(const FadingModel &model, Fading &state, des::RandomStream &random, Ms begin,
                 Ms end, double branch_snr, double pilots, double symbols);

// Power received on every tone of every cell from devices of other cells, and its integral over
// time, so that any transmission can ask for the mean over its own duration.
class UplinkInterference {
public:
    // A device of cell `own` starts (or stops) sending `mw_per_tone` on tones [first, first+tones).
    void start(int own, const std::vector<float> &gains, int first, int tones, double mw_per_tone,
               Ms now);
    void stop(int own, const std::vector<float> &gains, int first, int tones, double mw_per_tone,
              Ms now);
    // Integral in mW ms, summed over tones [first, first + tones) of `cell`, up to `now`.
    double integral(int cell, int first, int tones, Ms now);

private:
    // One tone in every cell. Integers are stored as doubles and rows have a fixed length, so that
    // the loop over all cells is vectorised.
    static constexpr std::size_t kRow = 24; // 7 sites of 3 sectors, rounded up
    using Row = std::array<double, kRow>;
    struct alignas(64) Tone { // otherwise each vector of a row spans two cache lines
        Row power{}, integral{}, at{}, active{};
    };
    void change(int own, const std::vector<float> &gains, int first, int tones, double mw, Ms now,
                int sign);

    std::array<Tone, spec::kTones> tones_{};
};

// Noise power in mW over a bandwidth.
double noise_mw(double bandwidth_hz, double noise_figure_db);

} // namespace nbiot
