// arduinoWebSockets (M. Sattler), the WebSocket library of UFRN 2018. With confirmable=1 a ping
// with the message's tag follows each message, and its pong confirms it.
#include "libraries/arduino.hpp"

#include <WebSocketsClient.h>

namespace {

constexpr uint32_t kConnectMs = 5000;

// The library's transport is protected, so only a subclass can reach it.
class Client : public WebSocketsClient {
public:
    bool up() { return clientIsConnected(&_client) && isConnected(); }
    bool available() { return _client.tcp && _client.tcp->available() > 0; }
    void set_nagle(bool nagle) { _client.tcp->setNoDelay(!nagle); }
};

Client client;

void on_event(WStype_t type, uint8_t *data, size_t size) {
    if (type == WStype_TEXT || type == WStype_BIN)
        tw_library_received(data, size);
    else if (type == WStype_PONG && size == 2)
        tw_library_acked(static_cast<uint16_t>(data[0] << 8 | data[1]));
}

const char *refuses(const tw_config *) {
    return nullptr;
}

bool confirms(const tw_config *config) {
    return config->confirmable;
}

bool connect(const tw_config *config) {
    const String path = String("/") + config->topic;
    client.onEvent(on_event);
    client.begin(arduino::peer(config), config->port, path.c_str(), "");
    if (config->keepalive_s)
        client.enableHeartbeat(config->keepalive_s * 1000u, config->keepalive_s * 1000u, 1);
    const uint32_t begun = millis();
    client.loop(); // connects, or gives up after half a second
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

tw_library_publish publish(const tw_config *config, const uint8_t *data, size_t size,
                           uint16_t tag) {
    uint8_t mark[] = {static_cast<uint8_t>(tag >> 8), static_cast<uint8_t>(tag)};
    if (!client.sendTXT(data, size) || (config->confirmable && !client.sendPing(mark, sizeof mark)))
        return TW_LIBRARY_REFUSED;
    return TW_LIBRARY_SENT;
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
