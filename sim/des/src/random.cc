#include "des/random.hpp"

#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

namespace des {

namespace {

__extension__ using Uint128 = unsigned __int128;

constexpr auto kOddReciprocals = [] { // 1 / (2k + 1)
    std::array<double, 12> list{};
    for (std::size_t k = 0; k < list.size(); ++k)
        list[k] = 1.0 / static_cast<double>(2 * k + 1);
    return list;
}();

// Like std::frexp(), without a call for normal numbers.
double split(double x, int &exponent) {
    constexpr std::uint64_t kExponent = 0x7ffull << 52;
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const std::uint64_t biased = (bits & kExponent) >> 52;
    if (biased == 0 || biased == 0x7ff)
        return std::frexp(x, &exponent);
    exponent = static_cast<int>(biased) - 1022;
    return std::bit_cast<double>((bits & ~kExponent) | 1022ull << 52);
}

std::uint64_t fnv1a(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325ull;
    for (const char c : text) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 0x100000001b3ull;
    }
    return hash;
}

std::uint64_t splitmix64(std::uint64_t &state) {
    state += 0x9e3779b97f4a7c15ull;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

} // namespace

RandomStream::RandomStream(std::uint64_t seed, std::string_view name) : state_{} {
    // The seed is scrambled before the name is mixed in, so that neighbouring seeds give unrelated
    // streams.
    std::uint64_t state = seed;
    state = splitmix64(state) ^ fnv1a(name);
    for (std::uint64_t &word : state_)
        word = splitmix64(state);
}

std::uint64_t RandomStream::bits() {
    auto &s = state_;
    const std::uint64_t result = std::rotl(s[1] * 5, 7) * 9;
    const std::uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = std::rotl(s[3], 45);
    return result;
}

std::int64_t RandomStream::integer(std::int64_t low, std::int64_t high) {
    assert(low <= high);
    const std::uint64_t range =
        static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
    if (range == 0) // all 64 bits
        return static_cast<std::int64_t>(bits());
    Uint128 product = static_cast<Uint128>(bits()) * range;
    if (static_cast<std::uint64_t>(product) < range) {
        const std::uint64_t threshold = (0 - range) % range;
        while (static_cast<std::uint64_t>(product) < threshold)
            product = static_cast<Uint128>(bits()) * range;
    }
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) +
                                     static_cast<std::uint64_t>(product >> 64));
}

bool RandomStream::chance(double probability) {
    if (probability <= 0)
        return false;
    return probability >= 1 || uniform() < probability;
}

double RandomStream::exponential(double mean) {
    return -mean * portable_log(1.0 - uniform());
}

double RandomStream::normal(double mean, double standard_deviation) {
    if (has_spare_normal_) {
        has_spare_normal_ = false;
        return mean + standard_deviation * spare_normal_;
    }
    double u, v, s;
    do {
        u = uniform(-1, 1);
        v = uniform(-1, 1);
        s = u * u + v * v;
    } while (s >= 1 || s == 0);
    // sqrt is exactly rounded by IEEE 754, unlike log, sin and cos.
    const double factor = std::sqrt(-2 * portable_log(s) / s);
    spare_normal_ = v * factor;
    has_spare_normal_ = true;
    return mean + standard_deviation * u * factor;
}

double portable_log(double x) {
    if (x == 0)
        return -std::numeric_limits<double>::infinity();
    // x = m * 2^e with m in [1/sqrt 2, sqrt 2); log m = 2 atanh(s), s = (m - 1)/(m + 1), |s| <
    // 0.1716.
    int exponent = 0;
    double m = split(x, exponent);
    if (m < 0x1.6a09e667f3bcdp-1) {
        m *= 2;
        --exponent;
    }
    const double s = (m - 1) / (m + 1);
    const double z = s * s;
    double sum = 0; // sum of z^k / (2k + 1), k = 0..11; the next term is below 2^-64
    for (std::size_t k = 11; k >= 1; --k)
        sum = (sum + kOddReciprocals[k]) * z;
    // ln 2 in two parts: the first has 32 significant bits, so exponent * high is exact.
    constexpr double kLn2High = 0x1.62e42feep-1;
    constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
    return exponent * kLn2High + (2 * s + (2 * s * sum + exponent * kLn2Low));
}

} // namespace des
