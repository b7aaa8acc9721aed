#include "nat.hpp"

namespace wire {

namespace {
constexpr std::uint16_t kFirst = 20000, kLast = 29999; // below the ephemeral ports of RFC 6056
} // namespace

void Nat::rebind() {
    for (const auto &[flow, mapping] : outside_) {
        const auto &[tcp, device, server] = flow;
        forgotten_.insert(flow);
        dead_.insert({tcp, mapping.port, server});
    }
    outside_.clear();
    inside_.clear();
}

bool Nat::alive(const Flow &flow, des::Time now) {
    const auto found = outside_.find(flow);
    if (found == outside_.end())
        return false;
    Mapping &mapping = found->second;
    if (idle_ && now - mapping.used > *idle_) {
        const Flow outer{std::get<0>(flow), mapping.port, std::get<2>(flow)};
        forgotten_.insert(flow);
        dead_.insert(outer);
        inside_.erase(outer);
        outside_.erase(found);
        return false;
    }
    mapping.used = now;
    return true;
}

std::uint16_t Nat::free_port(bool tcp, std::uint16_t server) {
    for (int tries = 0; tries <= kLast - kFirst; ++tries) {
        last_ = last_ < kFirst || last_ >= kLast ? kFirst : static_cast<std::uint16_t>(last_ + 1);
        const Flow flow{tcp, last_, server};
        if (!inside_.contains(flow) && !dead_.contains(flow))
            return last_;
    }
    dead_.clear(); // every port was used: the oldest mappings are long gone
    return last_;
}

void Nat::outward(Bytes &frame, const Parts &parts, des::Time now) {
    const Flow flow{parts.tcp, parts.source_port, parts.destination_port};
    const bool opens = parts.tcp && (parts.flags & kSyn) != 0;
    if (!alive(flow, now)) {
        const std::uint16_t port = forgotten_.contains(flow) && !opens
                                       ? free_port(parts.tcp, parts.destination_port)
                                       : parts.source_port;
        outside_[flow] = {port, now};
        inside_[{parts.tcp, port, parts.destination_port}] = parts.source_port;
        dead_.erase({parts.tcp, port, parts.destination_port});
    }
    if (const std::uint16_t port = outside_[flow].port; port != parts.source_port)
        set_ports(frame, parts, port, parts.destination_port);
}

bool Nat::inward(Bytes &frame, const Parts &parts, des::Time now) {
    const Flow outer{parts.tcp, parts.destination_port, parts.source_port};
    if (dead_.contains(outer))
        return false;
    const auto known = inside_.find(outer);
    if (known == inside_.end())
        return true;
    const std::uint16_t device = known->second;
    if (!alive({parts.tcp, device, parts.source_port}, now))
        return false;
    if (device != parts.destination_port)
        set_ports(frame, parts, parts.source_port, device);
    return true;
}

} // namespace wire
