/*
 * The Ethernet interface of lwIP.
 */
#ifndef NETIF_H
#define NETIF_H

#include <stdbool.h>

#include "core/config.h"

/* Brings the interface up with the configured addresses. */
void netif_start(const struct tw_config *config);
/* Passes the oldest received frame to lwIP; returns false when there was none. */
bool netif_serve(void);
/* Frames lost for want of memory. */
uint32_t netif_dropped(void);

#endif
