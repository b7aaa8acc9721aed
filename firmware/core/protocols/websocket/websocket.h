/*
 * WebSocket client (RFC 6455): text messages, in fragments if asked, answers to pings, the closing
 * handshake.
 *
 * WebSocket acknowledges nothing. With confirmable=1 each message is followed by a Ping that
 * carries its sequence number; the Pong acknowledges it and all before it, since the stream keeps
 * their order.
 *
 * States of a connection (websocket.c):
 *
 *   state          event                         sends               next state
 *   CLOSED         on_open                       GET with Upgrade    SHAKING
 *   SHAKING        101 with the right key                            OPEN
 *   SHAKING        another response, or none                         DONE (error)
 *   SHAKING        finish                                            DONE
 *   OPEN           publish                       Text, and a Ping    OPEN
 *   OPEN           Ping, or keepalive_s pass     Pong, or Ping       OPEN
 *   OPEN           finish                        Close               CLOSING
 *   OPEN           Close                         Close               DONE
 *   CLOSING        Close                                             DONE
 *   OPEN, CLOSING  a violation of the protocol   Close               DONE
 *   OPEN, CLOSING  no answer in ANSWER_LIMIT                         DONE (error)
 *   any            on_close                                          CLOSED
 *
 * Messages are published and received in OPEN only. An answer is not late while bytes go either
 * way.
 */
#ifndef TW_WEBSOCKET_H
#define TW_WEBSOCKET_H

#include "core/engine.h"
#include "core/util/inflight.h"
#include "core/util/stream_out.h"
#include "websocket_frame.h"

struct tw_websocket {
    const struct tw_config *config;
    const struct tw_host *host;
    struct tw_random *random;
    uint8_t state;
    bool pinged, covers;       /* a keep-alive Ping is unanswered; there was a message before it */
    uint32_t covered;          /* and this was the last one */
    bool owes_ping, owes_pong; /* they wait for room in the output */
    uint8_t pong_size, pong[TW_WS_CONTROL_MAX];
    tw_time answer_due, ping_due;
    struct tw_inflight inflight;
    union { /* the handshake ends before the first frame */
        struct tw_ws_handshake handshake;
        struct tw_ws_parser parser;
    } in;
    struct tw_stream_out out;
};

extern const struct tw_engine tw_websocket_engine;

#endif
