/*
 * The properties of MQTT 5 control packets (OASIS MQTT 5.0, section 2.2.2), as a client receives
 * them: an incremental reader that takes properties of any length and keeps the values that the
 * engine uses. Texts and binary data are checked and passed over.
 */
#ifndef TW_MQTT5_PROPERTIES_H
#define TW_MQTT5_PROPERTIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/util/utf8.h"

/* Table 2-4. */
enum tw_mqtt5_property {
    TW_MQTT5_PAYLOAD_FORMAT = 0x01,
    TW_MQTT5_MESSAGE_EXPIRY = 0x02,
    TW_MQTT5_CONTENT_TYPE = 0x03,
    TW_MQTT5_RESPONSE_TOPIC = 0x08,
    TW_MQTT5_CORRELATION_DATA = 0x09,
    TW_MQTT5_SUBSCRIPTION_ID = 0x0B,
    TW_MQTT5_SESSION_EXPIRY = 0x11,
    TW_MQTT5_ASSIGNED_ID = 0x12,
    TW_MQTT5_SERVER_KEEP_ALIVE = 0x13,
    TW_MQTT5_AUTH_METHOD = 0x15,
    TW_MQTT5_AUTH_DATA = 0x16,
    TW_MQTT5_REQUEST_PROBLEM = 0x17,
    TW_MQTT5_WILL_DELAY = 0x18,
    TW_MQTT5_REQUEST_RESPONSE = 0x19,
    TW_MQTT5_RESPONSE_INFORMATION = 0x1A,
    TW_MQTT5_SERVER_REFERENCE = 0x1C,
    TW_MQTT5_REASON_STRING = 0x1F,
    TW_MQTT5_RECEIVE_MAXIMUM = 0x21,
    TW_MQTT5_ALIAS_MAXIMUM = 0x22,
    TW_MQTT5_TOPIC_ALIAS = 0x23,
    TW_MQTT5_MAXIMUM_QOS = 0x24,
    TW_MQTT5_RETAIN_AVAILABLE = 0x25,
    TW_MQTT5_USER_PROPERTY = 0x26,
    TW_MQTT5_MAXIMUM_PACKET = 0x27,
    TW_MQTT5_WILDCARD_AVAILABLE = 0x28,
    TW_MQTT5_IDENTIFIERS_AVAILABLE = 0x29,
    TW_MQTT5_SHARED_AVAILABLE = 0x2A
};

/* The type of the packet that MQTT 5 adds to table 2.1 of MQTT 3.1.1 (enum tw_mqtt_type). */
#define TW_MQTT5_AUTH 15u

/* Reason codes with which a client ends a connection (section 3.14.2.1). */
#define TW_MQTT5_MALFORMED 0x81
#define TW_MQTT5_PROTOCOL_ERROR 0x82

/* What is kept of a response topic or an assigned client identifier, and of correlation data. */
#define TW_MQTT5_TEXT_BYTES 72u
#define TW_MQTT5_CORRELATION_BYTES 16u

struct tw_mqtt5_properties {
    uint64_t seen; /* a bit for each identifier */
    uint32_t session_expiry_s, packet_max;
    uint16_t receive_max, alias_max, alias, keepalive_s;
    uint8_t qos_max;
    /* The lengths are the sender's; the first so many bytes are kept. */
    uint16_t text_bytes, correlation_bytes;
    char text[TW_MQTT5_TEXT_BYTES];
    uint8_t correlation[TW_MQTT5_CORRELATION_BYTES];
    /* The reader's own. */
    uint8_t state, id, have;
    bool pair; /* the name of a user property is being read, its value follows */
    uint16_t left, at;
    uint32_t value;
    struct tw_utf8 utf8;
};

void tw_mqtt5_properties_begin(struct tw_mqtt5_properties *properties);
/* Takes the next byte of the properties of a packet of type `packet` (enum tw_mqtt_type). Returns
 * 0, or the reason code with which the connection ends. */
uint8_t tw_mqtt5_properties_take(struct tw_mqtt5_properties *properties, uint8_t packet,
                                 uint8_t byte);
/* True between two properties, where they may end. */
bool tw_mqtt5_properties_may_end(const struct tw_mqtt5_properties *properties);
bool tw_mqtt5_has(const struct tw_mqtt5_properties *properties, enum tw_mqtt5_property id);

/* Takes the next byte of a UTF-8 string (section 1.5.4) or, with `topic`, of a topic name (4.7).
 * Returns 0 or a reason code. */
uint8_t tw_mqtt5_text_take(struct tw_utf8 *text, uint8_t byte, bool topic);

#endif
