/*
 * The MQTT 5 control packets that a client sends (OASIS MQTT 5.0), written in place.
 */
#ifndef TW_MQTT5_PACKETS_H
#define TW_MQTT5_PACKETS_H

#include "core/config.h"
#include "core/util/bytes.h"
#include "mqtt5_properties.h"

/* Topic aliases that a server may use towards this client (topic_alias=1). */
#define TW_MQTT5_ALIASES 16u

/* The largest head of a PUBLISH without its topic: fixed header, lengths, identifier, and the
 * properties that this client sends but for the texts in them. */
#define TW_MQTT5_HEAD_BYTES 40u

/* A topic name or filter: the configured one and what stands behind it, or a response topic. */
struct tw_mqtt5_topic {
    const char *text, *suffix;
    uint16_t text_bytes, suffix_bytes;
};

struct tw_mqtt5_topic tw_mqtt5_topic(const char *text, const char *suffix);

/* The head of a PUBLISH; its payload follows. */
struct tw_mqtt5_publish {
    uint8_t qos;
    bool dup;
    uint16_t id;                  /* qos > 0 */
    struct tw_mqtt5_topic topic;  /* empty: the alias alone names it */
    uint16_t alias;               /* 0: none */
    uint32_t expiry_s;            /* 0: none */
    struct tw_mqtt5_topic answer; /* response topic; empty: none */
    const uint8_t *correlation;
    uint16_t correlation_bytes; /* 0: none */
    uint32_t payload_bytes;
};

/* CONNECT (section 3.1) for `config`, with the client identifier `id`. */
void tw_mqtt5_put_connect(struct tw_writer *w, const struct tw_config *config, const char *id);
void tw_mqtt5_put_subscribe(struct tw_writer *w, uint16_t id, const struct tw_mqtt5_topic *filter,
                            uint8_t qos);
/* Bytes of the whole packet. */
uint32_t tw_mqtt5_publish_bytes(const struct tw_mqtt5_publish *publish);
void tw_mqtt5_put_publish(struct tw_writer *w, const struct tw_mqtt5_publish *publish);
/* PUBACK, PUBREC, PUBREL, PUBCOMP; reason code 0 is left out (section 3.4.2.1). */
void tw_mqtt5_put_ack(struct tw_writer *w, uint8_t type, uint16_t id, uint8_t code);
/* DISCONNECT; so is its code 0, normal disconnection (section 3.14.2.1). */
void tw_mqtt5_put_disconnect(struct tw_writer *w, uint8_t code);
/* The same with a session expiry interval of 0, which ends the session (section 3.14.2.2.2). */
void tw_mqtt5_put_disconnect_for_good(struct tw_writer *w);

#endif
