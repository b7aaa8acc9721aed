#include "bianchi.hpp"

#include <algorithm>
#include <cmath>

namespace air {

namespace {

// Probability that a station sends in a slot, if each attempt fails with probability p.
double attempt_probability(const BianchiInput &input, double p) {
    double attempts = 0; // sum of p^i
    double slots = 0;    // sum of p^i (W_i + 1) / 2
    double weight = 1;
    unsigned window = input.cw_min + 1;
    for (unsigned stage = 0; stage <= input.retry_limit; ++stage) {
        attempts += weight;
        slots += weight * (window + 1) / 2.0;
        weight *= p;
        window = std::min(2 * window, input.cw_max + 1);
    }
    return attempts / slots;
}

} // namespace

double bianchi_throughput(const BianchiInput &input) {
    const double n = input.stations;
    // The fixed point p = 1 - (1 - tau(p))^(n-1): tau falls with p, so that bisection finds it.
    double low = 0, high = 1;
    for (int i = 0; i < 100; ++i) {
        const double p = (low + high) / 2;
        const double implied = 1 - std::pow(1 - attempt_probability(input, p), n - 1);
        (implied > p ? low : high) = p;
    }
    const double tau = attempt_probability(input, low);
    const double idle = std::pow(1 - tau, n);
    const double success = n * tau * std::pow(1 - tau, n - 1);
    const double collision = 1 - idle - success;
    const double mean_slot = idle * des::to_seconds(input.slot) +
                             success * des::to_seconds(input.success) +
                             collision * des::to_seconds(input.collision);
    return success * input.payload_bits / mean_slot;
}

} // namespace air
