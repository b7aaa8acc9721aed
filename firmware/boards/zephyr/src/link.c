#include "link.h"

#include <string.h>
#include <zephyr/kernel.h>
#include <zephyr/net/ethernet_mgmt.h>
#include <zephyr/net/net_if.h>
/* dhcpv4.h uses the declarations of net_if.h */
#include <zephyr/net/dhcpv4.h>

#include "wifi.h"

#define POLL_MS 10

static struct in_addr network_order(uint32_t address) {
    return (struct in_addr){.s_addr = htonl(address)};
}

static void set_addresses(struct net_if *interface, const struct tw_config *config) {
    struct in_addr ip = network_order(config->ip);
    struct in_addr mask = network_order(config->mask);
    struct in_addr gateway = network_order(config->gw);
    net_if_ipv4_addr_add(interface, &ip, NET_ADDR_MANUAL, 0);
    net_if_ipv4_set_netmask(interface, &mask);
    net_if_ipv4_set_gw(interface, &gateway);
}

/* Of an Ethernet interface, which must be down for it; a radio keeps its own. */
static void set_mac(struct net_if *interface, const struct tw_config *config) {
    struct ethernet_req_params request = {0};
    memcpy(request.mac_address.addr, config->mac, sizeof config->mac);
    net_if_down(interface);
    net_mgmt(NET_REQUEST_ETHERNET_SET_MAC_ADDRESS, interface, &request, sizeof request);
}

static uint32_t address_of(struct net_if *interface) {
    struct in_addr *ip = net_if_ipv4_get_global_addr(interface, NET_ADDR_PREFERRED);
    return ip && net_if_is_up(interface) ? ntohl(ip->s_addr) : 0;
}

uint32_t link_up(const struct tw_config *config, const char *ssid, const char *password) {
    struct net_if *interface = net_if_get_default();
    if (IS_ENABLED(CONFIG_NET_L2_ETHERNET_MGMT))
        set_mac(interface, config);
    net_if_up(interface);
    if (IS_ENABLED(CONFIG_WIFI))
        wifi_join(interface, ssid, password, config->modem_sleep);
    if (config->ip)
        set_addresses(interface, config);
    else
        net_dhcpv4_start(interface);
    for (int waited_ms = 0; waited_ms < LINK_LIMIT_S * 1000; waited_ms += POLL_MS) {
        uint32_t address = address_of(interface);
        if (address)
            return address;
        k_msleep(POLL_MS);
    }
    return 0;
}
