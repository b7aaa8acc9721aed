/*
 * The security layer: TLS 1.2 under the stream protocols, DTLS 1.2 under the datagram protocols,
 * between the application (core/app/app.h) and the network. Neither side is aware of it: the
 * application gets a board whose links carry plaintext, and a network calls the functions below
 * instead of the application's functions with the same names. With security=none, data passes
 * through unchanged.
 *
 * The device is a client. The application sees the connection as up once the peer is authenticated.
 * Any failure ends the link with a reason in the log (reasons.h). There is one connection at a time
 * and one layer per board, in static memory.
 */
#ifndef TW_SECURE_H
#define TW_SECURE_H

#include "core/app/app.h"

/* What a board provides to the layer besides its network. */
struct tw_secure_board {
    /* Fills `out` with unpredictable bytes; returns false when none are available now. Called with
     * entropy=board only; otherwise the bytes follow from the seed of the run, so that it can be
     * repeated. */
    bool (*entropy)(uint8_t *out, size_t size);
    /* Called during a long computation; may be NULL. */
    void (*alive)(void);
};

/* Wraps the board that has the network into the board that the application is started with. Both
 * arguments must outlive it. */
const struct tw_board *tw_secure_board(const struct tw_board *below,
                                       const struct tw_secure_board *own);

/* The network calls these in place of tw_app_on_open and so on. */
void tw_secure_on_open(struct tw_app *app, uint8_t link);
void tw_secure_on_bytes(struct tw_app *app, uint8_t link, const struct tw_peer *from,
                        const uint8_t *data, size_t size);
void tw_secure_on_close(struct tw_app *app, uint8_t link, const char *reason);
void tw_secure_on_room(struct tw_app *app, uint8_t link);
/* True while received bytes may start a computation of seconds. A stream then acknowledges them
 * first, else the peer would retransmit them meanwhile. */
bool tw_secure_computes(void);
/* In place of tw_app_poll; also retransmits the handshake flights that DTLS has lost. */
tw_time tw_secure_poll(struct tw_app *app);

#endif
