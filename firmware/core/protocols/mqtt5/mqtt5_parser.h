/*
 * Incremental reader of MQTT 5 control packets as a client receives them. It takes a stream in
 * pieces of any size and keeps only what headers and properties need; payload bytes are handed on
 * in place, so a PUBLISH may be of any length.
 */
#ifndef TW_MQTT5_PARSER_H
#define TW_MQTT5_PARSER_H

#include "core/protocols/mqtt/mqtt_parser.h"
#include "mqtt5_properties.h"

#define TW_MQTT5_PACKET_TOO_LARGE 0x95

struct tw_mqtt5_item {
    enum tw_mqtt_item_kind kind; /* of mqtt_parser.h */
    uint8_t type;                /* enum tw_mqtt_type, or TW_MQTT5_AUTH */
    uint8_t qos;                 /* BEGIN */
    bool named;                  /* BEGIN: it has a topic of its own, and not an alias alone */
    uint16_t id;                 /* BEGIN with qos > 0, and every acknowledgement */
    uint8_t flags;               /* CONNACK: session present */
    uint8_t code;                /* PACKET: its reason code; MALFORMED: the one to answer with */
    const uint8_t *payload;      /* PAYLOAD */
    size_t size, offset;         /* PAYLOAD */
    bool last;                   /* PAYLOAD: the message is complete */
};

struct tw_mqtt5_parser {
    uint8_t state, type_and_flags, length_bytes, have, want, body[3], wrong;
    bool named;
    uint16_t topic_left;
    struct tw_utf8 topic;
    uint32_t packet_max;                   /* the largest packet that the client takes; 0: any */
    uint32_t left;                         /* bytes of the packet still to come */
    uint32_t property_left;                /* of these, bytes of its properties */
    uint32_t offset;                       /* payload bytes handed on */
    struct tw_mqtt5_properties properties; /* of the last BEGIN or PACKET */
};

void tw_mqtt5_parser_reset(struct tw_mqtt5_parser *parser, uint32_t packet_max);
/* Reads up to one item from `data`; returns the bytes used. Call again until kind is MORE; after
 * BEGIN, call even when no input is left (an empty payload is a PAYLOAD item of size 0). */
size_t tw_mqtt5_parse(struct tw_mqtt5_parser *parser, const uint8_t *data, size_t size,
                      struct tw_mqtt5_item *item);

#endif
