/*
 * CoAP messages: reading and writing (RFC 7252 section 3, RFC 7641 section 2, RFC 7959
 * section 2.2).
 */
#ifndef TW_COAP_MESSAGE_H
#define TW_COAP_MESSAGE_H

#include "core/util/bytes.h"

enum tw_coap_type { TW_COAP_CON, TW_COAP_NON, TW_COAP_ACK, TW_COAP_RST };

#define TW_COAP_CODE(class, detail) ((class) << 5 | (detail))
#define TW_COAP_CLASS(code) ((code) >> 5)
/* Classes 1, 6 and 7 are reserved (section 4.2). */
#define TW_COAP_IS_RESPONSE(code) (TW_COAP_CLASS(code) >= 2 && TW_COAP_CLASS(code) <= 5)

enum tw_coap_code {
    TW_COAP_EMPTY = 0,
    TW_COAP_GET = TW_COAP_CODE(0, 1),
    TW_COAP_POST = TW_COAP_CODE(0, 2),
    TW_COAP_PUT = TW_COAP_CODE(0, 3),
    TW_COAP_CHANGED = TW_COAP_CODE(2, 4),
    TW_COAP_CONTENT = TW_COAP_CODE(2, 5),
    TW_COAP_CONTINUE = TW_COAP_CODE(2, 31),
    TW_COAP_BAD_REQUEST = TW_COAP_CODE(4, 0),
    TW_COAP_BAD_OPTION = TW_COAP_CODE(4, 2),
    TW_COAP_NOT_FOUND = TW_COAP_CODE(4, 4),
    TW_COAP_NOT_ALLOWED = TW_COAP_CODE(4, 5),
    TW_COAP_NOT_ACCEPTABLE = TW_COAP_CODE(4, 6),
    TW_COAP_INCOMPLETE = TW_COAP_CODE(4, 8),
    TW_COAP_TOO_LARGE = TW_COAP_CODE(4, 13),
    TW_COAP_NO_PROXYING = TW_COAP_CODE(5, 5)
};

enum tw_coap_option {
    TW_COAP_URI_HOST = 3,
    TW_COAP_ETAG = 4,
    TW_COAP_OBSERVE = 6,
    TW_COAP_URI_PORT = 7,
    TW_COAP_URI_PATH = 11,
    TW_COAP_CONTENT_FORMAT = 12,
    TW_COAP_MAX_AGE = 14,
    TW_COAP_URI_QUERY = 15,
    TW_COAP_ACCEPT = 17,
    TW_COAP_BLOCK2 = 23,
    TW_COAP_BLOCK1 = 27,
    TW_COAP_SIZE2 = 28,
    TW_COAP_PROXY_URI = 35,
    TW_COAP_PROXY_SCHEME = 39,
    TW_COAP_SIZE1 = 60
};

#define TW_COAP_TEXT_PLAIN 0
#define TW_COAP_LINK_FORMAT 40
#define TW_COAP_TOKEN_MAX 8
/* The longest topic behind a slash, one byte more to recognise a longer path, and the NUL. */
#define TW_COAP_PATH_MAX 66

/* A token, or an ETag: opaque bytes of the same number at most. */
struct tw_coap_token {
    uint8_t size, bytes[TW_COAP_TOKEN_MAX];
};

/* Block1 or Block2: a block of 2^(szx + 4) bytes. */
struct tw_coap_block {
    uint32_t number;
    uint8_t szx;
    bool more, present;
};

struct tw_coap_message {
    enum tw_coap_type type;
    uint8_t code;
    uint16_t mid;
    struct tw_coap_token token;
    char path[TW_COAP_PATH_MAX]; /* each segment of Uri-Path behind a slash (tw_coap_is_path) */
    bool has_observe, has_accept, has_max_age;
    bool bad_option; /* a critical option that is not understood, or cannot be */
    bool for_proxy;  /* a request that wants to be forwarded */
    bool bad_block;  /* a block of the reserved size */
    uint32_t observe, accept, max_age;
    struct tw_coap_block block1, block2;
    struct tw_coap_token etag; /* empty: none */
    const uint8_t *payload;
    size_t payload_size;
};

enum tw_coap_parse {
    TW_COAP_OK,
    TW_COAP_IGNORE,      /* another version, or not a message at all: silently dropped */
    TW_COAP_FORMAT_ERROR /* type and mid are valid: a CON is answered with a Reset */
};

enum tw_coap_parse tw_coap_parse(struct tw_coap_message *m, const uint8_t *data, size_t size);

/* The writing side keeps the last option number, for the deltas. Options go in ascending order. */
struct tw_coap_writer {
    struct tw_writer w;
    uint16_t last_option;
};

struct tw_coap_writer tw_coap_begin(uint8_t *data, size_t size, enum tw_coap_type type,
                                    uint8_t code, uint16_t mid, const struct tw_coap_token *token);
void tw_coap_put_option(struct tw_coap_writer *c, uint16_t number, const void *data, size_t size);
/* In the fewest bytes: zero is an empty option. */
void tw_coap_put_uint_option(struct tw_coap_writer *c, uint16_t number, uint32_t value);
/* A path without the slash that leads it, which may be left out. */
const char *tw_coap_relative(const char *path);
/* Returns whether the message is for this path: segment by segment, empty ones too (section 6.5).
 */
bool tw_coap_is_path(const struct tw_coap_message *m, const char *path);
/* A Uri-Path option for each segment (section 6.4). */
void tw_coap_put_path(struct tw_coap_writer *c, const char *path);
void tw_coap_put_block(struct tw_coap_writer *c, uint16_t number,
                       const struct tw_coap_block *block);
/* The payload marker and room for `size` bytes; nothing, and NULL, when size is 0. */
uint8_t *tw_coap_put_payload(struct tw_coap_writer *c, size_t size);

size_t tw_coap_block_size(const struct tw_coap_block *block);
/* The exponent of the largest block of at most `bytes` (16 to 1024). */
uint8_t tw_coap_szx(size_t bytes);
bool tw_coap_same_token(const struct tw_coap_token *a, const struct tw_coap_token *b);

#endif
