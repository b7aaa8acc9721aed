/*
 * How a board reaches the network. Each implementation of this header drives the application
 * (core/app/app.h, through secure/secure.h) from its own callbacks or sockets; tw_net_open,
 * tw_net_send, tw_net_close and tw_net_unacked are the members of `struct tw_board` with the same
 * names and follow the contract written there.
 *
 *   lwip_*.c      lwIP's raw API: boards lx106 and esp8266
 *   zephyr_*.c    Zephyr's sockets
 */
#ifndef TW_NET_H
#define TW_NET_H

#include "secure/secure.h"

/* Call once, between tw_app_start and tw_app_up. */
void tw_net_start(struct tw_app *app);

enum tw_open tw_net_open(void *ctx, const struct tw_config *config, enum tw_transport transport);
size_t tw_net_send(void *ctx, uint8_t link, const struct tw_output *out);
void tw_net_close(void *ctx, uint8_t link, bool abort);
size_t tw_net_unacked(void *ctx, uint8_t link);

/* Gives the application what came while it was busy. `now`: the board's time, as for tw_board. Call
 * before tw_app_poll; returns when to call again at the latest, or TW_NEVER. (Zephyr's sockets keep
 * it themselves.) */
tw_time tw_net_poll(tw_time now);

#endif
