/*
 * The protocols of this firmware: one line each of the protocol's name and of its engine's. A build
 * with some of them only, or with other engines, names in TW_ENGINES_HEADER a header that defines
 * TW_ENGINES.
 */
#ifndef TW_REGISTRY_H
#define TW_REGISTRY_H

#include "core/engine.h"
#include "core/protocols/amqp/amqp.h"
#include "core/protocols/coap/coap.h"
#include "core/protocols/http/http.h"
#include "core/protocols/mqtt/mqtt.h"
#include "core/protocols/mqtt5/mqtt5.h"
#include "core/protocols/mqttsn/mqttsn.h"
#include "core/protocols/oscore/oscore.h"
#include "core/protocols/raw/raw_tcp.h"
#include "core/protocols/raw/raw_udp.h"
#include "core/protocols/websocket/websocket.h"

#ifdef TW_ENGINES_HEADER
#include TW_ENGINES_HEADER
#else
#define TW_ENGINES(E)                                                                              \
    TW_ENGINES_MQTT5(E)                                                                            \
    TW_ENGINES_OSCORE(E)                                                                           \
    E(amqp, amqp)                                                                                  \
    E(coap, coap)                                                                                  \
    E(http, http)                                                                                  \
    E(mqtt, mqtt)                                                                                  \
    E(mqttsn, mqttsn)                                                                              \
    E(tcp, raw_tcp)                                                                                \
    E(udp, raw_udp)                                                                                \
    E(websocket, websocket)
#endif

/* In builds with MQTT 5. */
#ifdef TW_MQTT5
#define TW_ENGINES_MQTT5(E) E(mqtt5, mqtt5)
#else
#define TW_ENGINES_MQTT5(E)
#endif

/* In builds with OSCORE. */
#ifdef TW_OSCORE
#define TW_ENGINES_OSCORE(E) E(oscore, oscore)
#else
#define TW_ENGINES_OSCORE(E)
#endif

#define TW_ENGINE_STATE(protocol, engine) struct tw_##engine engine;

/* One run uses one protocol, so all engines share the memory of the largest. */
union tw_engine_state {
    TW_ENGINES(TW_ENGINE_STATE)
    tw_time alignment;
};

/* The engine of the protocol called `name`, or NULL. */
const struct tw_engine *tw_engine_find(const char *name);

#endif
