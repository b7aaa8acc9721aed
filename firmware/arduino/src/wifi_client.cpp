#include "WiFiClient.h"

#include <stdlib.h>

#include "Arduino.h"
#include "ESP8266WiFi.h"
#include "addresses.hpp"
#include "connection.hpp"

using thinwire::Connection;

namespace {

constexpr unsigned kFlushMs = THINWIRE_ARDUINO_CORE_3 ? WIFICLIENT_MAX_FLUSH_WAIT_MS : 10;

WiFiClient *first;
uint16_t next_port;
#if THINWIRE_ARDUINO_CORE_3
bool default_no_delay, default_sync;
#endif

} // namespace

WiFiClient::WiFiClient() : next_(first) {
    _timeout = 5000;
    first = this;
}

WiFiClient::WiFiClient(Connection *connection) : WiFiClient() {
    share(connection);
#if THINWIRE_ARDUINO_CORE_3
    setSync(default_sync);
    setNoDelay(default_no_delay);
#endif
}

WiFiClient::WiFiClient(const WiFiClient &other) : WiFiClient() {
    *this = other;
}

WiFiClient &WiFiClient::operator=(const WiFiClient &other) {
    _timeout = other._timeout;
    share(other.connection_);
    return *this;
}

WiFiClient::~WiFiClient() {
    WiFiClient **link = &first;
    while (*link != this)
        link = &(*link)->next_;
    *link = next_;
    share(nullptr);
}

void WiFiClient::share(Connection *connection) {
    if (connection)
        connection->own();
    if (connection_)
        connection_->disown();
    connection_ = connection;
}

int WiFiClient::connect(const char *host, uint16_t port) {
    IPAddress address;
    return WiFi.hostByName(host, address) ? connect(address, port) : 0;
}

#if THINWIRE_ARDUINO_CORE_3
int WiFiClient::connect(const String &host, uint16_t port) {
    return connect(host.c_str(), port);
}
#else
int WiFiClient::connect(const String host, uint16_t port) {
    return connect(host.c_str(), port);
}
#endif

// Release 2.4.1 forgets the connection before, whose memory stays taken; release 3 frees it.
int WiFiClient::connect(IPAddress address, uint16_t port) {
    if (connection_) {
        stop();
        if (THINWIRE_ARDUINO_CORE_3)
            share(nullptr);
        else
            connection_ = nullptr;
    }
    tcp_pcb *pcb = tcp_new();
    if (!pcb)
        return 0;
    if (next_port)
        pcb->local_port = next_port++;
    Connection *made = new Connection(pcb);
    share(made);
    made->set_timeout(_timeout);
    if (!made->connect(thinwire::to_lwip(address), port)) {
        share(nullptr);
        return 0;
    }
#if THINWIRE_ARDUINO_CORE_3
    setSync(default_sync);
    setNoDelay(default_no_delay);
#endif
    return 1;
}

uint8_t WiFiClient::status() {
    return connection_ ? connection_->state() : CLOSED;
}

uint8_t WiFiClient::connected() {
    if (!connection_ || (THINWIRE_ARDUINO_CORE_3 && connection_->state() == CLOSED))
        return 0;
    return connection_->state() == ESTABLISHED || available();
}

WiFiClient::operator bool() {
    return (THINWIRE_ARDUINO_CORE_3 && available()) || connected();
}

size_t WiFiClient::write(uint8_t octet) {
    return write(&octet, 1);
}

size_t WiFiClient::write(const uint8_t *data, size_t size) {
    if (!connection_ || !size)
        return 0;
    connection_->set_timeout(_timeout);
    return connection_->write(data, size);
}

size_t WiFiClient::write_P(PGM_P data, size_t size) {
    uint8_t *copy = static_cast<uint8_t *>(malloc(size));
    if (!copy)
        return 0;
    memcpy_P(copy, data, size);
    const size_t written = write(copy, size);
    free(copy);
    return written;
}

size_t WiFiClient::write(Stream &from) {
    const int there = connection_ ? from.available() : 0;
    uint8_t *copy =
        there > 0 ? static_cast<uint8_t *>(malloc(static_cast<size_t>(there))) : nullptr;
    if (!copy)
        return 0;
    const size_t written = write(copy, from.readBytes(copy, static_cast<size_t>(there)));
    free(copy);
    return written;
}

#if THINWIRE_ARDUINO_CORE_3
int WiFiClient::availableForWrite() {
    return connection_ && connection_->pcb() ? tcp_sndbuf(connection_->pcb()) : 0;
}
#else
size_t WiFiClient::availableForWrite() {
    return connection_ && connection_->pcb() ? tcp_sndbuf(connection_->pcb()) : 0;
}
#endif

int WiFiClient::available() {
    if (!connection_)
        return 0;
    const int size = static_cast<int>(connection_->available());
    if (!size)
        optimistic_yield(100);
    return size;
}

int WiFiClient::read() {
    uint8_t octet;
    return available() && connection_->read(&octet, 1) ? octet : -1;
}

int WiFiClient::read(uint8_t *out, size_t size) {
    return connection_ ? static_cast<int>(connection_->read(out, size)) : 0;
}

int WiFiClient::peek() {
    return available() ? connection_->peek() : -1;
}

size_t WiFiClient::peekBytes(uint8_t *out, size_t size) {
    if (!connection_)
        return 0;
    _startMillis = millis();
    while (available() < static_cast<int>(size) && millis() - _startMillis < _timeout)
        yield();
    return connection_->peek(out, size);
}

#if THINWIRE_ARDUINO_CORE_3
bool WiFiClient::flush(unsigned int most_ms) {
    return !connection_ || connection_->wait_until_acked(most_ms ? most_ms : kFlushMs);
}

bool WiFiClient::stop(unsigned int most_ms) {
    if (!connection_)
        return true;
    const bool flushed = flush(most_ms);
    return connection_->close() && flushed;
}

void WiFiClient::abort() {
    if (!connection_)
        return;
    flush(0);
    connection_->abort();
}

void WiFiClient::setDefaultNoDelay(bool no_delay) {
    default_no_delay = no_delay;
}

bool WiFiClient::getDefaultNoDelay() {
    return default_no_delay;
}

void WiFiClient::setDefaultSync(bool sync) {
    default_sync = sync;
}

bool WiFiClient::getDefaultSync() {
    return default_sync;
}

void WiFiClient::setSync(bool sync) {
    if (connection_)
        connection_->sync = sync;
}

bool WiFiClient::getSync() const {
    return connection_ && connection_->sync;
}

bool WiFiClient::getNoDelay() const {
    return connection_ && connection_->pcb() && tcp_nagle_disabled(connection_->pcb());
}
#else
void WiFiClient::flush() {
    if (connection_)
        connection_->wait_until_acked(kFlushMs);
}

void WiFiClient::stop() {
    if (connection_)
        connection_->close();
}

bool WiFiClient::getNoDelay() {
    return connection_ && connection_->pcb() && tcp_nagle_disabled(connection_->pcb());
}
#endif

void WiFiClient::setNoDelay(bool no_delay) {
    if (!connection_ || !connection_->pcb())
        return;
    if (no_delay)
        tcp_nagle_disable(connection_->pcb());
    else
        tcp_nagle_enable(connection_->pcb());
}

IPAddress WiFiClient::remoteIP() {
    const bool there = connection_ && connection_->pcb();
    return there ? thinwire::from_lwip(connection_->pcb()->remote_ip) : IPAddress();
}

uint16_t WiFiClient::remotePort() {
    return connection_ && connection_->pcb() ? connection_->pcb()->remote_port : 0;
}

IPAddress WiFiClient::localIP() {
    const bool there = connection_ && connection_->pcb();
    return there ? thinwire::from_lwip(connection_->pcb()->local_ip) : IPAddress();
}

uint16_t WiFiClient::localPort() {
    return connection_ && connection_->pcb() ? connection_->pcb()->local_port : 0;
}

void WiFiClient::setLocalPortStart(uint16_t port) {
    next_port = port;
}

void WiFiClient::stopAll() {
    for (WiFiClient *client = first; client; client = client->next_)
        client->stop();
}

void WiFiClient::stopAllExcept(WiFiClient *kept) {
    for (WiFiClient *client = first; client; client = client->next_)
        if (client != kept)
            client->stop();
}

void WiFiClient::keepAlive(uint16_t idle_s, uint16_t interval_s, uint8_t count) {
    tcp_pcb *pcb = connection_ ? connection_->pcb() : nullptr;
    if (!pcb)
        return;
    if (!idle_s || !interval_s || !count) {
        ip_reset_option(pcb, SOF_KEEPALIVE);
        return;
    }
    ip_set_option(pcb, SOF_KEEPALIVE);
    pcb->keep_idle = idle_s * 1000u;
    pcb->keep_intvl = interval_s * 1000u;
    pcb->keep_cnt = count;
}

bool WiFiClient::isKeepAliveEnabled() const {
    return connection_ && connection_->pcb() && ip_get_option(connection_->pcb(), SOF_KEEPALIVE);
}

uint16_t WiFiClient::getKeepAliveIdle() const {
    return isKeepAliveEnabled() ? static_cast<uint16_t>(connection_->pcb()->keep_idle / 1000) : 0;
}

uint16_t WiFiClient::getKeepAliveInterval() const {
    return isKeepAliveEnabled() ? static_cast<uint16_t>(connection_->pcb()->keep_intvl / 1000) : 0;
}

uint8_t WiFiClient::getKeepAliveCount() const {
    return isKeepAliveEnabled() ? static_cast<uint8_t>(connection_->pcb()->keep_cnt) : 0;
}
