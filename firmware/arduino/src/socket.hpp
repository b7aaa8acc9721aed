// A UDP socket over lwIP's raw API, shared by copies of WiFiUDP.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lwip/udp.h"

namespace thinwire {

class Socket {
public:
    Socket();

    void own() { owners_++; }
    void disown(); // the last one deletes it
    bool listen(uint16_t port);
    void disconnect() { udp_disconnect(pcb_); }

    void send_to(const ip_addr_t &address, uint16_t port);
    // All or nothing.
    size_t append(const uint8_t *data, size_t size);
    bool send(); // what was appended, also if it did not leave, is gone

    // Goes on to the datagram that is next, if any.
    bool next();
    size_t available() const;
    size_t read(uint8_t *out, size_t size);
    int peek() const; // -1: nothing

    ip_addr_t from() const { return from_; }
    ip_addr_t to() const { return to_; }
    uint16_t from_port() const { return from_port_; }
    udp_pcb *pcb() const { return pcb_; }

private:
    struct Datagram {
        Datagram *next;
        pbuf *data;
        ip_addr_t from, to;
        uint16_t from_port;
    };

    ~Socket();
    void drop_first();
    void name_first();
    void on_received(pbuf *data, const ip_addr_t *address, u16_t port);

    static void received(void *self, udp_pcb *pcb, pbuf *data, const ip_addr_t *address,
                         u16_t port);

    udp_pcb *pcb_;
    Datagram *first_ = nullptr; // that is read; others follow
    bool taken_ = false;        // by next()
    size_t offset_ = 0;
    ip_addr_t from_ = {}, to_ = {}; // of the datagram that is read, or was read last
    uint16_t from_port_ = 0;
    ip_addr_t peer_ = {};
    uint16_t peer_port_ = 0;
    uint8_t *unsent_ = nullptr;
    size_t unsent_size_ = 0;
    int owners_ = 0;
};

} // namespace thinwire
