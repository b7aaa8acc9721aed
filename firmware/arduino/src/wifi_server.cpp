#include "WiFiServer.h"

#include "Arduino.h"
#include "connection.hpp"

using thinwire::Connection;

static_assert(sizeof(err_t) == sizeof(signed char), "lwIP's type of errors");

namespace {

constexpr uint8_t kBacklog = THINWIRE_ARDUINO_CORE_3 ? 5 : TCP_DEFAULT_LISTEN_BACKLOG;

} // namespace

void WiFiServer::begin() {
    listen(kBacklog);
}

void WiFiServer::begin(uint16_t port) {
    port_ = port;
    listen(kBacklog);
}

void WiFiServer::listen(uint8_t backlog) {
    close();
    tcp_pcb *pcb = backlog ? tcp_new() : nullptr;
    if (!pcb)
        return;
    ip_set_option(pcb, SOF_REUSEADDR);
    if (tcp_bind(pcb, IP_ANY_TYPE, port_) == ERR_OK)
        listener_ = tcp_listen_with_backlog(pcb, backlog);
    if (!listener_) {
        tcp_close(pcb);
        return;
    }
    tcp_arg(listener_, this);
    tcp_accept(listener_, accepted);
}

// What comes in before the sketch asks for the client waits in the connection.
signed char WiFiServer::accepted(void *server, tcp_pcb *pcb, signed char error) {
    if (error != ERR_OK || !pcb)
        return ERR_VAL;
    Connection **end = &static_cast<WiFiServer *>(server)->waiting_;
    while (*end)
        end = &(*end)->next;
    *end = new Connection(pcb);
    if (THINWIRE_ARDUINO_CORE_3)
        tcp_backlog_delayed(pcb);
    return ERR_OK;
}

WiFiClient WiFiServer::available(uint8_t *) {
    Connection *taken = waiting_;
    if (!taken) {
        optimistic_yield(1000);
        return WiFiClient();
    }
    WiFiClient client(taken);
    if (THINWIRE_ARDUINO_CORE_3 && taken->pcb())
        tcp_backlog_accepted(taken->pcb());
    waiting_ = taken->next;
    taken->next = nullptr;
    client.setNoDelay(getNoDelay());
    return client;
}

bool WiFiServer::getNoDelay() {
#if THINWIRE_ARDUINO_CORE_3
    if (no_delay_ == kDefault)
        return WiFiClient::getDefaultNoDelay();
#endif
    return no_delay_ == kYes;
}

uint8_t WiFiServer::status() {
    return listener_ ? LISTEN : CLOSED;
}

void WiFiServer::close() {
    if (listener_)
        tcp_close(listener_);
    listener_ = nullptr;
}

#if THINWIRE_ARDUINO_CORE_3
void WiFiServer::begin(uint16_t port, uint8_t backlog) {
    port_ = port;
    listen(backlog);
}

WiFiClient WiFiServer::accept() {
    return available();
}

size_t WiFiServer::hasClientData() {
    for (Connection *each = waiting_; each; each = each->next)
        if (each->available())
            return each->available();
    return 0;
}
#else
// The core never sent to all clients.
size_t WiFiServer::write(uint8_t) {
    return 0;
}

size_t WiFiServer::write(const uint8_t *, size_t) {
    return 0;
}
#endif
