/* A client under OSCORE on the bench, and a server with the other side of its context. */
#ifndef OSCORE_BENCH_H
#define OSCORE_BENCH_H

#include "bench.h"

#define OSCORE_TEXT 2048

struct oscore_request {
    uint8_t data[OSCORE_TEXT], plain[OSCORE_TEXT]; /* the datagram, and what is decrypted of it */
    size_t size, plain_size;
    uint8_t mid[2], token[4];
    struct tw_oscore_id piv, kid;
};

/* The server's context with the client of this Sender ID. */
static inline struct tw_oscore_context oscore_server(const char *sender_id) {
    struct tw_oscore_input input = tw_oscore_credentials;
    struct tw_oscore_context server;
    input.recipient_id = (struct tw_oscore_bytes){(const uint8_t *)sender_id, strlen(sender_id)};
    input.sender_id = tw_oscore_credentials.recipient_id;
    assert_true(tw_oscore_derive(&server, &input));
    return server;
}

/* Takes a request whose options begin with that of OSCORE, and decrypts it. */
static inline struct oscore_request take_protected(struct bench *b) {
    struct oscore_request r = {0};
    uint8_t nonce[TW_OSCORE_NONCE_BYTES], aad[TW_OSCORE_AAD_MAX];
    r.size = bench_take(b, r.data, sizeof r.data);
    assert_true(r.size > 11 && r.data[1] == TW_COAP_POST && (r.data[8] & 0xf0) == 0x90);
    memcpy(r.mid, r.data + 2, 2);
    memcpy(r.token, r.data + 4, 4);
    size_t option = r.data[8] & 15, start = 10 + option;
    assert_int_equal(r.data[9] & 0xf8, 8); /* kid, no context, nothing reserved */
    r.piv.size = r.data[9] & 7;
    memcpy(r.piv.bytes, r.data + 10, r.piv.size);
    r.kid.size = (uint8_t)(option - 1 - r.piv.size);
    memcpy(r.kid.bytes, r.data + 10 + r.piv.size, r.kid.size);
    assert_int_equal(r.data[start - 1], 0xff);
    struct tw_oscore_context server = oscore_server(b->config.sender_id);
    tw_oscore_nonce(&server, &server.recipient, &r.piv, nonce);
    struct tw_oscore_bytes bound = {aad, tw_oscore_aad(&server.recipient, &r.piv, aad)};
    struct tw_oscore_bytes sealed = {r.data + start, r.size - start};
    assert_true(tw_oscore_open(server.recipient_key, nonce, bound, sealed, r.plain));
    r.plain_size = sealed.size - TW_OSCORE_TAG_BYTES;
    return r;
}

/* A response to `r` in `out`: `inner` is code, options and payload. Returns its size. `piv`: the
 * server's own number; NULL: the nonce of the request. */
static inline size_t oscore_respond(struct bench *b, const struct oscore_request *r, uint8_t type,
                                    const struct tw_oscore_id *piv, const void *inner, size_t size,
                                    uint8_t out[256]) {
    struct tw_oscore_context server = oscore_server(b->config.sender_id);
    uint8_t nonce[TW_OSCORE_NONCE_BYTES], aad[TW_OSCORE_AAD_MAX];
    const uint8_t head[] = {type | 4, TW_COAP_CHANGED, r->mid[0], r->mid[1]};
    size_t at = 8;
    memcpy(out, head, sizeof head);
    memcpy(out + 4, r->token, 4);
    out[at++] = (uint8_t)(0x90 | (piv ? 1 + piv->size : 0));
    if (piv) {
        out[at++] = piv->size;
        memcpy(out + at, piv->bytes, piv->size);
        at += piv->size;
        tw_oscore_nonce(&server, &server.sender, piv, nonce);
    } else {
        tw_oscore_nonce(&server, &server.recipient, &r->piv, nonce);
    }
    out[at++] = 0xff;
    memcpy(out + at, inner, size);
    struct tw_oscore_bytes bound = {aad, tw_oscore_aad(&server.recipient, &r->piv, aad)};
    assert_true(tw_oscore_seal(server.sender_key, nonce, bound, out + at, size));
    return at + size + TW_OSCORE_TAG_BYTES;
}

/* Answers `r` by an ACK (0x60), CON (0x40) or NON (0x50). */
static inline void oscore_answer(struct bench *b, const struct oscore_request *r, uint8_t type,
                                 const void *inner, size_t size) {
    uint8_t data[256];
    bench_feed(b, data, oscore_respond(b, r, type, NULL, inner, size, data));
}

static inline void oscore_publisher(struct bench *b, const char *config) {
    char text[256];
    bench_join(text, "proto=oscore topic=a/b ", config);
    bench_start(b, text);
    bench_expect_event(b, TW_EVENT_CONNECTED);
}

#endif
