// A translator of the device's ports that can forget its mappings (RFC 4787, 4.3; RFC 5382).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>

#include "frame.hpp"

namespace wire {

// Before the first rebinding it changes nothing. Afterwards a flow of the device that existed gets
// a new port with its next frame, and what the server sends to the old one is dropped.
class Nat {
public:
    void rebind();
    // Translates a frame of the device in place.
    void outward(Bytes &frame, const Parts &parts);
    // Translates a frame of the server in place; false: it has no mapping and is dropped.
    bool inward(Bytes &frame, const Parts &parts);

private:
    // Protocol (true: TCP), the device's port or its translation, the server's port.
    using Flow = std::tuple<bool, std::uint16_t, std::uint16_t>;
    std::uint16_t free_port(bool tcp, std::uint16_t server);

    std::map<Flow, std::uint16_t> outside_; // of flows, by the device's port
    std::map<Flow, std::uint16_t> inside_;  // and back
    std::set<Flow> forgotten_;              // by the device's port
    std::set<Flow> dead_;                   // by the outer port
    std::uint16_t last_ = 0;
};

} // namespace wire
