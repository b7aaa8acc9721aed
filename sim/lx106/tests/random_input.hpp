// Any bytes as each input of a board, for the test and for libFuzzer.
#pragma once

#include <cstdint>
#include <span>

namespace lx106_test {

// The first byte selects the meaning of the others: a file, configuration words, a program, a
// network, what a debugger sends, or a descriptor of the Ethernet MAC and frames.
void try_input(std::span<const std::uint8_t> input);

} // namespace lx106_test
