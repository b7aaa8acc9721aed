#include "websocket_frame.h"

#include <string.h>

enum state { HEAD, LENGTH, PAYLOAD, BROKEN };

void tw_ws_parser_start(struct tw_ws_parser *p) {
    *p = (struct tw_ws_parser){.state = HEAD};
}

static bool is_control(uint8_t opcode) {
    return opcode & 8;
}

static bool is_fin(const struct tw_ws_parser *p) {
    return p->head[0] & 0x80;
}

static size_t violation(struct tw_ws_parser *p, struct tw_ws_item *item, uint16_t close) {
    p->state = BROKEN;
    item->kind = TW_WS_VIOLATION;
    item->close = close;
    return 0;
}

/* The first two bytes: may this frame come now (sections 5.2, 5.4, 5.5)? */
static bool head_allowed(const struct tw_ws_parser *p) {
    uint8_t opcode = p->head[0] & 15, length = p->head[1] & 127;
    if (p->head[0] & 0x70 || p->head[1] & 0x80)
        return false; /* no extension was agreed; a server never masks */
    switch (opcode) {
    case TW_WS_CONTINUATION:
        return p->message;
    case TW_WS_TEXT:
    case TW_WS_BINARY:
        return !p->message;
    case TW_WS_CLOSE:
        return is_fin(p) && length <= TW_WS_CONTROL_MAX && length != 1;
    case TW_WS_PING:
    case TW_WS_PONG:
        return is_fin(p) && length <= TW_WS_CONTROL_MAX;
    default:
        return false;
    }
}

static void begin_payload(struct tw_ws_parser *p) {
    p->opcode = p->head[0] & 15;
    p->state = PAYLOAD;
    p->control_size = 0;
    if (p->opcode == TW_WS_TEXT || p->opcode == TW_WS_BINARY) {
        p->message = p->opcode;
        p->offset = 0;
        p->text = (struct tw_utf8){0};
    }
}

/* Takes one byte of the header. False: this frame must not come. */
static bool take_header_byte(struct tw_ws_parser *p, uint8_t byte) {
    if (p->state == HEAD) {
        p->head[p->have++] = byte;
        if (p->have < 2)
            return true;
        p->have = 0;
        p->left = byte & 127;
        if (!head_allowed(p))
            return false;
        if (p->left < 126) {
            begin_payload(p);
            return true;
        }
        p->have = p->left == 126 ? 2 : 8;
        p->left = 0;
        p->state = LENGTH;
        return true;
    }
    p->left = p->left << 8 | byte;
    if (--p->have)
        return true;
    begin_payload(p);
    bool minimal = (p->head[1] & 127) == 126 ? p->left >= 126 : p->left > UINT16_MAX;
    return minimal && !(p->left >> 63); /* section 5.2 */
}

/* The reason of a Close is text (section 5.5.1). No message goes on after it: its state is free. */
static bool reason_is_text(struct tw_ws_parser *p) {
    p->text = (struct tw_utf8){0};
    for (size_t i = 2; i < p->control_size; i++)
        if (!tw_utf8_take(&p->text, p->control[i]))
            return false;
    return tw_utf8_may_end(&p->text);
}

static size_t take_control(struct tw_ws_parser *p, const uint8_t *data, size_t size,
                           struct tw_ws_item *item) {
    size_t piece = size < p->left ? size : (size_t)p->left;
    if (piece)
        memcpy(p->control + p->control_size, data, piece);
    p->control_size = (uint8_t)(p->control_size + piece);
    p->left -= piece;
    if (!p->left) {
        if (p->opcode == TW_WS_CLOSE && !reason_is_text(p))
            return violation(p, item, TW_WS_BAD_DATA);
        item->kind = TW_WS_CONTROL;
        item->opcode = p->opcode;
        p->state = HEAD;
        p->have = 0;
    }
    return piece;
}

static size_t take_data(struct tw_ws_parser *p, const uint8_t *data, size_t size,
                        struct tw_ws_item *item) {
    size_t piece = size < p->left ? size : (size_t)p->left;
    bool ends = piece == p->left;
    if (!piece && !ends)
        return 0;
    for (size_t i = 0; p->message == TW_WS_TEXT && i < piece; i++)
        if (!tw_utf8_take(&p->text, data[i]))
            return violation(p, item, TW_WS_BAD_DATA);
    item->kind = TW_WS_DATA;
    item->data = data;
    item->size = piece;
    item->offset = p->offset;
    item->last = ends && is_fin(p);
    p->offset += (uint32_t)piece;
    p->left -= piece;
    if (ends) {
        p->state = HEAD;
        p->have = 0;
    }
    if (item->last) {
        if (!tw_utf8_may_end(&p->text))
            return violation(p, item, TW_WS_BAD_DATA);
        p->message = 0;
    }
    return piece;
}

size_t tw_ws_parse(struct tw_ws_parser *p, const uint8_t *data, size_t size,
                   struct tw_ws_item *item) {
    size_t used = 0;
    *item = (struct tw_ws_item){.kind = TW_WS_MORE};
    if (p->state == BROKEN)
        return violation(p, item, TW_WS_PROTOCOL_ERROR);
    while (p->state != PAYLOAD) {
        if (used == size)
            return used;
        if (!take_header_byte(p, data[used++]))
            return violation(p, item, TW_WS_PROTOCOL_ERROR);
    }
    const uint8_t *rest = size > used ? data + used : NULL;
    return used + (is_control(p->opcode) ? take_control(p, rest, size - used, item)
                                         : take_data(p, rest, size - used, item));
}

void tw_ws_put_header(struct tw_writer *w, enum tw_ws_opcode opcode, bool fin, size_t size,
                      uint32_t key) {
    tw_put8(w, (uint8_t)((fin ? 0x80u : 0u) | (unsigned)opcode));
    if (size < 126) {
        tw_put8(w, (uint8_t)(0x80u | size)); /* a client always masks (section 5.3) */
    } else {
        tw_put8(w, 0x80u | 126);
        tw_put16(w, (uint16_t)size);
    }
    tw_put32(w, key);
}

void tw_ws_mask(uint8_t *data, size_t size, size_t offset, uint32_t key) {
    for (size_t i = 0; i < size; i++)
        data[i] ^= (uint8_t)(key >> (24 - 8 * ((offset + i) & 3)));
}
