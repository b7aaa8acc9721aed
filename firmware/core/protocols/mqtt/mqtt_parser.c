#include "mqtt_parser.h"

enum state { TYPE, LENGTH, BODY, TOPIC_LENGTH, TOPIC, PACKET_ID, PAYLOAD, BROKEN };

void tw_mqtt_parser_reset(struct tw_mqtt_parser *parser) {
    *parser = (struct tw_mqtt_parser){.state = TYPE};
}

bool tw_mqtt_parser_in_headers(const struct tw_mqtt_parser *parser) {
    return parser->state != TYPE && parser->state != PAYLOAD;
}

static size_t malformed(struct tw_mqtt_parser *parser, struct tw_mqtt_item *item) {
    parser->state = BROKEN;
    item->kind = TW_MQTT_MALFORMED;
    return 0;
}

static unsigned type_of(const struct tw_mqtt_parser *parser) {
    return parser->type_and_flags >> 4;
}

static unsigned qos_of(const struct tw_mqtt_parser *parser) {
    return parser->type_and_flags >> 1 & 3;
}

/* The first byte: a type that a server may send, with the flags of table 2.2. */
static bool first_byte_allowed(uint8_t byte) {
    switch (byte >> 4) {
    case TW_MQTT_PUBLISH:
        return (byte & 6) != 6; /* QoS 3 is reserved [MQTT-3.3.1-4] */
    case TW_MQTT_PUBREL:
        return (byte & 15) == 2;
    case TW_MQTT_CONNACK:
    case TW_MQTT_PUBACK:
    case TW_MQTT_PUBREC:
    case TW_MQTT_PUBCOMP:
    case TW_MQTT_SUBACK:
    case TW_MQTT_UNSUBACK:
    case TW_MQTT_PINGRESP:
        return (byte & 15) == 0;
    default:
        return false;
    }
}

/* Remaining lengths that a packet other than PUBLISH may have. This client subscribes to one topic
 * at a time, so a SUBACK has one return code. */
static bool length_allowed(unsigned type, uint32_t length) {
    switch (type) {
    case TW_MQTT_PINGRESP:
        return length == 0;
    case TW_MQTT_SUBACK:
        return length == 3;
    case TW_MQTT_PUBLISH:
        return length >= 3; /* a topic of one character at least */
    default:
        return length == 2;
    }
}

static size_t finish_packet(struct tw_mqtt_parser *parser, struct tw_mqtt_item *item, size_t used) {
    const uint8_t *body = parser->body;
    item->kind = TW_MQTT_PACKET;
    item->type = (uint8_t)type_of(parser);
    if (item->type == TW_MQTT_CONNACK) {
        item->flags = body[0];
        item->code = body[1];
    } else if (item->type != TW_MQTT_PINGRESP) {
        item->id = (uint16_t)(body[0] << 8 | body[1]);
        item->code = body[2];
    }
    parser->state = TYPE;
    return used;
}

static size_t begin_publish(struct tw_mqtt_parser *parser, struct tw_mqtt_item *item, size_t used) {
    item->kind = TW_MQTT_BEGIN;
    item->type = TW_MQTT_PUBLISH;
    item->qos = (uint8_t)qos_of(parser);
    item->dup = parser->type_and_flags & 8;
    item->retain = parser->type_and_flags & 1;
    item->id = (uint16_t)(item->qos ? parser->body[0] << 8 | parser->body[1] : 0);
    parser->offset = 0;
    parser->state = PAYLOAD;
    return used;
}

/* The length is complete: decides what follows. Returns false when it cannot be. */
static bool end_length(struct tw_mqtt_parser *parser) {
    if (!length_allowed(type_of(parser), parser->left))
        return false;
    parser->have = 0;
    parser->state = type_of(parser) == TW_MQTT_PUBLISH ? TOPIC_LENGTH : BODY;
    return true;
}

/* Takes one byte of a header. Returns false when the packet is malformed. */
static bool take_header_byte(struct tw_mqtt_parser *parser, uint8_t byte) {
    switch (parser->state) {
    case TYPE:
        parser->type_and_flags = byte;
        parser->left = 0;
        parser->length_bytes = 0;
        parser->state = LENGTH;
        return first_byte_allowed(byte);
    case LENGTH: /* section 2.2.3: at most four bytes */
        parser->left |= (uint32_t)(byte & 127) << 7 * parser->length_bytes++;
        if (byte & 128)
            return parser->length_bytes < 4;
        return end_length(parser);
    case TOPIC_LENGTH:
        parser->body[parser->have++] = byte;
        parser->left--;
        if (parser->have < 2)
            return true;
        parser->topic_left = (uint16_t)(parser->body[0] << 8 | parser->body[1]);
        parser->have = 0;
        parser->topic = (struct tw_utf8){0};
        parser->state = TOPIC;
        return parser->topic_left > 0 &&
               parser->left >= parser->topic_left + (qos_of(parser) ? 2u : 0u);
    case PACKET_ID:
        parser->body[parser->have++] = byte;
        parser->left--;
        return parser->have < 2 || parser->body[0] || parser->body[1]; /* [MQTT-2.3.1-1] */
    default:                                                           /* BODY */
        parser->body[parser->have++] = byte;
        parser->left--;
        return true;
    }
}

size_t tw_mqtt_parse(struct tw_mqtt_parser *parser, const uint8_t *data, size_t size,
                     struct tw_mqtt_item *item) {
    size_t used = 0;
    *item = (struct tw_mqtt_item){.kind = TW_MQTT_MORE};
    if (parser->state == BROKEN)
        return malformed(parser, item);
    for (;;) {
        if (parser->state == PAYLOAD) {
            size_t piece = size - used < parser->left ? size - used : parser->left;
            if (!piece && parser->left)
                return used;
            item->kind = TW_MQTT_PAYLOAD;
            item->type = TW_MQTT_PUBLISH;
            item->payload = data + used;
            item->size = piece;
            item->offset = parser->offset;
            parser->offset += (uint32_t)piece;
            parser->left -= (uint32_t)piece;
            item->last = !parser->left;
            if (item->last)
                parser->state = TYPE;
            return used + piece;
        }
        if (parser->state == TOPIC && !parser->topic_left) {
            parser->have = 0;
            if (!qos_of(parser))
                return begin_publish(parser, item, used);
            parser->state = PACKET_ID;
        }
        if (parser->state == PACKET_ID && parser->have == 2)
            return begin_publish(parser, item, used);
        if (parser->state == BODY && !parser->left)
            return finish_packet(parser, item, used);
        if (used == size)
            return used;
        if (parser->state == TOPIC) {
            size_t piece = size - used < parser->topic_left ? size - used : parser->topic_left;
            if (!tw_topic_name_take(&parser->topic, data + used, piece,
                                    piece == parser->topic_left))
                return malformed(parser, item);
            parser->topic_left = (uint16_t)(parser->topic_left - piece);
            parser->left -= (uint32_t)piece;
            used += piece;
        } else if (!take_header_byte(parser, data[used++])) {
            return malformed(parser, item);
        }
    }
}
