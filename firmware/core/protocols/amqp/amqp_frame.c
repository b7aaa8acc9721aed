#include "amqp_frame.h"

#include <string.h>

enum state { HEAD, PAYLOAD, END, BROKEN };

void tw_amqp_parser_start(struct tw_amqp_parser *p) {
    *p = (struct tw_amqp_parser){.state = HEAD};
}

static size_t bad(struct tw_amqp_parser *p, struct tw_amqp_item *item) {
    p->state = BROKEN;
    item->kind = TW_AMQP_BAD;
    return 0;
}

/* The seven bytes of the head are complete. False: this cannot be a frame for us. */
static bool end_head(struct tw_amqp_parser *p) {
    struct tw_reader r = tw_reader(p->head, sizeof p->head);
    uint8_t type = tw_get8(&r);
    tw_get16(&r);
    p->left = tw_get32(&r);
    p->kept_size = 0;
    p->have = 0;
    p->state = p->left ? PAYLOAD : END;
    bool known = (type >= TW_AMQP_METHOD && type <= TW_AMQP_BODY) || type == TW_AMQP_HEARTBEAT;
    return known && p->left <= TW_AMQP_FRAME_MIN - 8;
}

size_t tw_amqp_parse(struct tw_amqp_parser *p, const uint8_t *data, size_t size,
                     struct tw_amqp_item *item) {
    size_t used = 0;
    *item = (struct tw_amqp_item){.kind = TW_AMQP_MORE};
    if (p->state == BROKEN)
        return bad(p, item);
    while (used < size) {
        if (p->state == HEAD) {
            p->head[p->have++] = data[used++];
            if (p->have == sizeof p->head && !end_head(p))
                return bad(p, item);
            continue;
        }
        item->type = p->head[0];
        item->channel = (uint16_t)(p->head[1] << 8 | p->head[2]);
        if (p->state == END) {
            if (data[used++] != TW_AMQP_FRAME_END)
                return bad(p, item);
            p->state = HEAD;
            item->kind = TW_AMQP_FRAME;
            return used;
        }
        size_t piece = size - used < p->left ? size - used : p->left;
        p->left -= (uint32_t)piece;
        if (!p->left)
            p->state = END;
        if (item->type == TW_AMQP_BODY) {
            item->kind = TW_AMQP_PIECE;
            item->data = data + used;
            item->size = piece;
            return used + piece;
        }
        size_t room = sizeof p->kept - p->kept_size, kept = piece < room ? piece : room;
        memcpy(p->kept + p->kept_size, data + used, kept);
        p->kept_size = (uint8_t)(p->kept_size + kept);
        used += piece;
    }
    return used;
}

void tw_amqp_put_frame(struct tw_writer *w, enum tw_amqp_frame_type type, uint16_t channel,
                       uint32_t size) {
    tw_put8(w, (uint8_t)type);
    tw_put16(w, channel);
    tw_put32(w, size);
}

size_t tw_amqp_begin_method(struct tw_writer *w, uint16_t channel, uint32_t method) {
    tw_amqp_put_frame(w, TW_AMQP_METHOD, channel, 0);
    size_t start = w->used;
    tw_put32(w, method);
    return start;
}

void tw_amqp_end_method(struct tw_writer *w, size_t start) {
    if (!w->bad) {
        struct tw_writer size = tw_writer(w->data + start - 4, 4);
        tw_put32(&size, (uint32_t)(w->used - start));
    }
    tw_put8(w, TW_AMQP_FRAME_END);
}

void tw_amqp_put_shortstr(struct tw_writer *w, const char *text) {
    tw_put8(w, (uint8_t)strlen(text));
    tw_put_text(w, text);
}
