/* The driver of the Ethernet controller in wire.h. */
#include <errno.h>
#include <string.h>
#include <zephyr/irq.h>
#include <zephyr/kernel.h>
#include <zephyr/net/ethernet.h>
#include <zephyr/net/net_if.h>
#include <zephyr/net/net_pkt.h>

#include "wire.h"

#define TAP "board0"
#define TICK_US (1000000 / CONFIG_SYS_CLOCK_TICKS_PER_SEC)
#define FRAME_BYTES (NET_ETH_MTU + sizeof(struct net_eth_hdr))

static struct net_if *interface;
static uint8_t mac[6] = {0x02, 0x54, 0x57, 0, 0, 1}; /* until the configuration names another */

static struct net_stats_eth statistics; /* Zephyr counts the rest of it */

K_SEM_DEFINE(frames, 0, 1);

static void on_interrupt(const void *unused) {
    ARG_UNUSED(unused);
    k_sem_give(&frames);
}

static void take_in(const uint8_t *frame, size_t size) {
    struct net_pkt *packet = net_pkt_rx_alloc_with_buffer(interface, size, AF_UNSPEC, 0, K_NO_WAIT);
    if (!packet) { /* lost, as on a chip without a buffer */
        statistics.error_details.rx_no_buffer_count++;
        return;
    }
    if (net_pkt_write(packet, frame, size) < 0 || net_recv_data(interface, packet) < 0)
        net_pkt_unref(packet);
}

static void receive(void *a, void *b, void *c) {
    ARG_UNUSED(a), ARG_UNUSED(b), ARG_UNUSED(c);
    static uint8_t frame[FRAME_BYTES];
    for (;;) {
        k_sem_take(&frames, K_FOREVER);
        long size;
        while ((size = wire_read(frame, sizeof frame)) > 0)
            take_in(frame, (size_t)size);
    }
}

K_THREAD_DEFINE(receiver, CONFIG_ARCH_POSIX_RECOMMENDED_STACK_SIZE, receive, NULL, NULL, NULL,
                K_PRIO_COOP(14), 0, 0);

static int send_packet(const struct device *device, struct net_pkt *packet) {
    ARG_UNUSED(device);
    static uint8_t frame[FRAME_BYTES];
    size_t size = net_pkt_get_len(packet);
    if (size > sizeof frame || net_pkt_read(packet, frame, size) < 0)
        return -EMSGSIZE;
    return wire_write(frame, size) < 0 ? -EIO : 0;
}

static void start(struct net_if *made) {
    interface = made;
    net_if_set_link_addr(interface, mac, sizeof mac, NET_LINK_ETHERNET);
    ethernet_init(interface);
    IRQ_CONNECT(WIRE_IRQ, 1, on_interrupt, NULL, 0);
    irq_enable(WIRE_IRQ);
    wire_open(TAP, TICK_US);
}

static int set_config(const struct device *device, enum ethernet_config_type type,
                      const struct ethernet_config *config) {
    ARG_UNUSED(device);
    if (type != ETHERNET_CONFIG_TYPE_MAC_ADDRESS)
        return -ENOTSUP;
    memcpy(mac, config->mac_address.addr, sizeof mac);
    return 0;
}

static enum ethernet_hw_caps capabilities(const struct device *device) {
    ARG_UNUSED(device);
    return 0;
}

static struct net_stats_eth *get_statistics(const struct device *device) {
    ARG_UNUSED(device);
    return &statistics;
}

static const struct ethernet_api api = {
    .iface_api.init = start,
    .get_capabilities = capabilities,
    .set_config = set_config,
    .get_stats = get_statistics,
    .send = send_packet,
};

ETH_NET_DEVICE_INIT(tap, TAP, NULL, NULL, NULL, NULL, CONFIG_KERNEL_INIT_PRIORITY_DEFAULT, &api,
                    NET_ETH_MTU);
