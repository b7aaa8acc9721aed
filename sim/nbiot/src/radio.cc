#include "radio.hpp"

#include <algorithm>
#include <cmath>

#include "numeric.hpp"

namespace nbiot {

namespace {

// Bessel function of order 0 by its power series; x up to 2.405.
double bessel_j0(double x) {
    const double q = -x * x / 4;
    double term = 1, sum = 1;
    for (int k = 1; k < 20; ++k) {
        term *= q / (static_cast<double>(k) * k);
        sum += term;
    }
    return sum;
}

constexpr double kFirstZero = 2.4048;
constexpr double kTwoPi = 6.283185307179586;

} // namespace

FadingModel::FadingModel(double doppler_hz, bool enabled)
    : enabled_(enabled),
      step_ms_(doppler_hz > 0 ? std::max<Ms>(1, static_cast<Ms>(100 / doppler_hz)) : 1 << 30) {
    if (!enabled || doppler_hz <= 0)
        return;
    for (Ms lag = 0;; ++lag) {
        const double x = kTwoPi * doppler_hz * static_cast<double>(lag) / 1000;
        if (x >= kFirstZero)
            break;
        correlation_.push_back(bessel_j0(x));
    }
}

std::array<double, 2> FadingModel::sample(Fading &state, Ms at, des::RandomStream &random) const {
    if (!enabled_)
        return {1, 1};
    const bool fresh = state.at < 0;
    const Ms lag = at > state.at ? at - state.at : 0;
    double keep = 0;
    if (!fresh) {
        if (correlation_.empty())
            keep = 1; // no Doppler: a single draw
        else if (lag < static_cast<Ms>(correlation_.size()))
            keep = correlation_[static_cast<std::size_t>(lag)];
    }
    if (keep < 1) {
        const double fresh_share = std::sqrt((1 - keep * keep) / 2);
        for (std::size_t branch = 0; branch < 2; ++branch) {
            state.real[branch] = keep * state.real[branch] + fresh_share * random.normal(0, 1);
            state.imaginary[branch] =
                keep * state.imaginary[branch] + fresh_share * random.normal(0, 1);
        }
    }
    state.at = std::max(state.at, at);
    return {state.real[0] * state.real[0] + state.imaginary[0] * state.imaginary[0],
            state.real[1] * state.real[1] + state.imaginary[1] * state.imaginary[1]};
}

Received receive(const FadingModel &model, Fading &state, des::RandomStream &random, Ms begin,
                 Ms end, double branch_snr, double pilots, double symbols) {
    const Ms parts = model.enabled() ? 1 + (end - begin - 1) / model.step_ms() : 1;
    double energy = 0;
    for (Ms part = 0; part < parts; ++part) {
        const Ms at = begin + (2 * part + 1) * (end - begin) / (2 * parts);
        for (const double gain : model.sample(state, at, random))
            energy += estimated_snr(branch_snr * gain, pilots);
    }
    return {symbols, symbols * energy / static_cast<double>(parts)};
}

void UplinkInterference::change(int own, const std::vector<float> &gains, int first, int tones,
                                double mw, Ms now, int sign) {
    const auto self = static_cast<std::size_t>(own);
    const auto time = static_cast<double>(now);
    Row power{};
    for (std::size_t cell = 0; cell < gains.size(); ++cell)
        power[cell] = sign * mw * static_cast<double>(gains[cell]);
    for (int i = first; i < first + tones; ++i) {
        Tone &tone = tones_[static_cast<std::size_t>(i)];
        const std::array kept{tone.power[self], tone.integral[self], tone.at[self],
                              tone.active[self]};
        for (std::size_t cell = 0; cell < kRow; ++cell) {
            tone.integral[cell] += tone.power[cell] * (time - tone.at[cell]);
            tone.at[cell] = time;
            tone.active[cell] += sign;
            const double sum = tone.power[cell] + power[cell];
            tone.power[cell] = tone.active[cell] == 0 ? 0 : sum; // drops rounding errors
        }
        tone.power[self] = kept[0];
        tone.integral[self] = kept[1];
        tone.at[self] = kept[2];
        tone.active[self] = kept[3];
    }
}

void UplinkInterference::start(int own, const std::vector<float> &gains, int first, int tones,
                               double mw_per_tone, Ms now) {
    change(own, gains, first, tones, mw_per_tone, now, 1);
}

void UplinkInterference::stop(int own, const std::vector<float> &gains, int first, int tones,
                              double mw_per_tone, Ms now) {
    change(own, gains, first, tones, mw_per_tone, now, -1);
}

double UplinkInterference::integral(int cell, int first, int tones, Ms now) {
    const auto self = static_cast<std::size_t>(cell);
    const auto time = static_cast<double>(now);
    double sum = 0;
    for (int i = first; i < first + tones; ++i) {
        Tone &tone = tones_[static_cast<std::size_t>(i)];
        tone.integral[self] += tone.power[self] * (time - tone.at[self]);
        tone.at[self] = time;
        sum += tone.integral[self];
    }
    return sum;
}

double noise_mw(double bandwidth_hz, double noise_figure_db) {
    return from_db(spec::kThermalNoiseDbmHz + to_db(bandwidth_hz) + noise_figure_db);
}

} // namespace nbiot
