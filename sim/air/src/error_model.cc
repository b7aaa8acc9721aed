#include "error_model.hpp"

#include <algorithm>
#include <cmath>

namespace air {

namespace {

// SNR in dB at 10 % loss of 1000 bytes. Anchors: the receive sensitivities of the ESP8266EX
// datasheet (1 Mb/s -98 dBm, 11 Mb/s -91, 6 Mb/s -93, 54 Mb/s -75, MCS7 -72) over a noise floor of
// -95 dBm (thermal noise of 20 MHz and a 6 dB noise figure). Between the anchors the steps are
// those of the standard's minimum sensitivities (tables 17-18 and 19-23), which grow by 17 dB from
// 6 to 54 Mb/s and 18 dB from MCS0 to MCS7.
constexpr std::array<double, kRateCount> kSnrTenPercent{
    -3, 0, 2,  4,                    // 1, 2, 5.5, 11 Mb/s
    2,  3, 5,  7,  10, 14, 18,   20, // 6, 9, 12, 18, 24, 36, 48, 54 Mb/s
    5,  8, 10, 12, 16, 20, 21.5, 23  // MCS0 to MCS7
};

// Bit errors fall by one decade for each dB around the threshold, as coded OFDM does in white
// noise.
constexpr double kDecadesPerDb = 1.0;

} // namespace

double snr_for_ten_percent_loss(RateIndex index) {
    return kSnrTenPercent[index];
}

ErrorModel ErrorModel::fixed(double frame_error_rate) {
    ErrorModel model;
    model.fixed_loss_ = frame_error_rate;
    return model;
}

ErrorModel ErrorModel::from_snr(double snr_db) {
    ErrorModel model;
    model.uses_snr_ = true;
    model.snr_db_ = snr_db;
    const double threshold_rate = -std::log1p(-0.1) / 1000.0; // per byte
    for (std::size_t i = 0; i < kRateCount; ++i) {
        const double margin_db = snr_db - kSnrTenPercent[i];
        const double scale = std::pow(10.0, -kDecadesPerDb * margin_db);
        // More than 3 dB below the threshold nothing is received; the cap keeps the numbers finite.
        model.log_success_per_byte_[i] = -std::min(threshold_rate * scale, 1.0);
    }
    return model;
}

double ErrorModel::data_loss(RateIndex index, unsigned bytes) const {
    return uses_snr_ ? -std::expm1(log_success_per_byte_[index] * bytes) : fixed_loss_;
}

double ErrorModel::control_loss(RateIndex index, unsigned bytes) const {
    return uses_snr_ ? -std::expm1(log_success_per_byte_[index] * bytes) : 0.0;
}

} // namespace air
