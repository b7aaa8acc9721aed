/*
 * What a board asks its network for before the application starts: an address (DHCP, RFC 2131), the
 * addresses of names (DNS, RFC 1035) and the time (SNTP, RFC 4330), as far as the configuration
 * wants them, one after the other.
 */
#ifndef ACQUIRE_H
#define ACQUIRE_H

#include "core/app/app.h"

/* Call it when the interface is up. Returns the interface's address once the board has all; lwIP
 * repeats what is lost, without an end. */
uint32_t acquire_network(struct tw_app *app, const struct tw_config *config);

#endif
