// Publishes 50 messages over MQTT 3.1.1, ten a second, and connects again when the connection is
// lost. The packets are written by hand, so that this needs no library; docs/try-arduino.md says how
// to add one.
#include <ESP8266WiFi.h>
#include <thinwire/device.h>

const uint32_t kMessages = 50, kIntervalMs = 100;

WiFiClient client;
uint32_t sent, next_ms;

uint8_t *put(uint8_t *at, const char *text) {
    const size_t size = strlen(text);
    *at++ = static_cast<uint8_t>(size >> 8);
    *at++ = static_cast<uint8_t>(size);
    memcpy(at, text, size);
    return at + size;
}

// One packet, which is shorter than 128 bytes: type and flags, the length, the rest.
void send(uint8_t first, const uint8_t *rest, const uint8_t *end) {
    uint8_t packet[128] = {first, static_cast<uint8_t>(end - rest)};
    memcpy(packet + 2, rest, static_cast<size_t>(end - rest));
    client.write(packet, 2 + static_cast<size_t>(end - rest));
}

// CONNECT with a clean session and 60 s of keep-alive, and CONNACK (MQTT 3.1.1, 3.1 and 3.2).
bool connect_to_broker() {
    const auto *trial = device_trial();
    if (!client.connect(trial->server, trial->port))
        return false;
    uint8_t rest[64], *at = put(rest, "MQTT");
    *at++ = 4;
    *at++ = 2;
    *at++ = 0;
    *at++ = 60;
    send(0x10, rest, put(at, trial->id));
    uint8_t answer[4];
    return client.readBytes(answer, sizeof answer) == sizeof answer && answer[3] == 0;
}

void publish(const String &text) {
    uint8_t rest[128], *at = put(rest, device_trial()->topic);
    memcpy(at, text.c_str(), text.length());
    send(0x30, rest, at + text.length());
}

void setup() {
    Serial.begin(115200);
    WiFi.begin("laboratory", "");
    while (WiFi.status() != WL_CONNECTED)
        delay(500);
    Serial.println(WiFi.localIP());
}

void loop() {
    if (!client.connected() && !connect_to_broker()) {
        Serial.println("no connection");
        delay(1000);
        return;
    }
    if (static_cast<int32_t>(millis() - next_ms) < 0)
        return;
    next_ms = millis() + kIntervalMs;
    publish(String("{\"reading\":") + ++sent + ",\"celsius\":21.5}");
    if (sent < kMessages)
        return;
    client.stop();
    Serial.printf("%u sent\n", static_cast<unsigned>(sent));
    exit(0);
}
