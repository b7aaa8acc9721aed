#include "lwip_net.h"

struct tw_app *tw_lwip_app;

static enum tw_transport opened;

void tw_net_start(struct tw_app *app) {
    tw_lwip_app = app;
}

ip_addr_t tw_lwip_address(uint32_t address) {
    ip_addr_t out;
    ip_addr_set_ip4_u32_val(out, lwip_htonl(address));
    return out;
}

enum tw_open tw_net_open(void *ctx, const struct tw_config *config, enum tw_transport transport) {
    (void)ctx;
    opened = transport;
    return transport == TW_STREAM ? tw_lwip_tcp_open(config) : tw_lwip_udp_open(config);
}

size_t tw_net_send(void *ctx, uint8_t link, const struct tw_output *out) {
    (void)ctx;
    return opened == TW_STREAM ? tw_lwip_tcp_send(link, out) : tw_lwip_udp_send(out);
}

void tw_net_close(void *ctx, uint8_t link, bool abort) {
    (void)ctx;
    if (opened == TW_STREAM)
        tw_lwip_tcp_close(link, abort);
    else
        tw_lwip_udp_close();
}

size_t tw_net_unacked(void *ctx, uint8_t link) {
    (void)ctx;
    return opened == TW_STREAM ? tw_lwip_tcp_unacked(link) : 0;
}

tw_time tw_net_poll(tw_time now) {
    tw_lwip_udp_poll();
    return tw_lwip_tcp_poll(now);
}
