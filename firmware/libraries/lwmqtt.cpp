// arduino-mqtt (J. Gähwiler), an Arduino client around lwmqtt: it is synchronous, and publishing
// with QoS 1 or 2 waits for the acknowledgement, up to a second.
#include "libraries/arduino.hpp"

#include <ESP8266WiFi.h>
#include <MQTTClient.h>

namespace {

constexpr int kPacket = TW_SEGMENT_MAX + 96; // with header and topic
constexpr int kTimeoutMs = 1000;             // the library's default

WiFiClient transport;
MQTTClient client(kPacket);
arduino::Topics topics;
String peer; // the library keeps a pointer to the text

void on_message(MQTTClient *, char *, char *data, int size) {
    tw_library_received(reinterpret_cast<const uint8_t *>(data), static_cast<size_t>(size));
}

const char *refuses(const tw_config *) {
    return nullptr;
}

bool confirms(const tw_config *config) {
    return config->qos > 0;
}

bool connect(const tw_config *config) {
    topics = arduino::topics(config);
    peer = arduino::peer(config).toString();
    client.begin(peer.c_str(), config->port, transport);
    client.setOptions(config->keepalive_s, true, kTimeoutMs);
    client.onMessageAdvanced(on_message);
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

tw_library_publish publish(const tw_config *config, const uint8_t *data, size_t size, uint16_t) {
    if (client.publish(topics.publish, reinterpret_cast<const char *>(data), static_cast<int>(size),
                       false, config->qos))
        return config->qos ? TW_LIBRARY_ACKED : TW_LIBRARY_SENT;
    return config->qos ? TW_LIBRARY_UNHEARD : TW_LIBRARY_REFUSED;
}

void disconnect() {
    if (client.connected())
        client.disconnect();
    transport.stop();
}

} // namespace

const struct tw_library_adapter tw_adapter = {
    "arduino-mqtt " TW_TEXT(TW_RELEASE),
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
