/*
 * Incremental reader of MQTT 3.1.1 control packets as a client receives them. It takes a stream in
 * pieces of any size and keeps only what the fixed and variable headers need; payload bytes are
 * handed on in place, so a PUBLISH may be of any length.
 */
#ifndef TW_MQTT_PARSER_H
#define TW_MQTT_PARSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topic_name.h"

/* Control packet types, OASIS MQTT 3.1.1 table 2.1. */
enum tw_mqtt_type {
    TW_MQTT_CONNECT = 1,
    TW_MQTT_CONNACK,
    TW_MQTT_PUBLISH,
    TW_MQTT_PUBACK,
    TW_MQTT_PUBREC,
    TW_MQTT_PUBREL,
    TW_MQTT_PUBCOMP,
    TW_MQTT_SUBSCRIBE,
    TW_MQTT_SUBACK,
    TW_MQTT_UNSUBSCRIBE,
    TW_MQTT_UNSUBACK,
    TW_MQTT_PINGREQ,
    TW_MQTT_PINGRESP,
    TW_MQTT_DISCONNECT
};

enum tw_mqtt_item_kind {
    TW_MQTT_MORE,     /* all input used, nothing complete yet */
    TW_MQTT_PACKET,   /* a whole packet other than PUBLISH */
    TW_MQTT_BEGIN,    /* the headers of a PUBLISH; its payload follows */
    TW_MQTT_PAYLOAD,  /* a piece of the payload */
    TW_MQTT_MALFORMED /* the stream cannot be followed any further */
};

struct tw_mqtt_item {
    enum tw_mqtt_item_kind kind;
    uint8_t type;
    uint8_t qos;            /* BEGIN */
    bool dup, retain;       /* BEGIN */
    uint16_t id;            /* BEGIN with qos > 0, and every acknowledgement */
    uint8_t flags, code;    /* CONNACK: session present, return code; SUBACK: first return code */
    const uint8_t *payload; /* PAYLOAD */
    size_t size, offset;    /* PAYLOAD */
    bool last;              /* PAYLOAD: the message is complete */
};

struct tw_mqtt_parser {
    uint8_t state, type_and_flags, length_bytes, have, body[4];
    uint16_t topic_left;
    struct tw_utf8 topic;
    uint32_t left;   /* bytes of the packet still to come */
    uint32_t offset; /* payload bytes handed on */
};

void tw_mqtt_parser_reset(struct tw_mqtt_parser *parser);
/* True inside the headers of a packet, before BEGIN or PACKET. */
bool tw_mqtt_parser_in_headers(const struct tw_mqtt_parser *parser);
/* Reads up to one item from `data`; returns the bytes used. Call again until kind is MORE; after
 * BEGIN, call even when no input is left (an empty payload is a PAYLOAD item of size 0). */
size_t tw_mqtt_parse(struct tw_mqtt_parser *parser, const uint8_t *data, size_t size,
                     struct tw_mqtt_item *item);

#endif
