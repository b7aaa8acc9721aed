#include "nat.hpp"

namespace wire {

namespace {
constexpr std::uint16_t kFirst = 20000, kLast = 29999; // below the ephemeral ports of RFC 6056
} // namespace

void Nat::rebind() {
    for (const auto &[flow, port] : outside_) {
        const auto &[tcp, device, server] = flow;
        forgotten_.insert(flow);
        dead_.insert({tcp, port, server});
    }
    outside_.clear();
    inside_.clear();
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

void Nat::outward(Bytes &frame, const Parts &parts) {
    const Flow flow{parts.tcp, parts.source_port, parts.destination_port};
    const auto known = outside_.find(flow);
    const bool opens = parts.tcp && (parts.flags & kSyn) != 0;
    if (known == outside_.end()) {
        const std::uint16_t port = forgotten_.contains(flow) && !opens
                                       ? free_port(parts.tcp, parts.destination_port)
                                       : parts.source_port;
        outside_[flow] = port;
        inside_[{parts.tcp, port, parts.destination_port}] = parts.source_port;
        dead_.erase({parts.tcp, port, parts.destination_port});
    }
    if (const std::uint16_t port = outside_[flow]; port != parts.source_port)
        set_ports(frame, parts, port, parts.destination_port);
}

bool Nat::inward(Bytes &frame, const Parts &parts) {
    const Flow flow{parts.tcp, parts.destination_port, parts.source_port};
    if (dead_.contains(flow))
        return false;
    const auto known = inside_.find(flow);
    if (known != inside_.end() && known->second != parts.destination_port)
        set_ports(frame, parts, parts.source_port, known->second);
    return true;
}

} // namespace wire
