/*
 * What a board reports while it asks its network for an address, a name and the time, before
 * tw_app_up: one line of the log for each. In builds with DHCP, DNS and SNTP (TW_DHCP).
 */
#ifndef TW_ACQUIRED_H
#define TW_ACQUIRED_H

#include "app.h"

/* Addresses: host byte order, as in tw_peer. */

/* The link is there: a radio has joined its cell. */
void tw_app_linked(struct tw_app *app);
/* The interface has this address; `kept`: the one that it had before. */
void tw_app_leased(struct tw_app *app, uint32_t address, bool kept);
/* The far end's name has this address, which the application connects to from now on. */
void tw_app_resolved(struct tw_app *app, uint32_t address);
void tw_app_unresolved(struct tw_app *app, const char *name);
/* It is this UNIX time, by which certificates are checked from now on. */
void tw_app_clock_set(struct tw_app *app, uint32_t utc_s);

#endif
