// ESP-CoAP (automote), the CoAP library of UFES 2018. It never retransmits, and handles
// acknowledgements and resets only. Its functions post and send lack a return statement, and so
// does loop when no datagram has arrived; compiled by a current compiler they do not return. So the
// message is built here and passed to sendPacket, and loop is called only when a datagram is
// waiting.
#include "libraries/arduino.hpp"

#include <coap_client.h>

extern WiFiUDP udp; // the library's

namespace {

coapClient client;
bool open;
char path[sizeof tw_config::topic]; // its segments, each terminated by NUL

void on_answer(coapPacket &packet, IPAddress, int) {
    if (packet.type == COAP_ACK)
        tw_library_acked(packet.messageid);
}

const char *refuses(const tw_config *config) {
    return config->confirmable ? nullptr : "confirmable";
}

bool confirms(const tw_config *) {
    return true;
}

bool connect(const tw_config *) {
    client.response(on_answer);
    open = client.start();
    return open;
}

bool connected() {
    return open;
}

bool available() {
    return udp.available() > 0;
}

// The core reports a datagram only after the previous one has been released, which the library does
// not do. So this releases it and reads what has arrived meanwhile.
void poll() {
    if (!available())
        return;
    client.loop();
    uint8_t head[COAP_HEADER_SIZE];
    while (udp.parsePacket() > 0)
        if (udp.read(head, sizeof head) == sizeof head && (head[0] >> 4 & 3) == COAP_ACK)
            tw_library_acked(static_cast<uint16_t>(head[2] << 8 | head[3]));
}

// The path's segments as options, in `path`.
void add_path(coapPacket &packet, const char *topic) {
    strcpy(path, topic);
    for (char *segment = path, *next; segment && packet.optionnum < MAX_OPTION_NUM;
         segment = next) {
        next = strchr(segment, '/');
        if (next)
            *next++ = 0;
        coapOption &option = packet.options[packet.optionnum++];
        option.number = COAP_URI_PATH;
        option.length = static_cast<uint8_t>(strlen(segment));
        option.buffer = reinterpret_cast<uint8_t *>(segment);
    }
}

tw_library_publish publish(const tw_config *config, const uint8_t *data, size_t size,
                           uint16_t tag) {
    coapPacket packet = {};
    packet.type = COAP_CON;
    packet.code = COAP_POST;
    packet.messageid = tag;
    packet.payload = const_cast<uint8_t *>(data);
    packet.payloadlen = static_cast<uint8_t>(size);
    add_path(packet, config->topic);
    const bool sent = client.sendPacket(packet, arduino::peer(config), config->port);
    return sent ? TW_LIBRARY_SENT : TW_LIBRARY_REFUSED;
}

void disconnect() {
    if (open)
        udp.stop();
    open = false;
}

} // namespace

const struct tw_library_adapter tw_adapter = {
    "ESP-CoAP " TW_TEXT(TW_RELEASE),
    180, // the library's packet of 250 bytes, with a path of up to 63 bytes
    false,
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
