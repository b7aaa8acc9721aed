// ArduinoMqtt (O. Kovalenko), the MQTT library of UFES 2018: it is synchronous, and publishing with
// QoS 1 or 2 waits for the acknowledgement.
#include "libraries/arduino.hpp"

#include <ESP8266WiFi.h>

// Warnings are errors in our own files, but not in the library's headers.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <MqttClient.h>
#pragma GCC diagnostic pop

namespace {

constexpr int kPacket = TW_SEGMENT_MAX + 96; // with header and topic

class Clock : public MqttClient::System {
public:
    unsigned long millis() const override { return ::millis(); }
    void yield() override { ::yield(); }
};

class Silence : public MqttClient::Logger {
public:
    void println(const char *) override {}
};

Clock board_clock;
Silence silence;
WiFiClient transport;
MqttClient::NetworkClientImpl<WiFiClient> network(transport, board_clock);
MqttClient::ArrayBuffer<kPacket> out, in;
MqttClient::MessageHandlersImpl<1> handlers;
const MqttClient::Options options;
MqttClient client(options, silence, board_clock, network, out, in, handlers);
arduino::Topics topics;

void on_message(MqttClient::MessageData &heard) {
    tw_library_received(static_cast<const uint8_t *>(heard.message.payload),
                        static_cast<size_t>(heard.message.payloadLen));
}

// From release 1.6 on a handler belongs to a topic, and subscribing does not name it.
template <typename Library>
auto subscribe(Library &library, const char *topic, int)
    -> decltype(library.subscribe(topic, MqttClient::QOS0, on_message)) {
    return library.subscribe(topic, MqttClient::QOS0, on_message);
}

template <typename Library> auto subscribe(Library &library, const char *topic, long) {
    handlers.set(topic, on_message);
    return library.subscribe(topic, MqttClient::QOS0);
}

const char *refuses(const tw_config *) {
    return nullptr;
}

bool confirms(const tw_config *config) {
    return config->qos > 0;
}

bool connect(const tw_config *config) {
    topics = arduino::topics(config);
    if (!transport.connect(arduino::peer(config), config->port))
        return false;
    transport.setNoDelay(!config->nagle);
    MQTTPacket_connectData session = MQTTPacket_connectData_initializer;
    session.MQTTVersion = 4; // 3.1.1
    session.clientID.cstring = const_cast<char *>(config->id);
    session.keepAliveInterval = config->keepalive_s;
    MqttClient::ConnectResult result;
    if (client.connect(session, result) != MqttClient::Error::SUCCESS)
        return false;
    return !topics.subscribe[0] ||
           subscribe(client, topics.subscribe, 0) == MqttClient::Error::SUCCESS;
}

bool connected() {
    return client.isConnected() && transport.connected();
}

bool available() {
    return transport.available() > 0;
}

// The library waits 10 ms for a first byte, so it is called only when one has arrived or its
// keep-alive is due.
void poll() {
    if (available() || !client.getIdleInterval())
        client.yield(0);
}

tw_library_publish publish(const tw_config *config, const uint8_t *data, size_t size, uint16_t) {
    MqttClient::Message message = {};
    message.qos = static_cast<MqttClient::QoS>(config->qos);
    message.payload = const_cast<uint8_t *>(data);
    message.payloadLen = static_cast<int>(size);
    if (client.publish(topics.publish, message) == MqttClient::Error::SUCCESS)
        return config->qos ? TW_LIBRARY_ACKED : TW_LIBRARY_SENT;
    return config->qos ? TW_LIBRARY_UNHEARD : TW_LIBRARY_REFUSED;
}

void disconnect() {
    if (client.isConnected())
        client.disconnect();
    transport.stop();
}

} // namespace

const struct tw_library_adapter tw_adapter = {
    "ArduinoMqtt " TW_TEXT(TW_RELEASE),
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
