// IPAddress and lwIP's address: the same four octets.
#pragma once

#include "IPAddress.h"
#include "lwip/ip_addr.h"

namespace thinwire {

inline ip_addr_t to_lwip(const IPAddress &address) {
    ip_addr_t out;
    ip_addr_set_ip4_u32_val(out, address.v4());
    return out;
}

inline IPAddress from_lwip(const ip_addr_t &address) {
    return IPAddress(ip_addr_get_ip4_u32(&address));
}

} // namespace thinwire
