/*
 * MQTT-SN messages: reading and writing (MQTT-SN specification 1.2, section 5).
 */
#ifndef TW_MQTTSN_PACKET_H
#define TW_MQTTSN_PACKET_H

#include "core/util/bytes.h"

/* Section 5.2.2, table 3. */
enum tw_mqttsn_type {
    TW_MQTTSN_ADVERTISE = 0x00,
    TW_MQTTSN_SEARCHGW = 0x01,
    TW_MQTTSN_GWINFO = 0x02,
    TW_MQTTSN_CONNECT = 0x04,
    TW_MQTTSN_CONNACK = 0x05,
    TW_MQTTSN_WILLTOPICREQ = 0x06,
    TW_MQTTSN_WILLTOPIC = 0x07,
    TW_MQTTSN_WILLMSGREQ = 0x08,
    TW_MQTTSN_WILLMSG = 0x09,
    TW_MQTTSN_REGISTER = 0x0A,
    TW_MQTTSN_REGACK = 0x0B,
    TW_MQTTSN_PUBLISH = 0x0C,
    TW_MQTTSN_PUBACK = 0x0D,
    TW_MQTTSN_PUBCOMP = 0x0E,
    TW_MQTTSN_PUBREC = 0x0F,
    TW_MQTTSN_PUBREL = 0x10,
    TW_MQTTSN_SUBSCRIBE = 0x12,
    TW_MQTTSN_SUBACK = 0x13,
    TW_MQTTSN_PINGREQ = 0x16,
    TW_MQTTSN_PINGRESP = 0x17,
    TW_MQTTSN_DISCONNECT = 0x18
};

/* Section 5.3.4. */
#define TW_MQTTSN_DUP 0x80
#define TW_MQTTSN_QOS(qos) (((unsigned)(qos) & 3u) << 5) /* -1 is 0b11 */
#define TW_MQTTSN_QOS_OF(flags) ((flags) >> 5 & 3)
#define TW_MQTTSN_WILL 0x08
#define TW_MQTTSN_CLEAN 0x04
#define TW_MQTTSN_TOPIC_TYPE(flags) ((flags) & 3)

/* Section 5.3.10. */
enum tw_mqttsn_code {
    TW_MQTTSN_ACCEPTED,
    TW_MQTTSN_CONGESTION,
    TW_MQTTSN_INVALID_TOPIC,
    TW_MQTTSN_NOT_SUPPORTED
};

struct tw_mqttsn_packet {
    uint8_t type, flags, code;
    uint16_t topic_id, message_id;
    const uint8_t *data; /* the variable part: payload, gateway address */
    size_t size;
};

/* Reads a datagram from a gateway. False: truncated, of a wrong length, or of a type that a client
 * never receives. */
bool tw_mqttsn_parse(struct tw_mqttsn_packet *packet, const uint8_t *data, size_t size);

/* Starts a message whose body has `body_size` bytes: the length in one byte, or in three from 256
 * on (section 5.2.1), and the type. */
struct tw_writer tw_mqttsn_begin(uint8_t *data, size_t size, enum tw_mqttsn_type type,
                                 size_t body_size);

#endif
