/*
 * lwIP's own MQTT client (lwip/apps/mqtt.h), with all three levels of QoS. Its buffer for output is
 * a constant of the build. It ends a session by closing TCP, without a DISCONNECT.
 */
#include <stdio.h>

#include "clock.h"
#include "libraries/adapter.h"
#include "lwip/apps/mqtt.h"
#include "lwip/apps/mqtt_priv.h" /* its connection, for Nagle's algorithm */

static mqtt_client_t *client;
static bool up, called_back;

static void on_connection(mqtt_client_t *own, void *arg, mqtt_connection_status_t status) {
    (void)own, (void)arg;
    up = status == MQTT_CONNECT_ACCEPTED;
    called_back = true;
}

/* A message with QoS 0 has been sent, another one acknowledged; or its time is over. */
static void on_request(void *arg, err_t error) {
    uint16_t tag = (uint16_t)(uintptr_t)arg;
    called_back = true;
    if (error == ERR_OK)
        tw_library_acked(tag);
    else
        tw_library_lost(tag);
}

static const char *refuses(const struct tw_config *config) {
    (void)config;
    return NULL;
}

static bool confirms(const struct tw_config *config) {
    return config->qos > 0;
}

static void disconnect(void) {
    up = false;
    if (client)
        mqtt_disconnect(client);
}

static bool connect(const struct tw_config *config) {
    struct mqtt_connect_client_info_t session = {.client_id = config->id,
                                                 .keep_alive = config->keepalive_s};
    ip_addr_t peer;
    ip_addr_set_ip4_u32_val(peer, lwip_htonl(config->peer));
    disconnect();
    called_back = false;
    if (!client && !(client = mqtt_client_new()))
        return false;
    if (mqtt_client_connect(client, &peer, config->port, on_connection, NULL, &session) != ERR_OK)
        return false;
    if (!config->nagle)
        altcp_nagle_disable(client->conn);
    return true;
}

static bool connected(void) {
    return up;
}

static bool available(void) {
    return called_back;
}

static void poll(void) {
    called_back = false;
}

static enum tw_library_publish publish(const struct tw_config *config, const uint8_t *data,
                                       size_t size, uint16_t tag) {
    err_t error = mqtt_publish(client, config->topic, data, (u16_t)size, (u8_t)config->qos, 0,
                               on_request, (void *)(uintptr_t)tag);
    return error == ERR_OK    ? TW_LIBRARY_SENT
           : error == ERR_MEM ? TW_LIBRARY_FULL
                              : TW_LIBRARY_REFUSED;
}

const struct tw_library_adapter tw_adapter = {
    .name = "lwIP MQTT " TW_TEXT(TW_RELEASE),
    .payload_bytes = TW_SEGMENT_MAX,
    .receives = false, /* it can; but no message leaves its callback here */
    .refuses = refuses,
    .confirms = confirms,
    .connect = connect,
    .connected = connected,
    .available = available,
    .poll = poll,
    .publish = publish,
    .disconnect = disconnect,
    .now_us = clock_us,
    .calls_back = true,
};
