// arduinoWebSockets (M. Sattler) before release 2.1.1, which UFRN 2018 had: it has no heartbeat,
// and does not report pongs, so that nothing confirms a message. Later releases: websockets.cpp.
#include "libraries/arduino.hpp"

#include <WebSocketsClient.h>

namespace {

constexpr uint32_t kConnectMs = 5000;

bool open; // by the library's events

// The library's transport is open to those that inherit from it only.
class Client : public WebSocketsClient {
public:
    bool up() { return clientIsConnected(&_client) && open; }
    bool available() { return _client.tcp && _client.tcp->available() > 0; }
    void set_nagle(bool nagle) { _client.tcp->setNoDelay(!nagle); }
};

Client client;

void on_event(WStype_t type, uint8_t *data, size_t size) {
    if (type == WStype_TEXT || type == WStype_BIN)
        tw_library_received(data, size);
    else if (type == WStype_CONNECTED || type == WStype_DISCONNECTED)
        open = type == WStype_CONNECTED;
}

const char *refuses(const tw_config *config) {
    return config->confirmable ? "confirmable" : nullptr;
}

bool confirms(const tw_config *) {
    return false;
}

bool connect(const tw_config *config) {
    const String path = String("/") + config->topic;
    client.onEvent(on_event);
    client.begin(arduino::peer(config).toString(), config->port, path, "");
    const uint32_t begun = millis();
    client.loop(); // connects, or has failed for half a second
    while (client.available() || millis() - begun < kConnectMs) {
        client.loop();
        if (client.up()) {
            client.set_nagle(config->nagle);
            return true;
        }
        yield();
    }
    return false;
}

bool connected() {
    return client.up();
}

bool available() {
    return client.available();
}

void poll() {
    client.loop();
}

tw_library_publish publish(const tw_config *, const uint8_t *data, size_t size, uint16_t) {
    return client.sendTXT(data, size) ? TW_LIBRARY_SENT : TW_LIBRARY_REFUSED;
}

void disconnect() {
    client.disconnect();
}

} // namespace

const struct tw_library_adapter tw_adapter = {
    "arduinoWebSockets " TW_TEXT(TW_RELEASE),
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
