// Bytes that grow: integers in little-endian order on every machine, and other bytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ports {

using Bytes = std::vector<std::uint8_t>;

// The lowest `bytes` bytes of a value, at most 8.
inline void put_le(Bytes &out, std::uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i)
        out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

inline void put16(Bytes &out, std::uint64_t value) {
    put_le(out, value, 2);
}

inline void put32(Bytes &out, std::uint64_t value) {
    put_le(out, value, 4);
}

inline void put(Bytes &out, std::span<const std::uint8_t> data) {
    out.insert(out.end(), data.begin(), data.end());
}

} // namespace ports
