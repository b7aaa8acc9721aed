/*
 * AMQP 0-9-1 frames as a client reads and writes them (specification sections 2.3.5 and 4.2).
 */
#ifndef TW_AMQP_FRAME_H
#define TW_AMQP_FRAME_H

#include "core/util/bytes.h"

enum tw_amqp_frame_type {
    TW_AMQP_METHOD = 1,
    TW_AMQP_HEADER = 2,
    TW_AMQP_BODY = 3,
    TW_AMQP_HEARTBEAT = 8
};

/* Class in the upper, method in the lower half. */
#define TW_AMQP(class, method) ((uint32_t)(class) << 16 | (method))

#define TW_AMQP_CONNECTION_START TW_AMQP(10, 10)
#define TW_AMQP_CONNECTION_START_OK TW_AMQP(10, 11)
#define TW_AMQP_CONNECTION_TUNE TW_AMQP(10, 30)
#define TW_AMQP_CONNECTION_TUNE_OK TW_AMQP(10, 31)
#define TW_AMQP_CONNECTION_OPEN TW_AMQP(10, 40)
#define TW_AMQP_CONNECTION_OPEN_OK TW_AMQP(10, 41)
#define TW_AMQP_CONNECTION_CLOSE TW_AMQP(10, 50)
#define TW_AMQP_CONNECTION_CLOSE_OK TW_AMQP(10, 51)
#define TW_AMQP_CONNECTION_BLOCKED TW_AMQP(10, 60)
#define TW_AMQP_CONNECTION_UNBLOCKED TW_AMQP(10, 61)
#define TW_AMQP_CHANNEL_OPEN TW_AMQP(20, 10)
#define TW_AMQP_CHANNEL_OPEN_OK TW_AMQP(20, 11)
#define TW_AMQP_CHANNEL_FLOW TW_AMQP(20, 20)
#define TW_AMQP_CHANNEL_FLOW_OK TW_AMQP(20, 21)
#define TW_AMQP_CHANNEL_CLOSE TW_AMQP(20, 40)
#define TW_AMQP_CHANNEL_CLOSE_OK TW_AMQP(20, 41)
#define TW_AMQP_QUEUE_DECLARE TW_AMQP(50, 10)
#define TW_AMQP_QUEUE_DECLARE_OK TW_AMQP(50, 11)
#define TW_AMQP_BASIC_QOS TW_AMQP(60, 10)
#define TW_AMQP_BASIC_QOS_OK TW_AMQP(60, 11)
#define TW_AMQP_BASIC_CONSUME TW_AMQP(60, 20)
#define TW_AMQP_BASIC_CONSUME_OK TW_AMQP(60, 21)
#define TW_AMQP_BASIC_CANCEL TW_AMQP(60, 30)
#define TW_AMQP_BASIC_CANCEL_OK TW_AMQP(60, 31)
#define TW_AMQP_BASIC_PUBLISH TW_AMQP(60, 40)
#define TW_AMQP_BASIC_RETURN TW_AMQP(60, 50)
#define TW_AMQP_BASIC_DELIVER TW_AMQP(60, 60)
#define TW_AMQP_BASIC_ACK TW_AMQP(60, 80)
#define TW_AMQP_BASIC_NACK TW_AMQP(60, 120)
#define TW_AMQP_CONFIRM_SELECT TW_AMQP(85, 10)
#define TW_AMQP_CONFIRM_SELECT_OK TW_AMQP(85, 11)

#define TW_AMQP_FRAME_END 0xCE
#define TW_AMQP_FRAME_MIN 4096u /* the smallest limit a peer may set: ours */

/* A method or content header is kept up to here: longer ones end in tables that are not needed. */
#define TW_AMQP_KEPT 64

enum tw_amqp_kind {
    TW_AMQP_MORE,
    TW_AMQP_FRAME, /* a whole frame; the first bytes of its payload are in parser->kept */
    TW_AMQP_PIECE, /* body bytes */
    TW_AMQP_BAD    /* not AMQP, or a frame that is too long */
};

struct tw_amqp_item {
    enum tw_amqp_kind kind;
    uint8_t type;
    uint16_t channel;
    const uint8_t *data; /* PIECE */
    size_t size;
};

struct tw_amqp_parser {
    uint8_t state, have, head[7], kept_size;
    uint32_t left;
    uint8_t kept[TW_AMQP_KEPT];
};

void tw_amqp_parser_start(struct tw_amqp_parser *p);
/* Reads up to one item; returns the bytes used. A body frame yields its pieces, then FRAME. */
size_t tw_amqp_parse(struct tw_amqp_parser *p, const uint8_t *data, size_t size,
                     struct tw_amqp_item *item);

/* Writes the head of a frame whose payload has `size` bytes. */
void tw_amqp_put_frame(struct tw_writer *w, enum tw_amqp_frame_type type, uint16_t channel,
                       uint32_t size);
/* A method frame whose size is filled in by tw_amqp_end_method. */
size_t tw_amqp_begin_method(struct tw_writer *w, uint16_t channel, uint32_t method);
void tw_amqp_end_method(struct tw_writer *w, size_t start);
void tw_amqp_put_shortstr(struct tw_writer *w, const char *text);

#endif
