// What the loader hands over, in the form that Linux takes on Xtensa: records of a tag, a size and
// data. firmware/boards/lx106/src/bootargs.c reads them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace lx106 {

// The longest configuration that a board takes, in bytes.
inline constexpr std::size_t kWordsMax = 0xfff0;

// The records with these configuration words, at most kWordsMax bytes of them.
std::vector<std::uint8_t> boot_records(std::string_view words);

} // namespace lx106
