#include "mqtt5_properties.h"

#include "core/protocols/mqtt/mqtt_parser.h"

enum state { IDENTIFIER, NUMBER, LENGTH, TEXT };
enum kind { BOOLEAN, TWO, TWO_NOT_0, FOUR, FOUR_NOT_0, VARIABLE, STRING, TOPIC, BINARY, PAIR };

#define IN(type) (1u << TW_MQTT_##type)
#define IN_ACKS (IN(PUBACK) | IN(PUBREC) | IN(PUBREL) | IN(PUBCOMP) | IN(SUBACK) | IN(UNSUBACK))
#define IN_AUTH (1u << TW_MQTT5_AUTH)
#define IN_ANY (IN(CONNACK) | IN(PUBLISH) | IN_ACKS | IN(DISCONNECT) | IN_AUTH)

/* Table 2-4, with the packets that a client receives. In those that it sends, and in a will, stand
 * 0x17, 0x18 and 0x19: no packet from a server may have them. */
static const struct rule {
    uint8_t id, kind;
    uint16_t packets;
} rules[] = {
    {TW_MQTT5_PAYLOAD_FORMAT, BOOLEAN, IN(PUBLISH)},
    {TW_MQTT5_MESSAGE_EXPIRY, FOUR, IN(PUBLISH)},
    {TW_MQTT5_CONTENT_TYPE, STRING, IN(PUBLISH)},
    {TW_MQTT5_RESPONSE_TOPIC, TOPIC, IN(PUBLISH)},
    {TW_MQTT5_CORRELATION_DATA, BINARY, IN(PUBLISH)},
    {TW_MQTT5_SUBSCRIPTION_ID, VARIABLE, IN(PUBLISH)},
    {TW_MQTT5_SESSION_EXPIRY, FOUR,
     IN(CONNACK)}, /* a server sends none in DISCONNECT, 3.14.2.2.2 */
    {TW_MQTT5_ASSIGNED_ID, STRING, IN(CONNACK)},
    {TW_MQTT5_SERVER_KEEP_ALIVE, TWO, IN(CONNACK)},
    {TW_MQTT5_AUTH_METHOD, STRING, IN(CONNACK) | IN_AUTH},
    {TW_MQTT5_AUTH_DATA, BINARY, IN(CONNACK) | IN_AUTH},
    {TW_MQTT5_REQUEST_PROBLEM, BOOLEAN, 0},
    {TW_MQTT5_WILL_DELAY, FOUR, 0},
    {TW_MQTT5_REQUEST_RESPONSE, BOOLEAN, 0},
    {TW_MQTT5_RESPONSE_INFORMATION, STRING, IN(CONNACK)},
    {TW_MQTT5_SERVER_REFERENCE, STRING, IN(CONNACK) | IN(DISCONNECT)},
    {TW_MQTT5_REASON_STRING, STRING, IN_ANY & ~IN(PUBLISH)},
    {TW_MQTT5_RECEIVE_MAXIMUM, TWO_NOT_0, IN(CONNACK)},
    {TW_MQTT5_ALIAS_MAXIMUM, TWO, IN(CONNACK)},
    {TW_MQTT5_TOPIC_ALIAS, TWO, IN(PUBLISH)},
    {TW_MQTT5_MAXIMUM_QOS, BOOLEAN, IN(CONNACK)},
    {TW_MQTT5_RETAIN_AVAILABLE, BOOLEAN, IN(CONNACK)},
    {TW_MQTT5_USER_PROPERTY, PAIR, IN_ANY},
    {TW_MQTT5_MAXIMUM_PACKET, FOUR_NOT_0, IN(CONNACK)},
    {TW_MQTT5_WILDCARD_AVAILABLE, BOOLEAN, IN(CONNACK)},
    {TW_MQTT5_IDENTIFIERS_AVAILABLE, BOOLEAN, IN(CONNACK)},
    {TW_MQTT5_SHARED_AVAILABLE, BOOLEAN, IN(CONNACK)},
};

static const struct rule *rule_of(uint8_t id) {
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].id == id)
            return &rules[i];
    return NULL;
}

static uint64_t bit(uint8_t id) {
    return UINT64_C(1) << id;
}

void tw_mqtt5_properties_begin(struct tw_mqtt5_properties *p) {
    *p = (struct tw_mqtt5_properties){.state = IDENTIFIER};
}

bool tw_mqtt5_properties_may_end(const struct tw_mqtt5_properties *p) {
    return p->state == IDENTIFIER;
}

bool tw_mqtt5_has(const struct tw_mqtt5_properties *p, enum tw_mqtt5_property id) {
    return p->seen & bit((uint8_t)id);
}

uint8_t tw_mqtt5_text_take(struct tw_utf8 *text, uint8_t byte, bool topic) {
    if (!byte || !tw_utf8_take(text, byte)) /* [MQTT-1.5.4-1], [MQTT-1.5.4-2] */
        return TW_MQTT5_MALFORMED;
    return topic && (byte == '#' || byte == '+') ? TW_MQTT5_PROTOCOL_ERROR : 0;
}

static uint8_t begin(struct tw_mqtt5_properties *p, uint8_t packet, uint8_t id) {
    const struct rule *rule = rule_of(id);
    if (!rule || !(rule->packets >> packet & 1))
        return TW_MQTT5_MALFORMED; /* section 2.2.2.2 */
    bool repeats = rule->kind == PAIR || rule->kind == VARIABLE;
    if (p->seen & bit(id) && !repeats)
        return TW_MQTT5_PROTOCOL_ERROR;
    p->seen |= bit(id);
    p->id = id;
    p->have = 0;
    p->value = 0;
    p->pair = rule->kind == PAIR;
    p->state = rule->kind >= STRING ? LENGTH : NUMBER;
    return 0;
}

/* A number is complete: checks its range, and keeps what the engine uses. */
static uint8_t keep_number(struct tw_mqtt5_properties *p, uint8_t kind) {
    p->state = IDENTIFIER;
    if (kind == BOOLEAN && p->value > 1)
        return TW_MQTT5_PROTOCOL_ERROR;
    if ((kind == TWO_NOT_0 || kind == FOUR_NOT_0 || kind == VARIABLE) && !p->value)
        return TW_MQTT5_PROTOCOL_ERROR;
    switch (p->id) {
    case TW_MQTT5_SESSION_EXPIRY:
        p->session_expiry_s = p->value;
        break;
    case TW_MQTT5_SERVER_KEEP_ALIVE:
        p->keepalive_s = (uint16_t)p->value;
        break;
    case TW_MQTT5_RECEIVE_MAXIMUM:
        p->receive_max = (uint16_t)p->value;
        break;
    case TW_MQTT5_ALIAS_MAXIMUM:
        p->alias_max = (uint16_t)p->value;
        break;
    case TW_MQTT5_TOPIC_ALIAS:
        p->alias = (uint16_t)p->value;
        break;
    case TW_MQTT5_MAXIMUM_QOS:
        p->qos_max = (uint8_t)p->value;
        break;
    case TW_MQTT5_MAXIMUM_PACKET:
        p->packet_max = p->value;
        break;
    default:
        break;
    }
    return 0;
}

static uint8_t take_number(struct tw_mqtt5_properties *p, uint8_t kind, uint8_t byte) {
    uint8_t size = kind == BOOLEAN ? 1 : kind <= TWO_NOT_0 ? 2 : 4;
    if (kind == VARIABLE) { /* section 1.5.5 */
        p->value |= (uint32_t)(byte & 127) << 7 * p->have++;
        if (byte & 128)
            return p->have < 4 ? 0 : TW_MQTT5_MALFORMED;
        return !byte && p->have > 1 ? TW_MQTT5_MALFORMED : keep_number(p, kind);
    }
    p->value = p->value << 8 | byte;
    return ++p->have < size ? 0 : keep_number(p, kind);
}

/* A text is complete. */
static uint8_t end_text(struct tw_mqtt5_properties *p, uint8_t kind) {
    if (kind != BINARY && !tw_utf8_may_end(&p->utf8))
        return TW_MQTT5_MALFORMED;
    p->have = 0;
    p->state = p->pair ? LENGTH : IDENTIFIER;
    p->pair = false;
    return 0;
}

static uint8_t take_length(struct tw_mqtt5_properties *p, uint8_t kind, uint8_t byte) {
    p->left = (uint16_t)(p->left << 8 | byte);
    if (++p->have < 2)
        return 0;
    p->at = 0;
    p->utf8 = (struct tw_utf8){0};
    p->state = TEXT;
    if (p->id == TW_MQTT5_CORRELATION_DATA)
        p->correlation_bytes = p->left;
    else if (p->id == TW_MQTT5_RESPONSE_TOPIC || p->id == TW_MQTT5_ASSIGNED_ID)
        p->text_bytes = p->left;
    if (kind == TOPIC && !p->left)
        return TW_MQTT5_PROTOCOL_ERROR; /* [MQTT-4.7.3-1] */
    return p->left ? 0 : end_text(p, kind);
}

static uint8_t take_text(struct tw_mqtt5_properties *p, uint8_t kind, uint8_t byte) {
    uint8_t wrong = kind == BINARY ? 0 : tw_mqtt5_text_take(&p->utf8, byte, kind == TOPIC);
    if (wrong)
        return wrong;
    if (p->id == TW_MQTT5_CORRELATION_DATA && p->at < sizeof p->correlation)
        p->correlation[p->at] = byte;
    else if ((p->id == TW_MQTT5_RESPONSE_TOPIC || p->id == TW_MQTT5_ASSIGNED_ID) &&
             p->at < sizeof p->text)
        p->text[p->at] = (char)byte;
    p->at++;
    return --p->left ? 0 : end_text(p, kind);
}

uint8_t tw_mqtt5_properties_take(struct tw_mqtt5_properties *p, uint8_t packet, uint8_t byte) {
    if (p->state == IDENTIFIER)
        return begin(p, packet, byte);
    uint8_t kind = rule_of(p->id)->kind;
    switch (p->state) {
    case NUMBER:
        return take_number(p, kind, byte);
    case LENGTH:
        return take_length(p, kind, byte);
    default:
        return take_text(p, kind, byte);
    }
}
