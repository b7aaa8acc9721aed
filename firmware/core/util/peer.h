/*
 * Compares the endpoints of datagrams. A socket that is bound and not connected delivers what any
 * sender sent to it, so each engine checks the sender.
 */
#ifndef TW_PEER_H
#define TW_PEER_H

#include "core/config.h"
#include "core/engine.h"

/* Returns whether two endpoints are one: address and port. */
static inline bool tw_same_peer(const struct tw_peer *a, const struct tw_peer *b) {
    return a->address == b->address && a->port == b->port;
}

/* Returns whether `from` is the configured peer. */
static inline bool tw_from_peer(const struct tw_config *config, const struct tw_peer *from) {
    return from->address == config->peer && from->port == config->port;
}

#endif
