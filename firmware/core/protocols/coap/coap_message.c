#include "coap_message.h"

#include <string.h>

#define VERSION 1
#define PAYLOAD_MARKER 0xFF

/* An unsigned option value, section 3.2; false when longer than `limit` bytes. */
static bool read_uint(const uint8_t *data, size_t size, size_t limit, uint32_t *value) {
    *value = 0;
    for (size_t i = 0; i < size; i++)
        *value = *value << 8 | data[i];
    return size <= limit;
}

/* A block of the reserved size makes a request bad (RFC 7959 section 2.2), and is no option of a
 * response. */
static bool read_block(struct tw_coap_message *m, const uint8_t *data, size_t size,
                       struct tw_coap_block *block) {
    uint32_t value;
    if (!read_uint(data, size, 3, &value))
        return false;
    block->number = value >> 4;
    block->more = value & 8;
    block->szx = value & 7;
    block->present = true;
    m->bad_block |= block->szx == 7;
    return block->szx != 7 || !TW_COAP_CLASS(m->code);
}

/* Adds a segment to the path behind a slash of its own, so that an empty one counts (section 6.5).
 * A slash within a segment is part of its name, and no resource here has one: such a segment, and
 * one that does not fit, leaves a path that equals no resource. */
static void add_path(struct tw_coap_message *m, const uint8_t *data, size_t size) {
    size_t used = strlen(m->path);
    if (used + 1 + size >= sizeof m->path || memchr(data, '/', size) || memchr(data, 0, size)) {
        memset(m->path, '/', sizeof m->path - 1);
        return;
    }
    m->path[used] = '/';
    memcpy(m->path + used + 1, data, size);
}

/* Returns whether an option has no place here: in a response those of a request (section 5.4), and
 * the second one of those that come once (section 5.4.5). */
static bool misplaced(const struct tw_coap_message *m, uint32_t number, bool again) {
    switch (number) {
    case TW_COAP_URI_PATH:
    case TW_COAP_URI_QUERY:
        return TW_COAP_CLASS(m->code);
    case TW_COAP_URI_HOST:
    case TW_COAP_URI_PORT:
    case TW_COAP_ACCEPT:
    case TW_COAP_PROXY_URI:
    case TW_COAP_PROXY_SCHEME:
        return again || TW_COAP_CLASS(m->code);
    default:
        return again;
    }
}

/* Takes one option; `again`: it follows one of its number. An elective one that makes no sense, by
 * its place or its length (section 5.4.3), is ignored, a critical one is not (section 5.4.1). */
static void read_option(struct tw_coap_message *m, uint32_t number, bool again, const uint8_t *data,
                        size_t size) {
    bool understood = true;
    uint32_t value;
    if (misplaced(m, number, again)) {
        m->bad_option |= number & 1;
        return;
    }
    switch (number) {
    case TW_COAP_URI_PATH:
        understood = size <= 255;
        add_path(m, data, size);
        break;
    case TW_COAP_URI_HOST: /* there is one host, and no resource that takes a query */
        understood = size >= 1 && size <= 255;
        break;
    case TW_COAP_URI_PORT:
        understood = read_uint(data, size, 2, &value);
        break;
    case TW_COAP_URI_QUERY:
        understood = size <= 255;
        break;
    case TW_COAP_PROXY_URI:
    case TW_COAP_PROXY_SCHEME:
        m->for_proxy = true;
        break;
    case TW_COAP_OBSERVE:
        m->has_observe = read_uint(data, size, 3, &m->observe);
        break;
    case TW_COAP_ETAG:
        if (size >= 1 && size <= sizeof m->etag.bytes) {
            m->etag.size = (uint8_t)size;
            memcpy(m->etag.bytes, data, size);
        }
        break;
    case TW_COAP_MAX_AGE:
        m->has_max_age = read_uint(data, size, 4, &m->max_age);
        break;
    case TW_COAP_ACCEPT:
        understood = read_uint(data, size, 2, &value);
        m->has_accept = true;
        m->accept = value;
        break;
    case TW_COAP_BLOCK1:
        understood = read_block(m, data, size, &m->block1);
        break;
    case TW_COAP_BLOCK2:
        understood = read_block(m, data, size, &m->block2);
        break;
    default:
        understood = !(number & 1);
    }
    if (!understood)
        m->bad_option = true;
}

/* Delta or length of an option: 13 and 14 announce extended forms, 15 is reserved (section 3.1). */
static bool read_extended(struct tw_reader *r, uint32_t nibble, uint32_t *value) {
    if (nibble == 13)
        *value = 13u + tw_get8(r);
    else if (nibble == 14)
        *value = 269u + tw_get16(r);
    else
        *value = nibble;
    return nibble != 15 && !r->bad;
}

enum tw_coap_parse tw_coap_parse(struct tw_coap_message *m, const uint8_t *data, size_t size) {
    struct tw_reader r = tw_reader(data, size);
    memset(m, 0, sizeof *m);
    uint8_t first = tw_get8(&r);
    m->code = tw_get8(&r);
    m->mid = tw_get16(&r);
    m->type = first >> 4 & 3;
    m->token.size = first & 15;
    if (r.bad || first >> 6 != VERSION)
        return TW_COAP_IGNORE;
    if (m->token.size > TW_COAP_TOKEN_MAX)
        return TW_COAP_FORMAT_ERROR;
    const uint8_t *token = tw_take(&r, m->token.size);
    if (!token)
        return TW_COAP_FORMAT_ERROR;
    memcpy(m->token.bytes, token, m->token.size);
    if (m->code == TW_COAP_EMPTY) /* four bytes and no more (section 4.1) */
        return size == 4 ? TW_COAP_OK : TW_COAP_FORMAT_ERROR;
    uint32_t number = 0;
    while (tw_left(&r)) {
        uint8_t head = tw_get8(&r);
        if (head == PAYLOAD_MARKER) {
            m->payload_size = tw_left(&r);
            m->payload = tw_take(&r, m->payload_size);
            return m->payload_size ? TW_COAP_OK : TW_COAP_FORMAT_ERROR;
        }
        uint32_t delta, length;
        if (!read_extended(&r, head >> 4, &delta) || !read_extended(&r, head & 15, &length))
            return TW_COAP_FORMAT_ERROR;
        const uint8_t *value = tw_take(&r, length);
        bool again = number && !delta;
        number += delta;
        if (!value || number > UINT16_MAX)
            return TW_COAP_FORMAT_ERROR;
        read_option(m, number, again, value, length);
    }
    return TW_COAP_OK;
}

struct tw_coap_writer tw_coap_begin(uint8_t *data, size_t size, enum tw_coap_type type,
                                    uint8_t code, uint16_t mid, const struct tw_coap_token *token) {
    struct tw_coap_writer c = {.w = tw_writer(data, size)};
    tw_put8(&c.w, (uint8_t)(VERSION << 6 | (unsigned)type << 4 | (token ? token->size : 0u)));
    tw_put8(&c.w, code);
    tw_put16(&c.w, mid);
    if (token)
        tw_put(&c.w, token->bytes, token->size);
    return c;
}

static unsigned nibble_for(size_t value) {
    return value < 13 ? (unsigned)value : value < 269 ? 13 : 14;
}

static void put_extended(struct tw_writer *w, size_t value) {
    if (value >= 269)
        tw_put16(w, (uint16_t)(value - 269));
    else if (value >= 13)
        tw_put8(w, (uint8_t)(value - 13));
}

void tw_coap_put_option(struct tw_coap_writer *c, uint16_t number, const void *data, size_t size) {
    size_t delta = (size_t)(number - c->last_option);
    tw_put8(&c->w, (uint8_t)(nibble_for(delta) << 4 | nibble_for(size)));
    put_extended(&c->w, delta);
    put_extended(&c->w, size);
    tw_put(&c->w, data, size);
    c->last_option = number;
}

void tw_coap_put_uint_option(struct tw_coap_writer *c, uint16_t number, uint32_t value) {
    uint8_t bytes[4] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8),
                        (uint8_t)value};
    size_t skip = 0;
    while (skip < 4 && !bytes[skip])
        skip++;
    tw_coap_put_option(c, number, bytes + skip, 4 - skip);
}

const char *tw_coap_relative(const char *path) {
    return path + (*path == '/');
}

bool tw_coap_is_path(const struct tw_coap_message *m, const char *path) {
    path = tw_coap_relative(path);
    return *path ? *m->path && !strcmp(m->path + 1, path) : !*m->path;
}

void tw_coap_put_path(struct tw_coap_writer *c, const char *path) {
    path = tw_coap_relative(path);
    if (!*path)
        return;
    for (;;) {
        size_t size = strcspn(path, "/");
        tw_coap_put_option(c, TW_COAP_URI_PATH, path, size);
        if (!path[size])
            return;
        path += size + 1;
    }
}

void tw_coap_put_block(struct tw_coap_writer *c, uint16_t number,
                       const struct tw_coap_block *block) {
    tw_coap_put_uint_option(c, number, block->number << 4 | (block->more ? 8u : 0u) | block->szx);
}

uint8_t *tw_coap_put_payload(struct tw_coap_writer *c, size_t size) {
    if (!size)
        return NULL;
    tw_put8(&c->w, PAYLOAD_MARKER);
    return tw_reserve(&c->w, size);
}

size_t tw_coap_block_size(const struct tw_coap_block *block) {
    return (size_t)16 << block->szx;
}

uint8_t tw_coap_szx(size_t bytes) {
    uint8_t szx = 0;
    while (szx < 6 && (size_t)32 << szx <= bytes)
        szx++;
    return szx;
}

bool tw_coap_same_token(const struct tw_coap_token *a, const struct tw_coap_token *b) {
    return a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}
