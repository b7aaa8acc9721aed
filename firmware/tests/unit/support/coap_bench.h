/* A CoAP client on the bench, and the answers of a server that the test plays. */
#ifndef COAP_BENCH_H
#define COAP_BENCH_H

#include "bench.h"

/* A request, and what is needed to answer it: message ID and token. */
struct request {
    uint8_t data[2048], mid[2], token[4];
    size_t size;
};

static inline struct request take_request(struct bench *b) {
    struct request r;
    r.size = bench_take(b, r.data, sizeof r.data);
    assert_true(r.size >= 8);
    memcpy(r.mid, r.data + 2, 2);
    memcpy(r.token, r.data + 4, 4);
    return r;
}

/* Answers `r`: type 0x60 is an ACK, 0x40 CON, 0x50 NON, each with a token of 4 bytes. */
static inline void answer(struct bench *b, const struct request *r, uint8_t type, uint8_t code,
                          const void *rest, size_t rest_size) {
    uint8_t data[256] = {type | 4, code, r->mid[0], r->mid[1]};
    memcpy(data + 4, r->token, 4);
    if (rest_size)
        memcpy(data + 8, rest, rest_size);
    bench_feed(b, data, 8 + rest_size);
}

static inline void publisher(struct bench *b, const char *config) {
    char text[256];
    bench_join(text, "proto=coap topic=a/b ", config);
    bench_start(b, text);
    bench_expect_event(b, TW_EVENT_CONNECTED);
}

#endif
