#include "registry.h"

#include <string.h>

static const struct tw_engine *const engines[] = {
#ifndef TW_WITHOUT_AMQP
    &tw_amqp_engine,
#endif
#ifndef TW_WITHOUT_COAP
    &tw_coap_engine,
#endif
#ifndef TW_WITHOUT_HTTP
    &tw_http_engine,
#endif
#ifndef TW_WITHOUT_MQTT
    &tw_mqtt_engine,
#endif
#ifndef TW_WITHOUT_MQTTSN
    &tw_mqttsn_engine,
#endif
#ifndef TW_WITHOUT_TCP
    &tw_raw_tcp_engine,
#endif
#ifndef TW_WITHOUT_UDP
    &tw_raw_udp_engine,
#endif
#ifndef TW_WITHOUT_WEBSOCKET
    &tw_websocket_engine,
#endif
    NULL,
};

const struct tw_engine *tw_engine_find(const char *name) {
    for (size_t i = 0; engines[i]; i++)
        if (!strcmp(engines[i]->name, name))
            return engines[i];
    return NULL;
}
