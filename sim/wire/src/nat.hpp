// A translator of the device's ports whose mappings expire (RFC 4787, 4.3; RFC 5382, 5).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "des/time.hpp"
#include "frame.hpp"

namespace wire {

// Before a mapping is forgotten it changes nothing. Afterwards the flow gets a new port with the
// device's next frame, and what the server sends to the old one is dropped. A mapping is forgotten
// by a rebinding, and after `idle` without a frame of either side.
class Nat {
public:
    explicit Nat(std::optional<des::Time> idle) : idle_(idle) {}

    void rebind();
    // Translates a frame of the device in place.
    void outward(Bytes &frame, const Parts &parts, des::Time now);
    // Translates a frame of the server in place; false: it has no mapping and is dropped.
    bool inward(Bytes &frame, const Parts &parts, des::Time now);

private:
    // Protocol (true: TCP), the device's port or its translation, the server's port.
    using Flow = std::tuple<bool, std::uint16_t, std::uint16_t>;
    struct Mapping {
        std::uint16_t port;
        des::Time used; // time of the last frame
    };
    std::uint16_t free_port(bool tcp, std::uint16_t server);
    // Refreshes the mapping of a flow, or forgets it if it has expired; false: there is none.
    bool alive(const Flow &flow, des::Time now);

    std::optional<des::Time> idle_;
    std::map<Flow, Mapping> outside_;      // of flows, by the device's port
    std::map<Flow, std::uint16_t> inside_; // and back
    std::set<Flow> forgotten_;             // by the device's port
    std::set<Flow> dead_;                  // by the outer port
    std::uint16_t last_ = 0;
};

} // namespace wire
