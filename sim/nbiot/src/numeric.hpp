// Elementary functions from IEEE basic operations, so that a seed gives the same run with every C
// library (see des/random.hpp).
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "des/random.hpp"

namespace nbiot {

// e^x, within a few units in the last place, for |x| < 700.
inline double portable_exp(double x) {
    constexpr double kInverseLn2 = 0x1.71547652b82fep0;
    const double k = std::floor(x * kInverseLn2 + 0.5);
    const double r = (x - k * 0x1.62e42feep-1) - k * 0x1.a39ef35793c76p-33;
    static constexpr auto kTerms = [] { // 1 / n!
        std::array<double, 14> list{1};
        for (std::size_t n = 1; n < list.size(); ++n)
            list[n] = list[n - 1] / static_cast<double>(n);
        return list;
    }();
    // Pairs of terms side by side: half the way of Horner's scheme.
    const double square = r * r;
    double even = kTerms[12], odd = kTerms[13];
    for (std::size_t n = 12; n >= 2; n -= 2) {
        even = even * square + kTerms[n - 2];
        odd = odd * square + kTerms[n - 1];
    }
    const double sum = even + r * odd;
    if (k < -1000 || k > 1000)
        return std::ldexp(sum, static_cast<int>(k));
    return sum * std::bit_cast<double>(static_cast<std::uint64_t>(static_cast<int>(k) + 1023)
                                       << 52); // 2^k
}

// The angle of (x, y) in radians, -pi to pi, within a few units in the last place; 0 at the origin.
inline double portable_atan2(double y, double x) {
    constexpr double kPi = 0x1.921fb54442d18p1;
    const double larger = std::fmax(std::fabs(x), std::fabs(y));
    if (larger == 0)
        return 0;
    const double t = std::fmin(std::fabs(x), std::fabs(y)) / larger;
    // z is the tangent of the angle less the nearest of 0, pi/8 and pi/4: |z| <= tan(pi/16), and
    // the series ends below 2^-54.
    const int eighths = t > 0.66817863791929892 ? 2 : t > 0.19891236737965800 ? 1 : 0;
    const double c = eighths == 2 ? 1 : eighths == 1 ? 0.41421356237309505 : 0;
    const double z = (t - c) / (1 + t * c);
    double sum = 0;
    for (int k = 11; k >= 0; --k)
        sum = 1.0 / (2 * k + 1) - z * z * sum;
    double angle = eighths * (kPi / 8) + z * sum;
    if (std::fabs(y) > std::fabs(x))
        angle = kPi / 2 - angle;
    if (x < 0)
        angle = kPi - angle;
    return y < 0 ? -angle : angle;
}

inline double from_db(double db) {
    return portable_exp(db * 0.23025850929940457);
}

inline double to_db(double linear) {
    return des::portable_log(linear) * 4.3429448190325183;
}

// Probability that a standard normal variable exceeds x: the rational Chebyshev fit of the
// complementary error function (Press et al., Numerical Recipes, 6.2), relative error below 1.2e-7.
inline double normal_tail(double x) {
    const double z = std::fabs(x) * 0.70710678118654752;
    const double t = 1 / (1 + 0.5 * z);
    const double poly =
        -z * z - 1.26551223 +
        t * (1.00002368 +
             t * (0.37409196 +
                  t * (0.09678418 +
                       t * (-0.18628806 +
                            t * (0.27886807 +
                                 t * (-1.13520398 +
                                      t * (1.48851587 + t * (-0.82215223 + t * 0.17087277))))))));
    const double tail = poly < -600 ? 0 : 0.5 * t * portable_exp(poly);
    return x >= 0 ? tail : 1 - tail;
}

} // namespace nbiot
