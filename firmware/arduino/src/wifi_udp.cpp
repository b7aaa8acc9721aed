#include "WiFiUdp.h"

#include "Arduino.h"
#include "ESP8266WiFi.h"
#include "addresses.hpp"
#include "socket.hpp"

using thinwire::Socket;

namespace {

WiFiUDP *first;

} // namespace

WiFiUDP::WiFiUDP() : next_(first) {
    first = this;
}

WiFiUDP::WiFiUDP(const WiFiUDP &other) : WiFiUDP() {
    *this = other;
}

WiFiUDP &WiFiUDP::operator=(const WiFiUDP &other) {
    if (other.socket_)
        other.socket_->own();
    if (socket_)
        socket_->disown();
    socket_ = other.socket_;
    return *this;
}

WiFiUDP::~WiFiUDP() {
    WiFiUDP **link = &first;
    while (*link != this)
        link = &(*link)->next_;
    *link = next_;
    if (socket_)
        socket_->disown();
}

Socket &WiFiUDP::socket() {
    if (!socket_) {
        socket_ = new Socket;
        socket_->own();
    }
    return *socket_;
}

uint8_t WiFiUDP::begin(uint16_t port) {
    if (socket_)
        socket_->disown();
    socket_ = nullptr;
    return socket().listen(port);
}

// Without IGMP lwIP accepts every group, and nothing announces that the board has joined one.
uint8_t WiFiUDP::beginMulticast(IPAddress, IPAddress, uint16_t port) {
    return begin(port);
}

void WiFiUDP::stop() {
    if (!socket_)
        return;
    socket_->disconnect();
    socket_->disown();
    socket_ = nullptr;
}

int WiFiUDP::beginPacket(IPAddress address, uint16_t port) {
    socket().send_to(thinwire::to_lwip(address), port);
    return 1;
}

int WiFiUDP::beginPacket(const char *host, uint16_t port) {
    IPAddress address;
    return WiFi.hostByName(host, address) ? beginPacket(address, port) : 0;
}

int WiFiUDP::beginPacketMulticast(IPAddress group, uint16_t port, IPAddress, int ttl) {
    beginPacket(group, port);
    if (udp_pcb *pcb = socket_->pcb())
        pcb->ttl = static_cast<u8_t>(ttl);
    return 1;
}

int WiFiUDP::endPacket() {
    return socket_ && socket_->send();
}

size_t WiFiUDP::write(uint8_t octet) {
    return write(&octet, 1);
}

size_t WiFiUDP::write(const uint8_t *data, size_t size) {
    return socket_ ? socket_->append(data, size) : 0;
}

int WiFiUDP::parsePacket() {
    if (!socket_)
        return 0;
    if (socket_->next())
        return static_cast<int>(socket_->available());
    optimistic_yield(100);
    return 0;
}

int WiFiUDP::available() {
    const int size = socket_ ? static_cast<int>(socket_->available()) : 0;
    if (!size)
        optimistic_yield(1000);
    return size;
}

int WiFiUDP::read() {
    uint8_t octet;
    return socket_ && socket_->read(&octet, 1) ? octet : -1;
}

int WiFiUDP::read(unsigned char *out, size_t size) {
    return socket_ ? static_cast<int>(socket_->read(out, size)) : 0;
}

int WiFiUDP::peek() {
    return socket_ ? socket_->peek() : -1;
}

// As the core has it: sends.
void WiFiUDP::flush() {
    endPacket();
}

IPAddress WiFiUDP::remoteIP() {
    return socket_ ? thinwire::from_lwip(socket_->from()) : IPAddress();
}

uint16_t WiFiUDP::remotePort() {
    return socket_ ? socket_->from_port() : 0;
}

IPAddress WiFiUDP::destinationIP()
#if THINWIRE_ARDUINO_CORE_3
    const
#endif
{
    return socket_ ? thinwire::from_lwip(socket_->to()) : IPAddress();
}

uint16_t WiFiUDP::localPort()
#if THINWIRE_ARDUINO_CORE_3
    const
#endif
{
    return socket_ && socket_->pcb() ? socket_->pcb()->local_port : 0;
}

void WiFiUDP::stopAll() {
    for (WiFiUDP *socket = first; socket; socket = socket->next_)
        socket->stop();
}

void WiFiUDP::stopAllExcept(WiFiUDP *kept) {
    for (WiFiUDP *socket = first; socket; socket = socket->next_)
        if (socket->socket_ != kept->socket_)
            socket->stop();
}
