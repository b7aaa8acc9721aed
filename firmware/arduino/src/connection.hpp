// A TCP connection over lwIP's raw API, shared by copies of WiFiClient.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core_version.h"
#include "lwip/tcp.h"

namespace thinwire {

class Connection {
public:
    // Takes `pcb`. The count of owners starts at 0.
    explicit Connection(tcp_pcb *pcb);

    void own() { owners_++; }
    void disown(); // the last one closes and deletes it

    // Waits until the connection is there, refused, or the timeout has passed.
    bool connect(const ip_addr_t &address, uint16_t port);
    // Bytes that the stack has taken; waits for room.
    size_t write(const uint8_t *data, size_t size);
    // lwIP's state; CLOSED where nothing more can be written.
    tcp_state state() const;
    bool close(); // false: by a reset, for want of memory
    void abort();
    // Until the peer has acknowledged everything; false: not within `most_ms`.
    bool wait_until_acked(unsigned most_ms);

    size_t available() const { return received_ ? received_->tot_len - offset_ : 0; }
    size_t read(uint8_t *out, size_t size);
    int peek() const { return received_ ? *at() : 0; }
    size_t peek(uint8_t *out, size_t size) const; // of the first segment

    tcp_pcb *pcb() const { return pcb_; }
    void set_timeout(unsigned long ms) { timeout_ms_ = ms; }

    Connection *next = nullptr; // of those that wait for the sketch to accept them
    bool sync = false;          // writing waits for acknowledgements

private:
    const uint8_t *at() const { return static_cast<const uint8_t *>(received_->payload) + offset_; }
    tcp_pcb *detach();
    bool timed_out() const;
    bool write_some();
    void wait_for_room();
    void consume(size_t size);
    void discard();
    void room();
    err_t on_received(pbuf *segment);
    void on_error();

    static err_t received(void *self, tcp_pcb *pcb, pbuf *segment, err_t error);
    static err_t acknowledged(void *self, tcp_pcb *pcb, u16_t size);
    static err_t tick(void *self, tcp_pcb *pcb);
    static err_t established(void *self, tcp_pcb *pcb, err_t error);
    static void failed(void *self, err_t error);

    tcp_pcb *pcb_;
    pbuf *received_ = nullptr; // segments that are not read; `offset_` bytes of the first are
    size_t offset_ = 0;
    const uint8_t *unsent_ = nullptr; // what the sketch waits to write
    size_t unsent_size_ = 0;
    unsigned long timeout_ms_ = 5000, started_ms_ = 0;
    bool connecting_ = false, waiting_ = false;
    int owners_ = 0;
};

} // namespace thinwire
