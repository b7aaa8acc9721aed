// The design of the recorded CoAP captures (KU Leuven, 2019): one client requests a resource of an
// ESP8266, waits for the response, and sends the next request one second later.
#pragma once

#include <cstdint>
#include <vector>

#include "request_flow.hpp"

namespace air {

// Request-to-acknowledgement times on the wired side, of `requests` requests, with and without
// modem sleep.
std::vector<RequestFlow::Sample> sleep_trial(bool modem_sleep, std::size_t requests,
                                             std::uint64_t seed);

// The largest distance between the two samples' distribution functions (Kolmogorov and Smirnov).
double ks_distance(std::vector<double> a, std::vector<double> b);

} // namespace air
