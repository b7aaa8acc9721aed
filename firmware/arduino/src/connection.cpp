// Where the releases of the core differ, THINWIRE_ARDUINO_CORE_3 says so; the facts are those of
// ClientContext.h of the tags 2.4.1 and 3.1.2 (docs/try-arduino.md).
#include "connection.hpp"

#include <string.h>

#include <algorithm>

#include "Arduino.h"
#include "coredecls.h"
#include "system.h"

namespace thinwire {

namespace {

// tcp_write is given this much at once.
constexpr size_t kPiece = THINWIRE_ARDUINO_CORE_3 ? 0xFFFF : 256;

} // namespace

Connection::Connection(tcp_pcb *pcb) : pcb_(pcb) {
    tcp_setprio(pcb, TCP_PRIO_MIN);
    tcp_arg(pcb, this);
    tcp_recv(pcb, received);
    tcp_sent(pcb, acknowledged);
    tcp_err(pcb, failed);
    tcp_poll(pcb, tick, 1);
}

void Connection::disown() {
    if (--owners_)
        return;
    discard();
    close();
    delete this;
}

tcp_pcb *Connection::detach() {
    tcp_pcb *pcb = pcb_;
    tcp_arg(pcb, nullptr);
    tcp_recv(pcb, nullptr);
    tcp_sent(pcb, nullptr);
    tcp_err(pcb, nullptr);
    tcp_poll(pcb, nullptr, 0);
    pcb_ = nullptr;
    return pcb;
}

bool Connection::close() {
    if (!pcb_)
        return true;
    tcp_pcb *pcb = detach();
    if (tcp_close(pcb) == ERR_OK)
        return true;
    tcp_abort(pcb);
    return false;
}

void Connection::abort() {
    if (pcb_)
        tcp_abort(detach());
}

bool Connection::connect(const ip_addr_t &address, uint16_t port) {
    if (tcp_connect(pcb_, &address, port, established) != ERR_OK)
        return false;
    connecting_ = true;
    started_ms_ = millis();
#if THINWIRE_ARDUINO_CORE_3
    esp_delay(static_cast<uint32_t>(timeout_ms_), [this] { return connecting_; });
#else
    delay(timeout_ms_); // established() or failed() end it
#endif
    connecting_ = false;
    if (pcb_ && state() != ESTABLISHED)
        abort();
    return pcb_;
}

tcp_state Connection::state() const {
    if (!pcb_)
        return CLOSED;
    // The peer has closed: nothing more can be written.
    if (THINWIRE_ARDUINO_CORE_3 && (pcb_->state == CLOSE_WAIT || pcb_->state == CLOSING))
        return CLOSED;
    return pcb_->state;
}

bool Connection::timed_out() const {
    return millis() - started_ms_ > timeout_ms_;
}

bool Connection::write_some() {
    bool some = false;
    if (!pcb_)
        return some;
    size_t room = tcp_sndbuf(pcb_);
    if (!THINWIRE_ARDUINO_CORE_3 && pcb_->snd_queuelen >= TCP_SND_QUEUELEN)
        room = 0;
    for (size_t piece; (piece = std::min({unsent_size_, room, kPiece})) && state() != CLOSED;) {
        u8_t flags = sync ? 0 : TCP_WRITE_FLAG_COPY;
        if (THINWIRE_ARDUINO_CORE_3 && piece < unsent_size_)
            flags |= TCP_WRITE_FLAG_MORE; // no PSH yet
        if (tcp_write(pcb_, unsent_, static_cast<u16_t>(piece), flags) != ERR_OK)
            break; // there is memory later
        unsent_ += piece;
        unsent_size_ -= piece;
        room = THINWIRE_ARDUINO_CORE_3 ? tcp_sndbuf(pcb_) : room - piece;
        some = true;
    }
    if (some)
        tcp_output(pcb_);
    return some;
}

void Connection::wait_for_room() {
    waiting_ = true;
#if THINWIRE_ARDUINO_CORE_3
    esp_delay(static_cast<uint32_t>(timeout_ms_), [this] { return waiting_; });
#else
    esp_yield(); // room() ends it: an acknowledgement, or lwIP's tick of half a second
#endif
    waiting_ = false;
}

size_t Connection::write(const uint8_t *data, size_t size) {
    if (!pcb_)
        return 0;
    unsent_ = data;
    unsent_size_ = size;
    started_ms_ = millis();
    for (;;) {
        if (write_some())
            started_ms_ = millis();
        if (!unsent_size_ || timed_out() || state() == CLOSED)
            break;
        wait_for_room();
    }
    const size_t written = size - unsent_size_;
    unsent_size_ = 0;
    if (sync)
        wait_until_acked(300);
    return written;
}

bool Connection::wait_until_acked(unsigned most_ms) {
#if THINWIRE_ARDUINO_CORE_3
    if (!pcb_)
        return true;
    int room = -1;
    uint32_t progress_ms = millis();
    while (millis() - progress_ms <= most_ms) {
        tcp_output(pcb_);
        const int now = tcp_sndbuf(pcb_);
        if (now != room)
            progress_ms = millis();
        room = now;
        esp_yield();
        if (state() != ESTABLISHED || room == TCP_SND_BUF)
            return true;
    }
    return false;
#else
    const auto waiting = [this] {
        return state() == ESTABLISHED && tcp_sndbuf(pcb_) != TCP_SND_BUF;
    };
    for (; waiting() && most_ms; most_ms--)
        delay(1);
    return !waiting();
#endif
}

size_t Connection::read(uint8_t *out, size_t size) {
    size_t count = 0;
    while (count < size && received_) {
        const size_t piece = std::min<size_t>(size - count, received_->len - offset_);
        memcpy(out + count, at(), piece);
        count += piece;
        consume(piece);
    }
    return count;
}

size_t Connection::peek(uint8_t *out, size_t size) const {
    const size_t there = received_ ? std::min<size_t>(size, received_->len - offset_) : 0;
    if (there)
        memcpy(out, at(), there);
    return there;
}

// The window opens by what was read; before release 3, by a whole segment when all of it was.
void Connection::consume(size_t size) {
    offset_ += size;
    size_t opened = THINWIRE_ARDUINO_CORE_3 ? size : 0;
    if (offset_ >= received_->len) {
        pbuf *read = received_;
        if (!THINWIRE_ARDUINO_CORE_3)
            opened = read->len;
        received_ = read->next;
        offset_ = 0;
        if (received_)
            pbuf_ref(received_);
        pbuf_free(read);
    }
    if (pcb_ && opened)
        tcp_recved(pcb_, static_cast<u16_t>(opened));
}

void Connection::discard() {
    if (!received_)
        return;
    if (pcb_)
        tcp_recved(pcb_, received_->tot_len);
    pbuf_free(received_);
    received_ = nullptr;
    offset_ = 0;
}

// The sketch goes on where it waits to write.
void Connection::room() {
    if (!waiting_)
        return;
    waiting_ = false;
    system_schedule();
}

void Connection::on_error() {
    if (!connecting_ && !waiting_)
        return;
    if (THINWIRE_ARDUINO_CORE_3)
        connecting_ = waiting_ = false;
    system_schedule();
}

err_t Connection::on_received(pbuf *segment) {
    if (segment) {
        if (received_)
            pbuf_cat(received_, segment);
        else
            received_ = segment;
        return ERR_OK;
    }
    // The peer has closed. A reset answers it, in release 3 only if everything was read.
    on_error();
    if (THINWIRE_ARDUINO_CORE_3 && available())
        return ERR_OK;
    abort();
    return ERR_ABRT;
}

err_t Connection::received(void *self, tcp_pcb *, pbuf *segment, err_t) {
    return static_cast<Connection *>(self)->on_received(segment);
}

err_t Connection::acknowledged(void *self, tcp_pcb *, u16_t) {
    static_cast<Connection *>(self)->room();
    return ERR_OK;
}

err_t Connection::tick(void *self, tcp_pcb *) {
    static_cast<Connection *>(self)->room();
    return ERR_OK;
}

err_t Connection::established(void *self, tcp_pcb *, err_t) {
    Connection *connection = static_cast<Connection *>(self);
    if (THINWIRE_ARDUINO_CORE_3 && !connection->connecting_)
        return ERR_OK;
    connection->connecting_ = false;
    system_schedule();
    return ERR_OK;
}

// lwIP has freed the connection already.
void Connection::failed(void *self, err_t) {
    Connection *connection = static_cast<Connection *>(self);
    connection->pcb_ = nullptr;
    connection->on_error();
}

} // namespace thinwire
