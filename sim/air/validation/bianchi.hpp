// Saturation throughput of DCF in closed form: Bianchi's Markov chain (IEEE JSAC 18(3), 2000) with
// the retry limit of Wu et al. (INFOCOM 2002).
#pragma once

#include "phy.hpp"

namespace air {

struct BianchiInput {
    unsigned stations;
    unsigned cw_min, cw_max; // as in the standard: W0 = cw_min + 1
    unsigned retry_limit;
    Time slot;
    Time success; // the medium is busy, interframe spaces included
    Time collision;
    unsigned payload_bits;
};

// Bits per second.
double bianchi_throughput(const BianchiInput &input);

} // namespace air
