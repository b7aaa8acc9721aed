// The network of a board, in the words of QEMU's option -netdev.
#pragma once

#include <string_view>

#include "ports/port.hpp"

namespace lx106 {

// Of tap,ifname=NAME and of
// dgram,local.type=unix,local.path=PATH,remote.type=unix,remote.path=PATH; other words of the two
// mean nothing here. Throws std::runtime_error for anything else.
ports::Settings parse_netdev(std::string_view text);

} // namespace lx106
