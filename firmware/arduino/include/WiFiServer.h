// A TCP port that clients connect to.
#pragma once

#include "Server.h"
#include "WiFiClient.h"

struct tcp_pcb;

namespace thinwire {
class Connection;
}

class WiFiServer
#if !THINWIRE_ARDUINO_CORE_3
    : public Server
#endif
{
public:
    explicit WiFiServer(uint16_t port) : port_(port) {}
    WiFiServer(const IPAddress &address, uint16_t port) : port_(port) { (void)address; }
    virtual ~WiFiServer() = default;

    void begin()
#if !THINWIRE_ARDUINO_CORE_3
        override
#endif
        ;
    void begin(uint16_t port);
    // The next client that has connected, or one that is not connected.
    WiFiClient available(uint8_t *status = nullptr);
#if THINWIRE_ARDUINO_CORE_3
    void begin(uint16_t port, uint8_t backlog);
    WiFiClient accept();
    size_t hasClientData();
    uint16_t port() const { return port_; }
#else
    size_t write(uint8_t octet) override;
    size_t write(const uint8_t *data, size_t size) override;
    using Print::write;
#endif
    bool hasClient() { return waiting_ != nullptr; }
    void setNoDelay(bool no_delay) { no_delay_ = no_delay ? kYes : kNo; }
    bool getNoDelay();
    uint8_t status();
    void close();
    void stop() { close(); }

private:
    void listen(uint8_t backlog);
    static signed char accepted(void *server, tcp_pcb *pcb, signed char error);

    uint16_t port_;
    tcp_pcb *listener_ = nullptr;
    thinwire::Connection *waiting_ = nullptr; // oldest first
    enum { kDefault, kNo, kYes } no_delay_ = kDefault;
};
