// From signal-to-noise ratio to block error probability.
//
// Blocks are judged by the normal approximation of finite blocklength coding (Polyanskiy, Poor and
// Verdu, 2010) with the exact capacity and dispersion of the binary-input channel, a mother code of
// rate 1/3 (TS 36.212 5.1.3: below it, repetition), the loss of a channel estimate from the
// standard's own pilots, and a fixed gap of practical codes to the approximation. Energy of
// repetitions and of HARQ retransmissions adds up.
#pragma once

#include <array>
#include <vector>

namespace nbiot {

// Capacity and dispersion of one bit sent over a binary-input Gaussian channel.
struct BitChannel {
    double capacity;   // bits
    double dispersion; // bits squared
};

// By interpolation in a table; `snr` is Es/N0 of an antipodal symbol, linear.
BitChannel bit_channel(double snr);

// Gap of turbo and tail-biting convolutional codes of 50 to 1000 bits to the normal approximation:
// Coskun et al., Efficient error-correcting codes in the short blocklength regime (2019), figures 3
// to 6, about 0.5 to 1 dB; the upper end.
inline constexpr double kCodeGapDb = 1.0;

// The received part of a block: symbols and the sum of their ratios after channel estimation.
struct Received {
    double symbols = 0;
    double energy = 0;
};

// Probability that `info_bits` (with CRC) cannot be decoded from `received`.
double block_error(const Received &received, int info_bits, int bits_per_symbol);

// Ratio of a symbol after combining with a channel estimate from `pilots` symbols of the same
// ratio: linear minimum mean square error estimation, its error counted as noise (Hassibi and
// Hochwald, 2003).
inline double estimated_snr(double snr, double pilots) {
    return snr * snr * pilots / (1 + snr * (pilots + 1));
}

// A transmission format: size of the block, duration, required ratio.
struct Format {
    int bits = 0;        // transport block size
    int duration_ms = 0; // valid subframes (downlink) or milliseconds on the tones (uplink)
    int tones = 0;       // uplink: 1, 3, 6 or 12; downlink: 12
    int repetitions = 0;
    int bits_per_symbol = 0;
    double symbols = 0;         // data symbols in all repetitions and tones
    double pilots = 0;          // pilots in one estimation window
    double required_snr_db = 0; // mean, for the target error rate in two-branch Rayleigh fading
};

// Mean ratio at which a block of this format fails with probability `target`, when each of two
// independent Rayleigh branches carries `branch_share` of the mean power.
double required_snr_db(const Format &format, double branch_share, double target);

// The formats of a direction, ready to choose from.
class FormatTable {
public:
    // All formats of NPDSCH, or of NPUSCH format 1 with this number of tones.
    static FormatTable downlink(double target_error);
    static FormatTable uplink(int tones, double target_error);

    // The format that carries `bits` soonest at this mean ratio, a further block costing
    // `overhead_ms` for its control message; the most robust one when none reaches the target.
    [[nodiscard]] const Format &choose(int bits, double snr_db, int overhead_ms) const;
    [[nodiscard]] const std::vector<Format> &formats() const { return formats_; }

private:
    static constexpr double kLowestDb = -25;
    static constexpr double kStepDb = 0.5;
    static constexpr int kBins = 121;
    void finish(double target_error, double branch_share);

    struct Candidate { // the properties that decide the choice, and the format's index
        int bits, duration_ms, index;
    };

    std::vector<Format> formats_;
    std::array<std::vector<Candidate>, kBins> best_; // by ratio: shortest of each useful size
    std::vector<Candidate> robust_;                  // for each size, the least ratio needed
};

// Probability that a control message on `subframes` NPDCCH subframes is missed at branch ratios
// `a` and `b` (each of one antenna port).
double control_error(double a, double b, int subframes);

// Mean downlink ratio at which R repetitions of NPDCCH miss with probability `target`.
double required_control_snr_db(int repetitions, double target);

// Probability that a preamble of `repetitions` is detected at the summed branch ratio `snr` (in
// 3.75 kHz): noncoherent combination of symbol groups over repetitions and two antennas.
double preamble_detection(double snr, int repetitions);

} // namespace nbiot
