// Frame errors of one link.
#pragma once

#include <array>
#include <optional>

#include "phy.hpp"

namespace air {

// Either a fixed error probability for every data frame, whatever its length and rate (control
// responses then never fail), or a signal-to-noise ratio from which errors follow by rate and
// length. The default is no errors.
class ErrorModel {
public:
    static ErrorModel fixed(double frame_error_rate);
    static ErrorModel from_snr(double snr_db);

    // Probability that a frame of `bytes` sent at `rate` is not received.
    [[nodiscard]] double data_loss(RateIndex rate, unsigned bytes) const;
    [[nodiscard]] double control_loss(RateIndex rate, unsigned bytes) const;
    [[nodiscard]] bool uses_snr() const { return uses_snr_; }
    [[nodiscard]] double snr_db() const { return snr_db_; }

private:
    double fixed_loss_ = 0;
    double snr_db_ = 0;
    bool uses_snr_ = false;
    std::array<double, kRateCount> log_success_per_byte_{};
};

// The SNR in dB at which one frame of 1000 bytes in ten is lost.
double snr_for_ten_percent_loss(RateIndex rate);

} // namespace air
