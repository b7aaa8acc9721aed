// PubSubClient (N. O'Leary), the MQTT library of UFRN 2018: publishes with QoS 0 only. Its
// keep-alive and its longest packet are constants of the build (platformio.ini).
#include "libraries/arduino.hpp"

#include <ESP8266WiFi.h>
#include <PubSubClient.h>

namespace {

WiFiClient transport;
PubSubClient client(transport);
arduino::Topics topics;

void on_message(char *, uint8_t *data, unsigned size) {
    tw_library_received(data, size);
}

const char *refuses(const tw_config *config) {
    return config->qos ? "qos" : config->keepalive_s != MQTT_KEEPALIVE ? "keepalive_s" : nullptr;
}

bool confirms(const tw_config *) {
    return false;
}

bool connect(const tw_config *config) {
    topics = arduino::topics(config);
    client.setServer(arduino::peer(config), config->port);
    client.setCallback(on_message);
    if (!client.connect(config->id))
        return false;
    transport.setNoDelay(!config->nagle);
    return !topics.subscribe[0] || client.subscribe(topics.subscribe);
}

bool connected() {
    return client.connected();
}

bool available() {
    return transport.available() > 0;
}

void poll() {
    client.loop();
}

tw_library_publish publish(const tw_config *, const uint8_t *data, size_t size, uint16_t) {
    return client.publish(topics.publish, data, size) ? TW_LIBRARY_SENT : TW_LIBRARY_REFUSED;
}

void disconnect() {
    if (client.connected())
        client.disconnect();
    transport.stop();
}

} // namespace

const struct tw_library_adapter tw_adapter = {
    "PubSubClient " TW_TEXT(TW_RELEASE),
    TW_SEGMENT_MAX,
    true,
    refuses,
    confirms,
    connect,
    connected,
    available,
    poll,
    publish,
    disconnect,
    arduino::now_us,
    false,
    arduino::waits,
};
