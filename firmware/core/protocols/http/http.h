/*
 * HTTP/1.1 (RFC 9110, RFC 9112). Client: POST of each message, or GET by polling; one connection
 * kept or one per request. Server: one resource, GET, HEAD, POST and PUT, on several connections.
 */
#ifndef TW_HTTP_H
#define TW_HTTP_H

#include "core/engine.h"
#include "http_parser.h"

#define TW_HTTP_ANSWERS 4 /* pipelined requests waiting for their answers */
#define TW_HTTP_HEAD_MAX 256u

struct tw_http_answer {
    struct tw_message message; /* GET and HEAD: the representation */
    uint16_t status;
    bool head, close;
    bool old; /* to HTTP/1.0 */
};

struct tw_http_link {
    struct tw_http_parser parser;
    struct tw_http_answer answers[TW_HTTP_ANSWERS];
    uint8_t answer_count;
    bool open, closing;
    bool refused;  /* the request being read is answered with an error: its body is dropped */
    uint32_t sent; /* bytes of the first answer that have left */
    tw_time idle_at;
};

struct tw_http_client {
    struct tw_http_parser parser;
    struct tw_message message;
    bool open, waiting, polling;
    uint32_t sent, size; /* bytes of the request that have left, of how many */
    tw_time due;
};

struct tw_http {
    const struct tw_config *config;
    const struct tw_host *host;
    union {
        struct tw_http_client client;
        struct tw_http_link links[TW_LINKS];
    } as;
    uint8_t scratch[TW_HTTP_HEAD_MAX + TW_SEGMENT_MAX + 16u];
};

extern const struct tw_engine tw_http_engine;

struct tw_writer;
/* A request or an answer as it leaves: `head` bytes in the scratch buffer, then the payload of
 * `body` (NULL: none), then what ends a chunked one. It is written anew for each piece that leaves,
 * so a slow connection needs no buffer of its own, and a large body none of its size. */
struct tw_http_text {
    size_t head, size;
    const struct tw_message *body;
};
/* Writes the framing fields, Content-Length or chunked, and the end of the head; returns the whole,
 * with the body of `message` unless it answers a HEAD (`fields`). */
struct tw_http_text tw_http_put_body(struct tw_writer *w, const struct tw_message *message,
                                     bool chunked, bool fields);
/* The bytes [sent, end) of a text whose head was written, as far as the scratch buffer holds them;
 * false where there are none. */
bool tw_http_piece(struct tw_http *h, const struct tw_http_text *text, size_t sent, size_t end,
                   struct tw_output *out);

void tw_http_client_open(struct tw_http *h, tw_time now);
void tw_http_client_close(struct tw_http *h);
void tw_http_client_on_bytes(struct tw_http *h, tw_time now, const uint8_t *data, size_t size);
enum tw_publish tw_http_client_publish(struct tw_http *h, tw_time now,
                                       const struct tw_message *message);
void tw_http_client_on_time(struct tw_http *h, tw_time now);
bool tw_http_client_output(struct tw_http *h, struct tw_output *out);
void tw_http_client_accepted(struct tw_http *h, tw_time now, size_t size);
bool tw_http_client_idle(const struct tw_http *h);

void tw_http_server_open(struct tw_http *h, tw_time now, uint8_t link);
void tw_http_server_on_bytes(struct tw_http *h, tw_time now, uint8_t link, const uint8_t *data,
                             size_t size);
void tw_http_server_on_time(struct tw_http *h, tw_time now);
tw_time tw_http_server_deadline(const struct tw_http *h);
bool tw_http_server_output(struct tw_http *h, tw_time now, uint8_t link, struct tw_output *out);
void tw_http_server_accepted(struct tw_http *h, tw_time now, uint8_t link, size_t size);
bool tw_http_server_idle(const struct tw_http *h);

#endif
