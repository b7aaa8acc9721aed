// The network of a board, in the syntax of QEMU's option -netdev.
#pragma once

#include <string_view>

#include "ports/port.hpp"

namespace lx106 {

// Parses tap,ifname=NAME and
// dgram,local.type=unix,local.path=PATH,remote.type=unix,remote.path=PATH; other words of the two
// are ignored. Throws std::runtime_error for anything else.
ports::Settings parse_netdev(std::string_view text);

} // namespace lx106
