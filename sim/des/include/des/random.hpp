// Named streams of random numbers. A stream is a function of (seed, name) alone: adding a consumer
// never changes the draws of another one, and the numbers are the same with every compiler, C
// library and processor (the standard's own distributions are not).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace des {

// xoshiro256** (Blackman and Vigna, 2018), seeded by splitmix64 from the seed and the name's FNV-1a
// hash.
class RandomStream {
public:
    RandomStream(std::uint64_t seed, std::string_view name);

    // 64 uniform bits.
    std::uint64_t bits();
    // Uniform in [0, 1), 53 bits.
    double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
    // Uniform in [low, high).
    double uniform(double low, double high) { return low + (high - low) * uniform(); }
    // Uniform integer in [low, high], both included, without bias (Lemire, 2019). Needs low <=
    // high.
    std::int64_t integer(std::int64_t low, std::int64_t high);
    // True with the given probability; draws nothing when it is <= 0 or >= 1.
    bool chance(double probability);
    // Exponential with the given mean; mean 0 gives 0.
    double exponential(double mean);
    // Normal (Marsaglia's polar method).
    double normal(double mean, double standard_deviation);

private:
    std::array<std::uint64_t, 4> state_;
    double spare_normal_ = 0;
    bool has_spare_normal_ = false;
};

// Natural logarithm from IEEE basic operations only, within 2 units in the last place for positive
// normal numbers: the C library's own differs between platforms. Zero gives -infinity.
double portable_log(double x);

} // namespace des
