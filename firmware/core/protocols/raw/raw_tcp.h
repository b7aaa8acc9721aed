/*
 * Raw TCP: messages one after another in a stream (raw_header.h). A client publishes, or takes what
 * the server sends (role=subscribe); a server takes messages from several connections. With
 * confirmable=1 the publisher asks for acknowledgements; whoever takes messages gives them.
 */
#ifndef TW_RAW_TCP_H
#define TW_RAW_TCP_H

#include "core/engine.h"
#include "core/util/inflight.h"
#include "core/util/owed.h"
#include "core/util/stream_out.h"
#include "raw_header.h"

struct tw_raw_tcp_link {
    bool open;
    uint8_t have; /* header bytes read so far */
    uint8_t head[TW_RAW_HEADER_BYTES];
    struct tw_raw_header header; /* of the message being read */
    uint16_t left;
    uint8_t ack_sent;    /* bytes of the first acknowledgement that have left */
    struct tw_owed owed; /* acknowledgements that wait to leave */
};

struct tw_raw_tcp {
    const struct tw_config *config;
    const struct tw_host *host;
    struct tw_inflight inflight;
    struct tw_raw_tcp_link links[TW_LINKS];
    struct tw_stream_out out; /* what a publisher sends */
    tw_time answer_due;       /* the next acknowledgement is late from here on */
    uint8_t ack[TW_RAW_HEADER_BYTES];
};

extern const struct tw_engine tw_raw_tcp_engine;

#endif
