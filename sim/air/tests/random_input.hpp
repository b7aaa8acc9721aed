// A cell driven by arbitrary bytes: shared by the seeded test and the libFuzzer targets.
#pragma once

#include <cstdint>
#include <span>

namespace air_test {

// Bytes as a configuration. Accepted ones run for a short virtual time.
void try_config(std::span<const std::uint8_t> bytes);
// Bytes as a sequence of frames on the ports of a busy cell: each one a port, a length, a pause,
// then its bytes.
void try_frames(std::span<const std::uint8_t> bytes);

} // namespace air_test
