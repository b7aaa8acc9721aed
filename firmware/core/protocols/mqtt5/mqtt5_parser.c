#include "mqtt5_parser.h"

enum state {
    TYPE,
    LENGTH,
    FIXED,
    TOPIC_LENGTH,
    TOPIC,
    PACKET_ID,
    PROPERTY_LENGTH,
    PROPERTIES,
    CODES, /* of SUBACK and UNSUBACK, behind their properties */
    COMPLETE,
    PAYLOAD,
    BROKEN
};

void tw_mqtt5_parser_reset(struct tw_mqtt5_parser *parser, uint32_t packet_max) {
    *parser = (struct tw_mqtt5_parser){.state = TYPE, .packet_max = packet_max};
}

static uint8_t type_of(const struct tw_mqtt5_parser *parser) {
    return parser->type_and_flags >> 4;
}

static uint8_t qos_of(const struct tw_mqtt5_parser *parser) {
    return parser->type_and_flags >> 1 & 3;
}

/* The first byte: a type that a server may send, with the flags of table 2-2. */
static uint8_t take_type(struct tw_mqtt5_parser *parser, uint8_t byte) {
    uint8_t flags = byte & 15;
    *parser = (struct tw_mqtt5_parser){
        .state = LENGTH, .type_and_flags = byte, .packet_max = parser->packet_max};
    switch (byte >> 4) {
    case TW_MQTT_PUBLISH: /* QoS 3 is reserved [MQTT-3.3.1-4] */
        return (flags & 6) == 6 ? TW_MQTT5_MALFORMED : 0;
    case TW_MQTT_PUBREL:
        return flags == 2 ? 0 : TW_MQTT5_MALFORMED;
    case TW_MQTT_CONNECT:
    case TW_MQTT_SUBSCRIBE:
    case TW_MQTT_UNSUBSCRIBE:
    case TW_MQTT_PINGREQ:
        return TW_MQTT5_PROTOCOL_ERROR; /* a client's own */
    case 0:
        return TW_MQTT5_MALFORMED;
    default:
        return flags ? TW_MQTT5_MALFORMED : 0;
    }
}

/* The remaining length is complete: decides what follows. */
static uint8_t end_length(struct tw_mqtt5_parser *parser) {
    uint32_t least;
    if (parser->packet_max && 1u + parser->length_bytes + parser->left > parser->packet_max)
        return TW_MQTT5_PACKET_TOO_LARGE;
    switch (type_of(parser)) {
    case TW_MQTT_PUBLISH:
        parser->state = TOPIC_LENGTH;
        return parser->left < (qos_of(parser) ? 5u : 3u) ? TW_MQTT5_MALFORMED : 0;
    case TW_MQTT_PINGRESP:
        parser->state = COMPLETE;
        return parser->left ? TW_MQTT5_MALFORMED : 0;
    case TW_MQTT_CONNACK:
        least = 3;
        parser->want = 2;
        break;
    case TW_MQTT_SUBACK:
    case TW_MQTT_UNSUBACK:
        least = 4;
        parser->want = 2;
        break;
    case TW_MQTT_DISCONNECT: /* the reason code may be left out, section 3.14.2.1 */
    case TW_MQTT5_AUTH:
        least = 0;
        parser->want = parser->left > 0;
        break;
    default: /* PUBACK, PUBREC, PUBREL, PUBCOMP: section 3.4.2.1 */
        least = 2;
        parser->want = parser->left > 2 ? 3 : 2;
    }
    parser->state = parser->want ? FIXED : COMPLETE;
    return parser->left < least ? TW_MQTT5_MALFORMED : 0;
}

/* A variable byte integer has at most four bytes, and no more than it needs [MQTT-1.5.5-1]. Returns
 * a reason code, and in `more` whether another byte follows. */
static uint8_t take_length(struct tw_mqtt5_parser *parser, uint32_t *value, uint8_t byte,
                           bool *more) {
    *value |= (uint32_t)(byte & 127) << 7 * parser->length_bytes++;
    *more = byte & 128;
    if (*more)
        return parser->length_bytes < 4 ? 0 : TW_MQTT5_MALFORMED;
    return !byte && parser->length_bytes > 1 ? TW_MQTT5_MALFORMED : 0;
}

static void want_properties(struct tw_mqtt5_parser *parser) {
    parser->state = PROPERTY_LENGTH;
    parser->property_left = 0;
    parser->length_bytes = 0;
    tw_mqtt5_properties_begin(&parser->properties);
}

static uint8_t end_properties(struct tw_mqtt5_parser *parser) {
    if (!tw_mqtt5_properties_may_end(&parser->properties))
        return TW_MQTT5_MALFORMED;
    switch (type_of(parser)) {
    case TW_MQTT_SUBACK: /* one topic filter: one reason code [MQTT-3.8.4-6] */
        parser->state = CODES;
        return parser->left == 1 ? 0 : TW_MQTT5_PROTOCOL_ERROR;
    case TW_MQTT_UNSUBACK:
        parser->state = CODES;
        return parser->left ? 0 : TW_MQTT5_MALFORMED;
    default:
        parser->state = COMPLETE;
        return 0;
    }
}

static uint8_t end_property_length(struct tw_mqtt5_parser *parser) {
    uint8_t type = type_of(parser);
    bool more = type == TW_MQTT_PUBLISH || type == TW_MQTT_SUBACK || type == TW_MQTT_UNSUBACK;
    if (parser->property_left > parser->left || (!more && parser->property_left < parser->left))
        return TW_MQTT5_MALFORMED;
    parser->state = PROPERTIES;
    return parser->property_left ? 0 : end_properties(parser);
}

static uint16_t number16(const struct tw_mqtt5_parser *parser) {
    return (uint16_t)(parser->body[0] << 8 | parser->body[1]);
}

static uint8_t begin_topic(struct tw_mqtt5_parser *parser) {
    uint32_t behind = qos_of(parser) ? 3 : 1; /* packet identifier, property length */
    parser->topic_left = number16(parser);
    parser->named = parser->topic_left > 0;
    parser->topic = (struct tw_utf8){0};
    parser->state = TOPIC;
    return parser->left < parser->topic_left + behind ? TW_MQTT5_MALFORMED : 0;
}

static uint8_t end_topic(struct tw_mqtt5_parser *parser) {
    if (!tw_utf8_may_end(&parser->topic))
        return TW_MQTT5_MALFORMED;
    parser->have = 0;
    if (qos_of(parser))
        parser->state = PACKET_ID;
    else
        want_properties(parser);
    return 0;
}

/* Takes one byte of a packet's headers. Returns 0 or a reason code. */
static uint8_t take_byte(struct tw_mqtt5_parser *parser, uint8_t byte) {
    bool more;
    uint8_t wrong;
    if (parser->state > LENGTH) {
        if (!parser->left)
            return TW_MQTT5_MALFORMED; /* the packet ends within its headers */
        parser->left--;
    }
    switch (parser->state) {
    case TYPE:
        return take_type(parser, byte);
    case LENGTH:
        wrong = take_length(parser, &parser->left, byte, &more);
        return wrong || more ? wrong : end_length(parser);
    case FIXED:
        parser->body[parser->have++] = byte;
        if (parser->have < parser->want)
            return 0;
        if (parser->left)
            want_properties(parser);
        else
            parser->state = COMPLETE;
        return 0;
    case TOPIC_LENGTH:
        parser->body[parser->have++] = byte;
        return parser->have < 2 ? 0 : begin_topic(parser);
    case TOPIC:
        parser->topic_left--;
        return tw_mqtt5_text_take(&parser->topic, byte, true); /* [MQTT-3.3.2-2] */
    case PACKET_ID:
        parser->body[parser->have++] = byte;
        if (parser->have < 2)
            return 0;
        want_properties(parser);
        return number16(parser) ? 0 : TW_MQTT5_PROTOCOL_ERROR; /* [MQTT-2.2.1-3] */
    case PROPERTY_LENGTH:
        wrong = take_length(parser, &parser->property_left, byte, &more);
        return wrong || more ? wrong : end_property_length(parser);
    case PROPERTIES:
        wrong = tw_mqtt5_properties_take(&parser->properties, type_of(parser), byte);
        if (wrong || --parser->property_left)
            return wrong;
        return end_properties(parser);
    default: /* CODES */
        parser->body[2] = byte;
        if (!parser->left)
            parser->state = COMPLETE;
        return 0;
    }
}

static size_t broken(struct tw_mqtt5_parser *parser, struct tw_mqtt5_item *item, uint8_t code) {
    parser->state = BROKEN;
    parser->wrong = code;
    item->kind = TW_MQTT_MALFORMED;
    item->code = code;
    return 0;
}

/* The headers are complete. */
static void finish_headers(struct tw_mqtt5_parser *parser, struct tw_mqtt5_item *item) {
    const uint8_t *body = parser->body;
    item->type = type_of(parser);
    parser->state = TYPE;
    item->kind = TW_MQTT_PACKET;
    switch (item->type) {
    case TW_MQTT_PUBLISH:
        item->kind = TW_MQTT_BEGIN;
        item->qos = qos_of(parser);
        item->named = parser->named;
        item->id = item->qos ? number16(parser) : 0;
        parser->offset = 0;
        parser->state = PAYLOAD;
        break;
    case TW_MQTT_CONNACK:
        item->flags = body[0];
        item->code = body[1];
        break;
    case TW_MQTT_DISCONNECT:
    case TW_MQTT5_AUTH:
        item->code = body[0];
        break;
    default:
        item->id = number16(parser);
        item->code = body[2];
    }
}

static size_t hand_on(struct tw_mqtt5_parser *parser, const uint8_t *data, size_t size,
                      struct tw_mqtt5_item *item) {
    size_t piece = size < parser->left ? size : parser->left;
    if (!piece && parser->left)
        return 0;
    item->kind = TW_MQTT_PAYLOAD;
    item->type = TW_MQTT_PUBLISH;
    item->payload = data;
    item->size = piece;
    item->offset = parser->offset;
    parser->offset += (uint32_t)piece;
    parser->left -= (uint32_t)piece;
    item->last = !parser->left;
    if (item->last)
        parser->state = TYPE;
    return piece;
}

size_t tw_mqtt5_parse(struct tw_mqtt5_parser *parser, const uint8_t *data, size_t size,
                      struct tw_mqtt5_item *item) {
    size_t used = 0;
    uint8_t wrong;
    *item = (struct tw_mqtt5_item){.kind = TW_MQTT_MORE};
    if (parser->state == BROKEN)
        return broken(parser, item, parser->wrong);
    if (parser->state == PAYLOAD)
        return hand_on(parser, data, size, item);
    for (;;) {
        wrong = parser->state == TOPIC && !parser->topic_left ? end_topic(parser) : 0;
        if (wrong)
            return broken(parser, item, wrong);
        if (parser->state == COMPLETE) {
            finish_headers(parser, item);
            return used;
        }
        if (used == size)
            return used;
        if ((wrong = take_byte(parser, data[used++])))
            return broken(parser, item, wrong);
    }
}
