#include "netif.h"

#include <string.h>

#include "eth.h"
#include "lwip/etharp.h"
#include "lwip/netif.h"
#include "lwip/tcpip.h"
#include "netif/ethernet.h"

/* Where lwIP has a task of its own, that one takes the frames. */
#if NO_SYS
#define TAKE_FRAME ethernet_input
#else
#define TAKE_FRAME tcpip_input
#endif

#define ETHERNET_MTU 1500

static struct netif interface;
static const struct tw_config *settings;
static uint32_t dropped;

static err_t send_frame(struct netif *netif, struct pbuf *frame) {
    (void)netif;
    if (frame->tot_len > ETH_FRAME_MAX)
        return ERR_BUF;
    pbuf_copy_partial(frame, eth_transmit_buffer(), frame->tot_len, 0);
    eth_transmit(frame->tot_len);
    return ERR_OK;
}

static err_t set_up(struct netif *netif) {
    netif->name[0] = 'e';
    netif->name[1] = 't';
    netif->output = etharp_output;
    netif->linkoutput = send_frame;
    netif->mtu = ETHERNET_MTU;
    netif->flags =
        NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET | NETIF_FLAG_LINK_UP;
    netif->hwaddr_len = sizeof settings->mac;
    memcpy(netif->hwaddr, settings->mac, sizeof settings->mac);
    return ERR_OK;
}

void netif_start(const struct tw_config *config) {
    settings = config;
    eth_start(config->mac);
    ip4_addr_t ip = {lwip_htonl(config->ip)};
    ip4_addr_t mask = {lwip_htonl(config->mask)};
    ip4_addr_t gateway = {lwip_htonl(config->gw)};
    netif_add(&interface, &ip, &mask, &gateway, NULL, set_up, TAKE_FRAME);
    netif_set_default(&interface);
    netif_set_up(&interface); /* sends a gratuitous ARP, on which eth.c relies */
}

bool netif_serve(void) {
    if (eth_waiting())
        eth_acknowledge();
    size_t size;
    const uint8_t *frame = eth_frame(&size);
    if (!frame)
        return false;
    struct pbuf *copy = pbuf_alloc(PBUF_RAW, (uint16_t)size, PBUF_RAM);
    if (copy)
        memcpy(copy->payload, frame, size);
    else
        dropped++;
    eth_release();
    if (copy && interface.input(copy, &interface) != ERR_OK)
        pbuf_free(copy);
    return true;
}

uint32_t netif_dropped(void) {
    return dropped;
}
