/*
 * The security layer: TLS 1.2 under the stream protocols, DTLS 1.2 under the datagram protocols,
 * between the application (core/app/app.h) and the network. Neither side knows: the application
 * gets a board whose links carry plaintext, and a network calls the functions below instead of
 * those of the application with the same names. With security=none everything passes through as it
 * is.
 *
 * The device is a client. Its connection is up for the application once the peer has proven who it
 * is; what fails before or after ends the link with a reason in the log (reasons.h), never in a
 * connection. One connection at a time: there is one layer per board, held in static memory.
 */
#ifndef TW_SECURE_H
#define TW_SECURE_H

#include "core/app/app.h"

/* What a board gives the layer beyond its network. */
struct tw_secure_board {
    /* Fills `out` with unpredictable bytes; false when there are none now. Called with
     * entropy=board only, else the seed of the run makes them, so that a run can be repeated. */
    bool (*entropy)(uint8_t *out, size_t size);
    /* Called while a long computation goes on; may be NULL. */
    void (*alive)(void);
};

/* The board that the application is started with, around the one that has the network. Both
 * arguments must outlive it. */
const struct tw_board *tw_secure_board(const struct tw_board *below,
                                       const struct tw_secure_board *own);

/* For the network, in place of tw_app_on_open and so on. */
void tw_secure_on_open(struct tw_app *app, uint8_t link);
void tw_secure_on_bytes(struct tw_app *app, uint8_t link, const struct tw_peer *from,
                        const uint8_t *data, size_t size);
void tw_secure_on_close(struct tw_app *app, uint8_t link, const char *reason);
void tw_secure_on_room(struct tw_app *app, uint8_t link);
/* True while bytes that come in may start a computation of seconds: a stream acknowledges them
 * first, or the peer would send them again meanwhile. */
bool tw_secure_computes(void);
/* In place of tw_app_poll: repeats what DTLS has lost, too. */
tw_time tw_secure_poll(struct tw_app *app);

#endif
