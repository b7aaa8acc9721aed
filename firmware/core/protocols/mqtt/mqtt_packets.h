/*
 * The packets with which an MQTT 3.1.1 client begins a connection.
 */
#ifndef TW_MQTT_PACKETS_H
#define TW_MQTT_PACKETS_H

#include "core/config.h"
#include "core/util/bytes.h"

/* CONNECT (section 3.1) for `config`. */
void tw_mqtt_put_connect(struct tw_writer *w, const struct tw_config *config, bool clean);
/* SUBSCRIBE (section 3.8) to one filter: `topic` with `suffix` behind it. */
void tw_mqtt_put_subscribe(struct tw_writer *w, uint16_t id, const char *topic, const char *suffix,
                           uint8_t qos);
/* A remaining length (section 2.2.3). */
void tw_mqtt_put_length(struct tw_writer *w, uint32_t length);

#endif
