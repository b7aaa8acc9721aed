#include "mqtt5_packets.h"

#include <string.h>

#include "core/protocols/mqtt/mqtt_parser.h"

#ifdef TW_MQTT5

#define PROTOCOL_LEVEL 5
#define FLAG_CLEAN_START 0x02
#define FLAG_WILL 0x04
#define WILL_SUFFIX "/will"

/* ---- parts ---- */

static uint32_t length_bytes(uint32_t length) {
    return length < 128 ? 1 : length < 16384 ? 2 : length < 2097152 ? 3 : 4;
}

static void put_length(struct tw_writer *w, uint32_t length) {
    do {
        uint8_t byte = length & 127;
        length >>= 7;
        tw_put8(w, length ? byte | 128 : byte);
    } while (length);
}

struct tw_mqtt5_topic tw_mqtt5_topic(const char *text, const char *suffix) {
    return (struct tw_mqtt5_topic){.text = text,
                                   .suffix = suffix,
                                   .text_bytes = (uint16_t)strlen(text),
                                   .suffix_bytes = (uint16_t)strlen(suffix)};
}

static uint16_t topic_bytes(const struct tw_mqtt5_topic *topic) {
    return (uint16_t)(topic->text_bytes + topic->suffix_bytes);
}

static void put_topic(struct tw_writer *w, const struct tw_mqtt5_topic *topic) {
    tw_put16(w, topic_bytes(topic));
    tw_put(w, topic->text, topic->text_bytes);
    tw_put(w, topic->suffix, topic->suffix_bytes);
}

static void put_number16(struct tw_writer *w, enum tw_mqtt5_property id, uint16_t value) {
    tw_put8(w, (uint8_t)id);
    tw_put16(w, value);
}

static void put_number32(struct tw_writer *w, enum tw_mqtt5_property id, uint32_t value) {
    tw_put8(w, (uint8_t)id);
    tw_put32(w, value);
}

/* ---- packets ---- */

/* The interval that the server is asked to keep a session: a clean one ends with its connection. */
static uint32_t session_expiry(const struct tw_config *config) {
    return config->clean ? 0 : config->session_expiry_s;
}

void tw_mqtt5_put_connect(struct tw_writer *w, const struct tw_config *c, const char *id) {
    struct tw_mqtt5_topic will = tw_mqtt5_topic(c->topic, WILL_SUFFIX);
    uint32_t expiry = session_expiry(c);
    uint32_t properties = (expiry ? 5u : 0) + (c->receive_max ? 3u : 0) + (c->packet_max ? 5u : 0) +
                          (c->topic_alias ? 3u : 0);
    uint32_t length = 10 + 1 + properties + 2 + (uint32_t)strlen(id);
    uint8_t flags = c->clean ? FLAG_CLEAN_START : 0;
    if (c->will) {
        flags |= (uint8_t)(FLAG_WILL | c->qos << 3);
        length += 1u + 2u + topic_bytes(&will) + 2u + (uint32_t)strlen(c->id);
    }
    tw_put8(w, TW_MQTT_CONNECT << 4);
    put_length(w, length);
    tw_put_string16(w, "MQTT");
    tw_put8(w, PROTOCOL_LEVEL);
    tw_put8(w, flags);
    tw_put16(w, c->keepalive_s);
    put_length(w, properties);
    if (expiry)
        put_number32(w, TW_MQTT5_SESSION_EXPIRY, expiry);
    if (c->receive_max)
        put_number16(w, TW_MQTT5_RECEIVE_MAXIMUM, c->receive_max);
    if (c->packet_max)
        put_number32(w, TW_MQTT5_MAXIMUM_PACKET, c->packet_max);
    if (c->topic_alias)
        put_number16(w, TW_MQTT5_ALIAS_MAXIMUM, TW_MQTT5_ALIASES);
    tw_put_string16(w, id);
    if (c->will) {
        put_length(w, 0); /* no will properties */
        put_topic(w, &will);
        tw_put_string16(w, c->id);
    }
}

void tw_mqtt5_put_subscribe(struct tw_writer *w, uint16_t id, const struct tw_mqtt5_topic *filter,
                            uint8_t qos) {
    tw_put8(w, TW_MQTT_SUBSCRIBE << 4 | 2);
    put_length(w, 2u + 1u + 2u + topic_bytes(filter) + 1u);
    tw_put16(w, id);
    put_length(w, 0);
    put_topic(w, filter);
    tw_put8(w, qos);
}

static uint32_t property_bytes(const struct tw_mqtt5_publish *p) {
    return (p->alias ? 3u : 0) + (p->expiry_s ? 5u : 0) +
           (topic_bytes(&p->answer) ? 3u + topic_bytes(&p->answer) : 0) +
           (p->correlation_bytes ? 3u + p->correlation_bytes : 0);
}

static uint32_t remaining_bytes(const struct tw_mqtt5_publish *p) {
    uint32_t properties = property_bytes(p);
    return 2u + topic_bytes(&p->topic) + (p->qos ? 2u : 0) + length_bytes(properties) + properties +
           p->payload_bytes;
}

uint32_t tw_mqtt5_publish_bytes(const struct tw_mqtt5_publish *p) {
    uint32_t remaining = remaining_bytes(p);
    return 1 + length_bytes(remaining) + remaining;
}

void tw_mqtt5_put_publish(struct tw_writer *w, const struct tw_mqtt5_publish *p) {
    tw_put8(w, (uint8_t)(TW_MQTT_PUBLISH << 4 | (p->dup ? 8 : 0) | p->qos << 1));
    put_length(w, remaining_bytes(p));
    put_topic(w, &p->topic);
    if (p->qos)
        tw_put16(w, p->id);
    put_length(w, property_bytes(p));
    if (p->expiry_s)
        put_number32(w, TW_MQTT5_MESSAGE_EXPIRY, p->expiry_s);
    if (topic_bytes(&p->answer)) {
        tw_put8(w, TW_MQTT5_RESPONSE_TOPIC);
        put_topic(w, &p->answer);
    }
    if (p->correlation_bytes) {
        put_number16(w, TW_MQTT5_CORRELATION_DATA, p->correlation_bytes);
        tw_put(w, p->correlation, p->correlation_bytes);
    }
    if (p->alias)
        put_number16(w, TW_MQTT5_TOPIC_ALIAS, p->alias);
}

void tw_mqtt5_put_ack(struct tw_writer *w, uint8_t type, uint16_t id, uint8_t code) {
    tw_put8(w, (uint8_t)(type << 4 | (type == TW_MQTT_PUBREL ? 2 : 0)));
    tw_put8(w, code ? 3 : 2);
    tw_put16(w, id);
    if (code)
        tw_put8(w, code);
}

void tw_mqtt5_put_disconnect_for_good(struct tw_writer *w) {
    tw_put8(w, TW_MQTT_DISCONNECT << 4);
    tw_put8(w, 7);
    tw_put8(w, 0);
    put_length(w, 5);
    put_number32(w, TW_MQTT5_SESSION_EXPIRY, 0);
}

void tw_mqtt5_put_disconnect(struct tw_writer *w, uint8_t code) {
    tw_put8(w, TW_MQTT_DISCONNECT << 4);
    tw_put8(w, code ? 1 : 0);
    if (code)
        tw_put8(w, code);
}

#endif
