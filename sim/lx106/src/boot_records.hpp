// The loader's parameters in the form that Linux expects on Xtensa: records of a tag, a size and
// data. firmware/boards/lx106/src/bootargs.c reads them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace lx106 {

// The longest configuration that a board accepts, in bytes.
inline constexpr std::size_t kWordsMax = 0xfff0;

// Returns the records with these configuration words, at most kWordsMax bytes.
std::vector<std::uint8_t> boot_records(std::string_view words);

} // namespace lx106
