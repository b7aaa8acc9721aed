// A sketch that uses the API, for test_arduino.py. The trial's topic names what it does; it prints an
// expression and its value a line.
#include <ESP8266WiFi.h>
#include <Hash.h>
#include <libb64/cencode.h>
#include <thinwire/device.h>

#include <functional>
#include <memory>
#include <vector>

#define SHOW(expression)                                                                           \
    do {                                                                                           \
        Serial.print(#expression " = ");                                                           \
        Serial.println(expression);                                                                \
    } while (0)

const char kFlash[] PROGMEM = "flash";

struct Counter {
    static int made;
    Counter() { made++; }
};
int Counter::made;
Counter constructed; // before setup()

void strings() {
    SHOW(Counter::made);
    String text("a text of more than ten characters");
    SHOW(text.length());
    SHOW(text.indexOf("text"));
    SHOW(text.lastIndexOf('e'));
    SHOW(text.lastIndexOf("te", 5));
    SHOW(text.substring(2, 6));
    SHOW(text.startsWith("text", 2));
    SHOW(text.endsWith("characters"));
    text.replace("characters", "X");
    SHOW(text);
    text.remove(0, 2);
    SHOW(text);
    text.toUpperCase();
    SHOW(text);
    text = String("  both ends \t");
    text.trim();
    SHOW(text);
    text += text;
    SHOW(text);
    SHOW(String(255, HEX));
    SHOW(String(-12) + 'c' + 3 + "s" + 2.5);
    SHOW(String(0.125));
    SHOW(String(-1.005f, 3));
    SHOW(String("12ab").toInt());
    SHOW(String("2.5e1").toFloat());
    SHOW(String("aBc").equalsIgnoreCase("AbC"));
    SHOW(String(F("flash")) == FPSTR(kFlash));
    SHOW(strlen_P(kFlash));
    SHOW(strcmp_P("flash", kFlash));
    SHOW(text[100] == 0);
    Serial.printf("%05d %s %x\n", 42, "word", 255);
    Serial.println(1234567890123LL);
    Serial.println(-7, BIN);
    Serial.println(3.14159, 4);
    SHOW(IPAddress(10, 77, 0, 1));
    IPAddress address;
    SHOW(address.fromString("192.168.300.1"));
    SHOW(address.fromString("192.168.3.1"));
    SHOW(address[3]);
    SHOW(address == IPAddress(192, 168, 3, 1));
    SHOW(INADDR_NONE);
    SHOW(sha1("abc"));
    char encoded[16];
    base64_encode_chars("lx106", 5, encoded);
    SHOW(encoded);
    SHOW(map(5, 0, 10, 0, 100));
    const long drawn = random(10, 20);
    SHOW(drawn >= 10 && drawn < 20);
    SHOW(constrain(12, 0, 10));
    std::vector<int> numbers;
    for (int i = 0; i < 5; i++)
        numbers.push_back(i * i);
    const std::function<int(int)> add = [&](int more) { return numbers.back() + more; };
    SHOW(add(4));
    SHOW(*std::make_unique<String>("owned"));
    SHOW(WiFi.localIP());
    SHOW(WiFi.macAddress());
}

void times() {
    uint32_t before = micros();
    delay(20);
    SHOW(micros() - before >= 20000 && micros() - before < 21100);
    before = micros();
    delayMicroseconds(500);
    SHOW(micros() - before >= 500 && micros() - before < 600);
    before = micros();
    delay(0);
    yield();
    SHOW(micros() - before < 1000);
    WiFiClient none;
    before = millis();
    none.setTimeout(300);
    SHOW(none.connect(IPAddress(10, 77, 0, 99), 80)); // nobody answers
    SHOW(millis() - before >= 300 && millis() - before < 400);
    SHOW(none.connected());
    SHOW(none.available());
    SHOW(none.read());
    SHOW(none.write("x"));
    SHOW(ESP.getFreeHeap() > 50000);
    SHOW(ESP.getFreeContStack() > 1000);
}

WiFiClient client;

// Says "hello", echoes lines, and counts what it cannot write into a window that stays closed.
void stream() {
    const auto *trial = device_trial();
    SHOW(client.connect(trial->server, trial->port));
    client.setNoDelay(true);
    SHOW(client.getNoDelay());
    SHOW(client.remoteIP());
    SHOW(client.remotePort());
    client.print("hello\n");
    SHOW(client.readStringUntil('\n'));
    SHOW(client.parseInt());
    SHOW(client.find("key="));
    char value[8] = {};
    client.readBytes(value, 3);
    SHOW(value);
    SHOW(client.peek() == '\n');
    WiFiClient copy = client;
    copy.println(F("from flash"));
    client.flush();
    client.setTimeout(200);
    const uint32_t before = millis();
    SHOW(client.readStringUntil('!')); // a line feed, and nothing for 200 ms
    SHOW(millis() - before >= 200 && millis() - before < 300);
    client.stop();
    SHOW(client.connected());
}

WiFiUDP socket;

void datagrams() {
    const auto *trial = device_trial();
    SHOW(socket.begin(4000));
    SHOW(socket.beginPacket(trial->server, trial->port));
    socket.write('a');
    socket.print("sk?");
    SHOW(socket.endPacket());
    while (!socket.parsePacket())
        delay(1);
    SHOW(socket.available());
    SHOW(socket.remotePort() == trial->port);
    SHOW(static_cast<char>(socket.peek()));
    char rest[8] = {};
    SHOW(socket.read(rest, sizeof rest));
    SHOW(rest);
    SHOW(socket.read());
    SHOW(socket.parsePacket());
    socket.stop();
}

void setup() {
    const char *wanted = device_trial()->topic;
    if (!strcmp(wanted, "strings"))
        strings();
    else if (!strcmp(wanted, "times"))
        times();
    else if (!strcmp(wanted, "stream"))
        stream();
    else if (!strcmp(wanted, "datagrams"))
        datagrams();
    else if (!strcmp(wanted, "spin"))
        for (;;) {
        }
    exit(0);
}

void loop() {}
