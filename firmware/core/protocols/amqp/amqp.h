/*
 * AMQP 0-9-1 client: publishes to a queue through the default exchange, with publisher confirms if
 * confirmable=1, or consumes from it, with acknowledgement if confirmable=1. Heartbeats.
 *
 * clean=0 asks for a durable queue and persistent messages, and keeps what is not confirmed when
 * the connection ends: it is published again after reconnecting, so delivery is at least once.
 *
 * States of a connection (amqp.c):
 *
 *   state      event                     sends                              next state
 *   CLOSED     on_open                   protocol header                    STARTING
 *   STARTING   Connection.Start          Connection.Start-Ok                TUNING
 *   TUNING     Connection.Tune           Connection.Tune-Ok and Open        OPENING
 *   OPENING    Connection.Open-Ok        Channel.Open                       PREPARING
 *   PREPARING  the channel, queue and consumer or confirms are ready        READY
 *   PREPARING  finish                    Connection.Close                   CLOSING
 *   READY      finish, Basic.Cancel      Connection.Close                   CLOSING
 *   any open   Channel.Close             Channel.Close-Ok, Connection.Close CLOSING
 *   CLOSING    Connection.Close-Ok                                          DONE
 *   any        on_close                                                     CLOSED
 *
 * An error, the server's Connection.Close, or finish before PREPARING ends in DONE at once. While
 * CLOSING, whatever else arrives is discarded.
 */
#ifndef TW_AMQP_H
#define TW_AMQP_H

#include "amqp_frame.h"
#include "core/engine.h"
#include "core/util/inflight.h"
#include "core/util/stream_out.h"

struct tw_amqp {
    const struct tw_config *config;
    const struct tw_host *host;
    struct tw_amqp_parser parser;
    struct tw_inflight inflight;
    uint8_t state;
    uint8_t stopped; /* why nothing may be published now: bits */
    uint8_t owed;    /* deliveries without acknowledgement for want of room: 2 for several */
    bool delivery;   /* the content being read is a delivery, not a returned message */
    uint8_t content; /* what the content being read waits for */
    uint32_t next_tag;
    uint64_t delivery_tag, owed_tag; /* of the content being read; the last one owed */
    uint64_t body_left;
    uint32_t body_offset;
    tw_time answer_due, beat_due, silence_due;
    tw_time beat; /* agreed heartbeat interval, 0: none */
    struct tw_stream_out out;
};

extern const struct tw_engine tw_amqp_engine;

#endif
