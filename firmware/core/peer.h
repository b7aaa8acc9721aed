/*
 * The far ends of datagrams, compared. A socket that is bound and not connected hands over what
 * anybody sent, so each engine asks who it was.
 */
#ifndef TW_PEER_H
#define TW_PEER_H

#include "config.h"
#include "engine.h"

/* Tells whether two endpoints are one: address and port. */
static inline bool tw_same_peer(const struct tw_peer *a, const struct tw_peer *b) {
    return a->address == b->address && a->port == b->port;
}

/* Tells whether `from` is the configured peer. */
static inline bool tw_from_peer(const struct tw_config *config, const struct tw_peer *from) {
    return from->address == config->peer && from->port == config->port;
}

#endif
