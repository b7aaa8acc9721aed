/* What the tests of WebSocket share: the opening handshake, and frames without their mask. */
#ifndef WEBSOCKET_BENCH_H
#define WEBSOCKET_BENCH_H

#include <stdio.h>

#include "bench.h"
#include "core/util/sha1.h"

/* The server's answer to the opening request has this status and these fields, and the one that
 * follows from the key that was sent. */
static inline void answer_request(struct bench *b, const char *status, const char *fields) {
    uint8_t request[512], digest[TW_SHA1_BYTES];
    char key_and_guid[64], accept[29], answer[256];
    size_t size = bench_take(b, request, sizeof request - 1);
    request[size] = 0;
    const char *key = strstr((char *)request, "Sec-WebSocket-Key: ") + 19;
    snprintf(key_and_guid, sizeof key_and_guid, "%.24s%s", key,
             "258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
    tw_sha1((uint8_t *)key_and_guid, strlen(key_and_guid), digest);
    tw_base64(digest, sizeof digest, accept);
    snprintf(answer, sizeof answer, "HTTP/1.1 %s\r\n%sSec-WebSocket-Accept: %s\r\n\r\n", status,
             fields, accept);
    bench_feed(b, answer, strlen(answer));
}

/* Opens the connection and answers. */
static inline void answer_with(struct bench *b, const char *config, const char *status,
                               const char *fields) {
    char text[256];
    bench_join(text, "proto=websocket topic=a peer=10.0.0.1 keepalive_s=0 ", config);
    bench_start(b, text);
    answer_request(b, status, fields);
}

static inline void shake_with(struct bench *b, const char *config, const char *fields) {
    answer_with(b, config, "101 Switching Protocols", fields);
    bench_expect_event(b, TW_EVENT_CONNECTED);
}

static inline void shake(struct bench *b, const char *config) {
    shake_with(b, config, "Upgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n");
}

/* Takes the output and removes the mask of its first frame of less than 126 bytes. */
static inline size_t take_frame(struct bench *b, uint8_t *payload) {
    uint8_t head[6];
    struct tw_output out;
    assert_true(b->engine->output(&b->state, b->now, 0, &out));
    assert_true(out.size >= 6);
    memcpy(head, out.data, 6);
    assert_true(head[1] & 0x80); /* a client masks every frame (5.3) */
    size_t size = head[1] & 0x7f;
    assert_true(out.size >= 6 + size);
    for (size_t i = 0; i < size; i++)
        payload[i] = out.data[6 + i] ^ head[2 + i % 4];
    b->engine->accepted(&b->state, b->now, 0, 6 + size);
    payload[size] = 0;
    return (size_t)head[0] << 8 | size;
}

#endif
