/*
 * CoAP over UDP: a client (RFC 7252: POST, or GET by polling or observing) or a server with one
 * resource (GET, POST, PUT; Observe after RFC 7641), block-wise both ways (RFC 7959).
 */
#ifndef TW_COAP_H
#define TW_COAP_H

#include "coap_message.h"
#include "core/engine.h"

/* RFC 7252 section 4.8. */
#define TW_COAP_ACK_TIMEOUT_MS 2000u
#define TW_COAP_ACK_SPREAD_MS 1000u /* ACK_RANDOM_FACTOR 1.5 */
#define TW_COAP_MAX_RETRANSMIT 4u
#define TW_COAP_MAX_TRANSMIT_WAIT TW_SECONDS(93)
#define TW_COAP_EXCHANGE_LIFETIME TW_SECONDS(247)

#define TW_COAP_REQUESTS 16 /* outstanding requests of a client */
#define TW_COAP_SEEN 8      /* confirmable responses remembered against repetition */
#define TW_COAP_OBSERVERS 8
/* How long an observer may get non-confirmable notifications only. RFC 7641 section 4.5 requires a
 * confirmable one every 24 hours; half of that keeps the rule for any interval between them. */
#define TW_COAP_CONFIRM_WITHIN TW_SECONDS(12 * 3600)
#define TW_COAP_EMPTIES 8 /* acknowledgements and resets waiting to leave */

/* Requests that a server remembers against repetition. The lifetime of all of them is more than a
 * device has memory for: with more than this many requests between a request and its repetition,
 * the repetition is served anew (section 4.5 allows it). */
#ifndef TW_COAP_EXCHANGES
#define TW_COAP_EXCHANGES 16
#endif

/* The transmission of one message: when it is due again and how often it was repeated. */
struct tw_coap_transmission {
    tw_time due;
    uint32_t timeout_ms;
    uint16_t mid;
    uint8_t attempts;
    bool send;     /* wants to leave now */
    bool awaiting; /* confirmable and not yet acknowledged */
};

struct tw_coap_empty {
    struct tw_peer to;
    uint16_t mid;
    uint8_t type;
};

struct tw_coap_request {
    struct tw_message message; /* seq 0: the engine's own request */
    struct tw_coap_transmission out;
    uint32_t token;
    uint32_t block; /* number of the block being sent (Block1) or fetched (Block2) */
    uint8_t szx, kind;
    bool blocks;               /* the payload leaves in blocks */
    bool notified;             /* a registration: a notification came before its response */
    struct tw_coap_token etag; /* of the representation being fetched */
};

/* A confirmable response that was taken. After `until`, its message ID may be another message's. */
struct tw_coap_seen {
    tw_time until;
    uint16_t mid;
};

struct tw_coap_client {
    struct tw_coap_request requests[TW_COAP_REQUESTS];
    uint8_t count;
    uint32_t next_token;
    struct tw_coap_seen seen[TW_COAP_SEEN];
    uint8_t seen_next;
    /* The observation. */
    bool registered, connected;
    uint32_t observe_token, observe_value;
    tw_time observe_at, refresh_at;
};

struct tw_coap_exchange {
    struct tw_peer peer;
    struct tw_message message; /* the representation sent, for a GET */
    struct tw_coap_transmission out;
    tw_time expires; /* 0: the slot is free */
    struct tw_coap_token token;
    struct tw_coap_block block1, block2;
    uint16_t mid; /* of the request */
    uint8_t type, code;
    bool has_observe, links;
    bool delayed; /* the separate response has not left yet */
    uint32_t observe;
};

struct tw_coap_observer {
    struct tw_peer peer;
    struct tw_message message; /* the state being transmitted, whose blocks it may fetch */
    struct tw_message next;    /* the state that waits meanwhile, if `newer` */
    struct tw_coap_transmission out;
    struct tw_coap_token token;
    tw_time confirm_at; /* from then on a notification has to be confirmable */
    uint32_t value;
    uint16_t first_mid; /* the notifications' message IDs lie between this and out.mid */
    bool used;
    bool newer;
};

struct tw_coap_server {
    struct tw_coap_exchange exchanges[TW_COAP_EXCHANGES];
    struct tw_coap_observer observers[TW_COAP_OBSERVERS];
    uint32_t observe_value;
    struct tw_peer upload_peer; /* the Block1 transfer in progress */
    uint32_t upload_next;
};

struct tw_coap {
    const struct tw_config *config;
    const struct tw_host *host;
    struct tw_random *random;
    uint16_t next_mid;
    bool open;
    struct tw_coap_empty empties[TW_COAP_EMPTIES];
    uint8_t empty_count;
    struct tw_coap_transmission *sending; /* what the last output was; NULL: an empty message */
    union {
        struct tw_coap_client client;
        struct tw_coap_server server;
    } as;
    uint8_t datagram[TW_SEGMENT_MAX + 160u];
};

extern const struct tw_engine tw_coap_engine;

/* ---- shared by the two roles (coap.c) ---- */

/* Queues an empty ACK or RST; the oldest gives way when there are too many. */
void tw_coap_send_empty(struct tw_coap *c, enum tw_coap_type type, uint16_t mid,
                        const struct tw_peer *to);
/* Starts a message with a new message ID; a confirmable one will be repeated. */
void tw_coap_start(struct tw_coap *c, tw_time now, struct tw_coap_transmission *out,
                   bool confirmable);
enum tw_coap_due { TW_COAP_NOT_DUE, TW_COAP_AGAIN, TW_COAP_GIVE_UP };
/* What a confirmable message in waiting has to do at `now` (section 4.2). */
enum tw_coap_due tw_coap_due(struct tw_coap_transmission *out, tw_time now);
/* The message was acknowledged. */
void tw_coap_stop(struct tw_coap_transmission *out);

/* ---- the client (coap_client.c) ---- */
void tw_coap_client_open(struct tw_coap *c, tw_time now);
void tw_coap_client_close(struct tw_coap *c);
void tw_coap_client_on_message(struct tw_coap *c, tw_time now, const struct tw_peer *from,
                               const struct tw_coap_message *m);
enum tw_publish tw_coap_client_publish(struct tw_coap *c, tw_time now,
                                       const struct tw_message *message);
void tw_coap_client_on_time(struct tw_coap *c, tw_time now);
tw_time tw_coap_client_deadline(const struct tw_coap *c);
size_t tw_coap_client_output(struct tw_coap *c);
bool tw_coap_client_idle(const struct tw_coap *c);
void tw_coap_client_finish(struct tw_coap *c, tw_time now);

/* ---- the server (coap_server.c) ---- */
void tw_coap_server_on_message(struct tw_coap *c, tw_time now, const struct tw_peer *from,
                               const struct tw_coap_message *m);
enum tw_publish tw_coap_server_publish(struct tw_coap *c, tw_time now,
                                       const struct tw_message *message);
void tw_coap_server_on_time(struct tw_coap *c, tw_time now);
tw_time tw_coap_server_deadline(const struct tw_coap *c);
size_t tw_coap_server_output(struct tw_coap *c, struct tw_peer *to);
bool tw_coap_server_idle(const struct tw_coap *c);

#endif
