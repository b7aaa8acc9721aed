/*
 * Raw UDP: one message, one datagram (raw_header.h). A client publishes; with confirmable=1 it asks
 * for an acknowledgement, and what is not acknowledged in time has failed. A server takes messages
 * and acknowledges those that ask for it.
 */
#ifndef TW_RAW_UDP_H
#define TW_RAW_UDP_H

#include "core/engine.h"
#include "core/util/inflight.h"
#include "raw_header.h"

#define TW_RAW_UDP_ACKS 16 /* acknowledgements waiting to leave */

struct tw_raw_udp {
    const struct tw_config *config;
    const struct tw_host *host;
    bool open;
    bool pending; /* `message` waits to leave */
    struct tw_message message;
    struct tw_inflight inflight;
    uint8_t ack_count;
    struct {
        struct tw_peer to;
        uint32_t seq;
    } acks[TW_RAW_UDP_ACKS];
    uint8_t datagram[TW_RAW_HEADER_BYTES + TW_SEGMENT_MAX];
};

extern const struct tw_engine tw_raw_udp_engine;

#endif
