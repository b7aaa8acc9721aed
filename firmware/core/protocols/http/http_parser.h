/*
 * Incremental reader of HTTP/1.1 messages, requests or responses (RFC 9112). Keeps one line at a
 * time, of at most TW_HTTP_LINE bytes: a longer start line is refused, a longer field is skipped.
 * Body bytes are handed on in place. Where a lenient reading could let two parties disagree
 * about where a message ends, it is strict.
 */
#ifndef TW_HTTP_PARSER_H
#define TW_HTTP_PARSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "http_line.h"

#define TW_HTTP_PATH 72

enum tw_http_method { TW_HTTP_GET, TW_HTTP_HEAD, TW_HTTP_POST, TW_HTTP_PUT, TW_HTTP_OTHER };

enum tw_http_kind {
    TW_HTTP_MORE,
    TW_HTTP_HEADERS,  /* the head is complete: method and path, or status */
    TW_HTTP_BODY,     /* a piece of the body, or its end */
    TW_HTTP_MALFORMED /* `status` says how a server answers */
};

struct tw_http_item {
    enum tw_http_kind kind;
    uint16_t status;
    const uint8_t *data; /* BODY */
    size_t size, offset;
    bool last;
};

struct tw_http_parser {
    /* What the head said; valid from HEADERS to the end of the message. */
    enum tw_http_method method;
    uint16_t status;
    bool close : 1;           /* the connection ends with this message */
    bool expect_continue : 1; /* the client waits for 100 Continue */
    bool old : 1;             /* HTTP/1.0 */
    bool https : 1;           /* the target says so */
    char path[TW_HTTP_PATH];  /* decoded; empty where the target has none */

    bool responses : 1; /* reads responses, not requests */
    bool has_length : 1, has_host : 1, keep_alive : 1;
    bool coded : 1, chunked : 1, unknown_coding : 1; /* Transfer-Encoding, and what it names */
    uint8_t state;
    uint16_t refusal; /* status for a head that is refused when it is complete; 0: fine */
    uint32_t left, offset;
    struct tw_http_line line;
};

void tw_http_parser_start(struct tw_http_parser *p, bool responses);
/* Reads up to one item; returns the bytes used. Call until kind is MORE. An empty body is a BODY
 * item of size 0 that is `last`, so each message ends in one. */
size_t tw_http_parse(struct tw_http_parser *p, const uint8_t *data, size_t size,
                     struct tw_http_item *item);
/* The connection ended. True when that ends a response whose length was not given. */
bool tw_http_parser_end(const struct tw_http_parser *p);

#endif
