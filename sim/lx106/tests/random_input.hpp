// Any bytes as each input of a board, for the test and for libFuzzer.
#pragma once

#include <cstdint>
#include <span>

namespace lx106_test {

// The first byte says what the others are: a file, configuration words, or a program, a descriptor
// of the Ethernet MAC and frames.
void try_input(std::span<const std::uint8_t> input);

} // namespace lx106_test
