/*
 * CoAP under OSCORE (RFC 8613): a client whose requests and responses are encrypted end to end,
 * while message type, message ID and token stay readable.
 *
 * The engine is that of CoAP, unchanged, between two steps: what it sends is protected, and what
 * arrives is verified before it sees it. Empty messages have no OSCORE (section 4.2).
 */
#ifndef TW_OSCORE_H
#define TW_OSCORE_H

#include "core/protocols/coap/coap.h"
#include "oscore_message.h"
#include "oscore_rederive.h"

/* A request that has left: a retransmission has the same Partial IV, since it is the same message
 * and its response is bound to that. */
struct tw_oscore_sent {
    uint32_t token;
    uint16_t mid;
    bool used;
    bool echoed; /* it had an Echo option */
    struct tw_oscore_id piv;
};

struct tw_oscore {
    struct tw_coap coap; /* first: the functions of its engine get this state */
    const struct tw_config *config;
    const struct tw_host *host;
    struct tw_oscore_context context;
    uint8_t runs; /* of appendix B.2 since a context was established */
    struct tw_oscore_sent sent[TW_COAP_REQUESTS];
    struct tw_oscore_echo echo; /* what the server wants to hear back (RFC 9175) */
    uint8_t datagram[TW_SEGMENT_MAX + 160u + TW_OSCORE_GROWTH];
};

extern const struct tw_engine tw_oscore_engine;

#endif
