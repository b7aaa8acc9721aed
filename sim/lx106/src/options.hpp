// The command line of lx106 (main.cc).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "board.hpp"
#include "clock.hpp"

namespace lx106 {

struct BoardOptions {
    std::string network, debugger, log, coverage;
    Time instruction_ps = 25'000, halt_ps = 0;
    std::uint64_t start_ns = 0;
    Presets presets;
    bool paced = true, resets = false, joins = false;
    std::vector<std::string> later_words;
    std::string firmware, words;
};

// The boards that the arguments describe, at least one. Empty if they are not valid.
std::vector<BoardOptions> parse_options(std::span<const char *const> arguments);

} // namespace lx106
