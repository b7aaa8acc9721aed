// Where the releases of the core differ, THINWIRE_ARDUINO_CORE_3 says so; the facts are those of
// UdpContext.h of the tags 2.4.1 and 3.1.2 (docs/try-arduino.md).
#include "socket.hpp"

#include <stdlib.h>
#include <string.h>

#include <algorithm>

#include "core_version.h"
#include "lwip/ip.h"

namespace thinwire {

namespace {

// Datagrams that wait; in release 3 more are dropped.
constexpr unsigned kWaitingMost = 5;
// What is appended takes memory in pieces of this size.
constexpr size_t kPiece = 128;

} // namespace

Socket::Socket() : pcb_(udp_new()) {}

Socket::~Socket() {
    if (pcb_)
        udp_remove(pcb_);
    while (first_)
        drop_first();
    free(unsent_);
}

void Socket::disown() {
    if (!--owners_)
        delete this;
}

bool Socket::listen(uint16_t port) {
    if (!pcb_)
        return false;
    udp_recv(pcb_, received, this);
    return udp_bind(pcb_, IP_ANY_TYPE, port) == ERR_OK;
}

void Socket::send_to(const ip_addr_t &address, uint16_t port) {
    peer_ = address;
    peer_port_ = port;
}

size_t Socket::append(const uint8_t *data, size_t size) {
    const auto pieces = [](size_t bytes) { return (bytes + kPiece - 1) / kPiece; };
    if (pieces(unsent_size_ + size) > pieces(unsent_size_)) {
        void *moved = realloc(unsent_, pieces(unsent_size_ + size) * kPiece);
        if (!moved)
            return 0;
        unsent_ = static_cast<uint8_t *>(moved);
    }
    memcpy(unsent_ + unsent_size_, data, size);
    unsent_size_ += size;
    return size;
}

bool Socket::send() {
    pbuf *datagram = pbuf_alloc(PBUF_TRANSPORT, static_cast<u16_t>(unsent_size_), PBUF_RAM);
    if (datagram)
        pbuf_take(datagram, unsent_, static_cast<u16_t>(unsent_size_));
    free(unsent_);
    unsent_ = nullptr;
    unsent_size_ = 0;
    if (!datagram)
        return false;
    const bool sent = pcb_ && udp_sendto(pcb_, datagram, &peer_, peer_port_) == ERR_OK;
    pbuf_free(datagram);
    return sent;
}

void Socket::drop_first() {
    Datagram *first = first_;
    first_ = first->next;
    offset_ = 0;
    pbuf_free(first->data);
    free(first);
}

void Socket::name_first() {
    from_ = first_->from;
    to_ = first_->to;
    from_port_ = first_->from_port;
}

bool Socket::next() {
    if (!first_)
        return false;
    if (!taken_)
        return taken_ = true;
    drop_first();
    if (first_)
        name_first();
    else if (!THINWIRE_ARDUINO_CORE_3)
        from_ = to_ = {}, from_port_ = 0;
    return first_;
}

size_t Socket::available() const {
    return first_ ? first_->data->tot_len - offset_ : 0;
}

size_t Socket::read(uint8_t *out, size_t size) {
    const size_t count = std::min(size, available());
    if (count)
        pbuf_copy_partial(first_->data, out, static_cast<u16_t>(count),
                          static_cast<u16_t>(offset_));
    offset_ += count;
    return count;
}

int Socket::peek() const {
    return available() ? pbuf_get_at(first_->data, static_cast<u16_t>(offset_)) : -1;
}

void Socket::on_received(pbuf *data, const ip_addr_t *address, u16_t port) {
    Datagram **end = &first_;
    unsigned waiting = 0;
    for (; *end; end = &(*end)->next)
        waiting++;
    Datagram *made = THINWIRE_ARDUINO_CORE_3 && waiting >= kWaitingMost
                         ? nullptr
                         : static_cast<Datagram *>(malloc(sizeof(Datagram)));
    if (!made) {
        pbuf_free(data);
        return;
    }
    *made = {nullptr, data, *address, *ip_current_dest_addr(), port};
    *end = made;
    if (made == first_) {
        taken_ = false;
        offset_ = 0;
        name_first();
    }
}

void Socket::received(void *self, udp_pcb *, pbuf *data, const ip_addr_t *address, u16_t port) {
    static_cast<Socket *>(self)->on_received(data, address, port);
}

} // namespace thinwire
