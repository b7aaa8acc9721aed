// Reads the settings of a port from a program's configuration.
#pragma once

#include "config/reader.hpp"
#include "ports/port.hpp"

namespace ports {

// Reads an object with `tap`, or with `unix` and its paths `bind` and `peer`. Throws config::Error
// for other keys.
inline Settings read_settings(config::Reader reader) {
    Settings port;
    reader.read("tap", port.tap);
    if (reader.has("unix")) {
        config::Reader socket = reader.object("unix");
        socket.read("bind", port.unix_bind);
        socket.read("peer", port.unix_peer);
        socket.finish();
    }
    reader.finish();
    return port;
}

} // namespace ports
