/*
 * Shared by the files that implement net.h over lwIP's raw API. lwIP runs without threads: all of
 * this happens in one loop.
 */
#ifndef TW_LWIP_NET_H
#define TW_LWIP_NET_H

#include "lwip/ip_addr.h"
#include "net.h"

/* The application that events go to. */
extern struct tw_app *tw_lwip_app;

ip_addr_t tw_lwip_address(uint32_t address);

enum tw_open tw_lwip_tcp_open(const struct tw_config *config);
size_t tw_lwip_tcp_send(uint8_t link, const struct tw_output *out);
void tw_lwip_tcp_close(uint8_t link, bool abort);
size_t tw_lwip_tcp_unacked(uint8_t link);
tw_time tw_lwip_tcp_poll(tw_time now);

enum tw_open tw_lwip_udp_open(const struct tw_config *config);
size_t tw_lwip_udp_send(const struct tw_output *out);
void tw_lwip_udp_close(void);
void tw_lwip_udp_poll(void);

#endif
