/*
 * WebSocket frames as a client reads and writes them (RFC 6455 section 5), and the opening
 * handshake (section 4.1).
 */
#ifndef TW_WEBSOCKET_FRAME_H
#define TW_WEBSOCKET_FRAME_H

#include "core/protocols/http/http_line.h"
#include "core/util/bytes.h"
#include "core/util/utf8.h"

enum tw_ws_opcode {
    TW_WS_CONTINUATION = 0,
    TW_WS_TEXT = 1,
    TW_WS_BINARY = 2,
    TW_WS_CLOSE = 8,
    TW_WS_PING = 9,
    TW_WS_PONG = 10
};

/* Section 7.4.1. */
enum tw_ws_close {
    TW_WS_NORMAL = 1000,
    TW_WS_PROTOCOL_ERROR = 1002,
    TW_WS_NO_STATUS = 1005,
    TW_WS_BAD_DATA = 1007
};

#define TW_WS_CONTROL_MAX 125

enum tw_ws_kind {
    TW_WS_MORE,
    TW_WS_DATA,    /* a piece of a message; `last` ends it */
    TW_WS_CONTROL, /* a whole control frame, its payload in parser->control */
    TW_WS_VIOLATION
};

struct tw_ws_item {
    enum tw_ws_kind kind;
    uint8_t opcode;      /* CONTROL */
    uint16_t close;      /* VIOLATION: the status to close with */
    const uint8_t *data; /* DATA */
    size_t size, offset;
    bool last;
};

struct tw_ws_parser {
    uint8_t state, head[2], have, opcode;
    uint8_t message; /* opcode of the fragmented message in progress, 0: none */
    uint8_t control_size;
    struct tw_utf8 text; /* of a text message, or of the reason of a Close */
    uint64_t left;
    uint32_t offset;
    uint8_t control[TW_WS_CONTROL_MAX];
};

void tw_ws_parser_start(struct tw_ws_parser *p);
/* Reads up to one item; returns the bytes used. Call until kind is MORE, with what is left. */
size_t tw_ws_parse(struct tw_ws_parser *p, const uint8_t *data, size_t size,
                   struct tw_ws_item *item);

/* Writes a frame header; the payload of `size` bytes, at most 64 KiB, follows, and is masked by
 * tw_ws_mask. */
void tw_ws_put_header(struct tw_writer *w, enum tw_ws_opcode opcode, bool fin, size_t size,
                      uint32_t key);
/* Masks `size` bytes that lie at `offset` of the payload of a frame. */
void tw_ws_mask(uint8_t *data, size_t size, size_t offset, uint32_t key);

/* The handshake's answer, read line by line. */
struct tw_ws_handshake {
    char accept[29]; /* expected Sec-WebSocket-Accept */
    bool status_read, interim, switches;
    bool upgrade, connection, accepted; /* these fields have come */
    bool wrong;                         /* one of them with a value that refuses */
    struct tw_http_line line;
};

#define TW_WS_KEY_TEXT 25 /* base64 of 16 bytes, and NUL */

/* Computes what the server has to answer to `key`. */
void tw_ws_handshake_start(struct tw_ws_handshake *h, const char key[TW_WS_KEY_TEXT]);
enum tw_ws_shake { TW_WS_SHAKE_MORE, TW_WS_SHAKE_DONE, TW_WS_SHAKE_REFUSED };
/* Takes one byte of the answer. */
enum tw_ws_shake tw_ws_handshake_byte(struct tw_ws_handshake *h, uint8_t byte);

#endif
