/* A client of OSCORE's appendix B.2 on the bench, and a server with the other side. */
#ifndef REDERIVE_BENCH_H
#define REDERIVE_BENCH_H

#include "core/util/bytes.h"
#include "oscore_bench.h"

/* The server's number, of 8 bytes, and what is behind it in a byte string of CBOR. */
static const uint8_t r2_bytes[] = {0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7};
static const struct tw_oscore_bytes r2 = {r2_bytes, sizeof r2_bytes};

/* The server's context with this ID Context. */
static inline struct tw_oscore_context server_of(struct tw_oscore_bytes id_context) {
    struct tw_oscore_input input = tw_oscore_credentials;
    struct tw_oscore_context server;
    input.recipient_id = tw_oscore_credentials.sender_id;
    input.sender_id = tw_oscore_credentials.recipient_id;
    input.id_context = id_context;
    assert_true(tw_oscore_derive(&server, &input));
    return server;
}

struct asked {
    uint8_t data[OSCORE_TEXT], mid[2], token[4];
    size_t size, sealed_at;
    size_t named_at, named; /* where its kid context is, and its size */
    struct tw_oscore_id piv;
    struct tw_oscore_context server; /* that decrypted it */
};

/* Takes a request, whose options begin with that of OSCORE, without decrypting it. */
static inline struct asked take(struct bench *b) {
    struct asked a = {0};
    struct tw_oscore_option option;
    a.size = bench_take(b, a.data, sizeof a.data);
    assert_true(a.size > 10 && (a.data[8] & 0xf0) == 0x90);
    memcpy(a.mid, a.data + 2, 2);
    memcpy(a.token, a.data + 4, 4);
    size_t length = a.data[8] & 15, at = 9;
    if (length == 13)
        length += a.data[at++];
    assert_true(tw_oscore_read_option(a.data + at, length, &option));
    assert_int_equal(a.data[at + length], 0xff);
    a.piv = option.piv;
    a.named = option.kid_context.size;
    a.named_at = a.named ? (size_t)(option.kid_context.data - a.data) : 0;
    a.sealed_at = at + length + 1;
    return a;
}

static inline struct tw_oscore_bytes kid_context(const struct asked *a) {
    return (struct tw_oscore_bytes){a->data + a->named_at, a->named};
}

/* Decrypts the request with this ID Context. */
static inline bool opens(struct asked *a, struct tw_oscore_bytes id_context) {
    uint8_t nonce[TW_OSCORE_NONCE_BYTES], aad[TW_OSCORE_AAD_MAX], plain[OSCORE_TEXT];
    struct tw_oscore_context server = server_of(id_context);
    struct tw_oscore_bytes sealed = {a->data + a->sealed_at, a->size - a->sealed_at};
    tw_oscore_nonce(&server, &server.recipient, &a->piv, nonce);
    struct tw_oscore_bytes bound = {aad, tw_oscore_aad(&server.recipient, &a->piv, aad)};
    if (!tw_oscore_open(server.recipient_key, nonce, bound, sealed, plain))
        return false;
    a->server = server;
    return true;
}

/* A response to `a`: `inner` is code, options and payload. `named`: its kid context; `own`: it has
 * the server's number 0, else the nonce of the request, of the context `asked`. */
static inline size_t respond(const struct asked *a, const struct tw_oscore_context *server,
                             struct tw_oscore_bytes named, bool own, uint8_t type,
                             const void *inner, size_t size, uint8_t out[256]) {
    static const struct tw_oscore_id zero = {1, {0}};
    uint8_t nonce[TW_OSCORE_NONCE_BYTES], aad[TW_OSCORE_AAD_MAX];
    const uint8_t head[] = {(uint8_t)(type | 4), TW_COAP_CHANGED, a->mid[0], a->mid[1]};
    struct tw_coap_writer w = {.w = tw_writer(out, 256)};
    uint8_t value[64];
    struct tw_writer v = tw_writer(value, sizeof value);
    if (own || named.size) {
        tw_put8(&v, (uint8_t)((own ? 1 : 0) | (named.size ? 16 : 0)));
        tw_put(&v, zero.bytes, own ? 1 : 0);
        if (named.size)
            tw_put8(&v, (uint8_t)named.size);
        tw_put(&v, named.data, named.size);
    }
    tw_put(&w.w, head, sizeof head);
    tw_put(&w.w, a->token, 4);
    tw_coap_put_option(&w, TW_OSCORE_OPTION, value, v.used);
    tw_put8(&w.w, 0xff);
    size_t start_of_plain = w.w.used;
    tw_put(&w.w, inner, size);
    tw_reserve(&w.w, TW_OSCORE_TAG_BYTES);
    assert_false(w.w.bad);
    if (own)
        tw_oscore_nonce(server, &server->sender, &zero, nonce);
    else
        tw_oscore_nonce(&a->server, &a->server.recipient, &a->piv, nonce);
    struct tw_oscore_bytes bound = {aad, tw_oscore_aad(&server->recipient, &a->piv, aad)};
    assert_true(tw_oscore_seal(server->sender_key, nonce, bound, out + start_of_plain, size));
    return w.w.used;
}

/* The bytes as a byte string of CBOR, in `out`. */
static inline struct tw_oscore_bytes wrapped(struct tw_oscore_bytes bytes, uint8_t out[64]) {
    out[0] = (uint8_t)(0x40 + bytes.size);
    memcpy(out + 1, bytes.data, bytes.size);
    return (struct tw_oscore_bytes){out, bytes.size + 1};
}

/* Response 1 with this code, by a piggybacked ACK, or as `type`. */
static inline void give_r2(struct bench *b, const struct asked *a, struct tw_oscore_bytes first,
                           bool own, uint8_t type, const char *code) {
    uint8_t id[TW_OSCORE_ID_CONTEXT_MAX], named[64], data[256];
    memcpy(id, r2.data, r2.size);
    memcpy(id + r2.size, first.data, first.size);
    struct tw_oscore_context server = server_of((struct tw_oscore_bytes){id, r2.size + first.size});
    bench_feed(b, data, respond(a, &server, wrapped(r2, named), own, type, code, 1, data));
}

/* A response in the context of the request. */
static inline void answer(struct bench *b, const struct asked *a, const void *inner, size_t size) {
    static const struct tw_oscore_bytes none = {0};
    uint8_t data[256];
    bench_feed(b, data, respond(a, &a->server, none, false, 0x60, inner, size, data));
}

/* The ID Contexts of the requests, without CBOR. */
static inline struct tw_oscore_bytes unwrapped(const struct asked *a) {
    struct tw_oscore_bytes named = kid_context(a);
    assert_true(named.size > 1);
    assert_int_equal(named.data[0], 0x40 + named.size - 1);
    return (struct tw_oscore_bytes){named.data + 1, named.size - 1};
}

#endif
