/*
 * The protocols of this firmware. A build may leave some out: -DTW_WITHOUT_AMQP and so on.
 */
#ifndef TW_REGISTRY_H
#define TW_REGISTRY_H

#include "engine.h"

#ifndef TW_WITHOUT_AMQP
#include "amqp.h"
#endif
#ifndef TW_WITHOUT_COAP
#include "coap.h"
#endif
#ifndef TW_WITHOUT_HTTP
#include "http.h"
#endif
#ifndef TW_WITHOUT_MQTT
#include "mqtt.h"
#endif
#ifndef TW_WITHOUT_MQTTSN
#include "mqttsn.h"
#endif
#ifndef TW_WITHOUT_TCP
#include "raw_tcp.h"
#endif
#ifndef TW_WITHOUT_UDP
#include "raw_udp.h"
#endif
#ifndef TW_WITHOUT_WEBSOCKET
#include "websocket.h"
#endif

/* One run uses one protocol, so all engines share the memory of the largest. */
union tw_engine_state {
#ifndef TW_WITHOUT_AMQP
    struct tw_amqp amqp;
#endif
#ifndef TW_WITHOUT_COAP
    struct tw_coap coap;
#endif
#ifndef TW_WITHOUT_HTTP
    struct tw_http http;
#endif
#ifndef TW_WITHOUT_MQTT
    struct tw_mqtt mqtt;
#endif
#ifndef TW_WITHOUT_MQTTSN
    struct tw_mqttsn mqttsn;
#endif
#ifndef TW_WITHOUT_TCP
    struct tw_raw_tcp raw_tcp;
#endif
#ifndef TW_WITHOUT_UDP
    struct tw_raw_udp raw_udp;
#endif
#ifndef TW_WITHOUT_WEBSOCKET
    struct tw_websocket websocket;
#endif
    tw_time alignment;
};

/* The engine called `name`, or NULL. */
const struct tw_engine *tw_engine_find(const char *name);

#endif
