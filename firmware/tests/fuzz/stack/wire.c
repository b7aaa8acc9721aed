#include "wire.h"

#include <string.h>

#define ETHERNET 14
#define IP_AT ETHERNET
#define L4_AT (IP_AT + 20)
#define TCP_BYTES 20
#define UDP_BYTES 8
#define CRAFTED_HEAD 5
#define FIN 1
#define SYN 2
#define RST 4
#define PSH 8
#define ACK 16
#define PROTOCOL_TCP 6
#define PROTOCOL_UDP 17

static const uint8_t board_mac[6] = {2, 0x54, 0x57, 0, 0, 1}, peer_mac[6] = {2, 0, 0, 0, 0, 2};

static void put16(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static void put32(uint8_t *at, uint32_t value) {
    put16(at, value >> 16);
    put16(at + 2, value & 0xFFFF);
}

static uint16_t get16(const uint8_t *at) {
    return (uint16_t)(at[0] << 8 | at[1]);
}

static uint32_t get32(const uint8_t *at) {
    return (uint32_t)get16(at) << 16 | get16(at + 2);
}

/* The Internet checksum (RFC 1071) of these bytes, begun with `sum`. */
static uint16_t checksum(const uint8_t *data, size_t size, uint32_t sum) {
    for (size_t i = 0; i + 1 < size; i += 2)
        sum += get16(data + i);
    if (size & 1)
        sum += (uint32_t)data[size - 1] << 8;
    while (sum >> 16)
        sum = (sum & 0xFFFF) + (sum >> 16);
    return (uint16_t)~sum;
}

/* Checksums of an IPv4 frame, as far as its own lengths allow. */
static void seal(uint8_t *frame, size_t size) {
    if (size < L4_AT || get16(frame + 12) != 0x0800)
        return;
    uint8_t *ip = frame + IP_AT;
    size_t head = (ip[0] & 15u) * 4u, total = get16(ip + 2);
    if (head < 20 || total < head || IP_AT + total > size)
        return;
    put16(ip + 10, 0);
    put16(ip + 10, checksum(ip, head, 0));
    size_t length = total - head, at = ip[9] == PROTOCOL_TCP ? 16 : ip[9] == PROTOCOL_UDP ? 6 : 2;
    if (length < at + 2)
        return;
    uint32_t pseudo = ip[9] == 1 ? 0 : ip[9] + (uint32_t)length;
    for (size_t i = 12; i < 20 && ip[9] != 1; i += 2)
        pseudo += get16(ip + i);
    put16(ip + head + at, 0);
    put16(ip + head + at, checksum(ip + head, length, pseudo));
}

/* A frame around `size` bytes of layer 4, which stand at L4_AT already. */
static void send_ip(uint8_t *frame, uint8_t protocol, size_t size) {
    memcpy(frame, board_mac, 6);
    memcpy(frame + 6, peer_mac, 6);
    put16(frame + 12, 0x0800);
    uint8_t *ip = frame + IP_AT;
    memset(ip, 0, 20);
    ip[0] = 0x45;
    put16(ip + 2, (uint32_t)(20 + size));
    ip[8] = 64;
    ip[9] = protocol;
    put32(ip + 12, PEER_IP);
    put32(ip + 16, BOARD_IP);
    seal(frame, L4_AT + size);
    wire_deliver(frame, L4_AT + size);
}

struct segment {
    uint8_t flags;
    uint32_t seq, ack;
    uint16_t window;
    const uint8_t *options, *data;
    size_t options_size, size; /* of the options: a multiple of 4 */
};

static void send_segment(const struct wire *w, const struct segment *s) {
    uint8_t frame[FRAME_MAX] = {0}, *tcp = frame + L4_AT;
    size_t head = TCP_BYTES + s->options_size;
    put16(tcp, w->own_port);
    put16(tcp + 2, w->board_port);
    put32(tcp + 4, s->seq);
    put32(tcp + 8, s->ack);
    tcp[12] = (uint8_t)(head / 4 << 4);
    tcp[13] = s->flags;
    put16(tcp + 14, s->window);
    if (s->options_size)
        memcpy(tcp + TCP_BYTES, s->options, s->options_size);
    if (s->size)
        memcpy(tcp + head, s->data, s->size);
    send_ip(frame, PROTOCOL_TCP, head + s->size);
}

static void send_tcp(const struct wire *w, uint8_t flags, uint32_t seq, const uint8_t *data,
                     size_t size) {
    static const uint8_t options[8] = {2, 4, 5, 0xB4, 4, 2, 1, 1}; /* MSS 1460, SACK permitted */
    send_segment(w, &(struct segment){.flags = flags,
                                      .seq = seq,
                                      .ack = w->ack,
                                      .window = 8192,
                                      .options = options,
                                      .options_size = flags & SYN ? sizeof options : 0,
                                      .data = data,
                                      .size = size});
}

static void answer_arp(const uint8_t *frame) {
    uint8_t reply[60] = {0};
    if (get16(frame + 20) != 1 || get32(frame + 38) != PEER_IP)
        return;
    memcpy(reply, board_mac, 6);
    memcpy(reply + 6, peer_mac, 6);
    memcpy(reply + 12, frame + 12, 8);
    put16(reply + 20, 2);
    memcpy(reply + 22, peer_mac, 6);
    put32(reply + 28, PEER_IP);
    memcpy(reply + 32, board_mac, 6);
    put32(reply + 38, BOARD_IP);
    wire_deliver(reply, sizeof reply);
}

static void remember_key(struct wire *w, const uint8_t *data, size_t size) {
    static const char name[] = "Sec-WebSocket-Key: ";
    for (size_t i = 0; i + sizeof name - 1 + 24 <= size; i++)
        if (!memcmp(data + i, name, sizeof name - 1))
            memcpy(w->key, data + i + sizeof name - 1, 24);
}

static void take_udp(struct wire *w, const uint8_t *udp, size_t size) {
    if (!w->serving)
        w->board_port = get16(udp);
    remember_asked(&w->asked, udp + UDP_BYTES, size - UDP_BYTES);
}

static void take_tcp(struct wire *w, const uint8_t *tcp, size_t size) {
    size_t head = (tcp[12] >> 4) * 4u, data = size > head ? size - head : 0;
    uint8_t flags = tcp[13];
    uint32_t seq = get32(tcp + 4);
    if (flags & SYN && !(flags & ACK)) { /* the board connects */
        w->board_port = get16(tcp);
        w->own_port = get16(tcp + 2);
        w->seq = 1000;
        w->ack = seq + 1;
        w->established = w->mood != WIRE_REFUSES;
        send_tcp(w, w->established ? SYN | ACK : RST | ACK, w->seq++, NULL, 0);
    } else if (get16(tcp) != w->board_port || get16(tcp + 2) != w->own_port) {
        return;
    } else if (flags & SYN) { /* it accepts */
        w->ack = seq + 1;
        w->established = true;
        send_tcp(w, ACK, w->seq, NULL, 0);
    } else if (flags & RST) {
        w->established = false;
    } else if (seq == w->ack && (data || flags & FIN)) {
        remember_key(w, tcp + head, data);
        w->ack += (uint32_t)data + (flags & FIN ? 1 : 0);
        send_tcp(w, ACK, w->seq, NULL, 0);
    }
}

void wire_take(struct wire *w, const uint8_t *frame, size_t size) {
    if (w->mood == WIRE_DEAF)
        return;
    if (size >= 42 && get16(frame + 12) == 0x0806)
        return answer_arp(frame);
    if (size < L4_AT || get16(frame + 12) != 0x0800)
        return;
    size_t total = get16(frame + IP_AT + 2);
    if (frame[IP_AT + 9] == PROTOCOL_TCP && total >= 20 + TCP_BYTES)
        take_tcp(w, frame + L4_AT, total - 20);
    else if (frame[IP_AT + 9] == PROTOCOL_UDP && total >= 20 + UDP_BYTES)
        take_udp(w, frame + L4_AT, total - 20);
}

void wire_segment(struct wire *w, const uint8_t *data, size_t size, uint32_t ahead) {
    if (!w->established)
        return;
    send_tcp(w, PSH | ACK, w->seq + ahead, data, size);
    if (!ahead)
        w->seq += (uint32_t)size;
}

void wire_crafted(struct wire *w, const uint8_t *bytes, size_t size) {
    if (!w->established || size < CRAFTED_HEAD)
        return;
    size_t options = (bytes[4] & 15u) * 4, rest = size - CRAFTED_HEAD;
    if (options > 40 || options > rest)
        options = 0;
    const struct segment s = {.flags = bytes[0],
                              .seq = w->seq + (uint32_t)(int8_t)bytes[1],
                              .ack = w->ack + (uint32_t)(int8_t)bytes[2],
                              .window = (uint16_t)(bytes[3] * 64),
                              .options = bytes + CRAFTED_HEAD,
                              .options_size = options,
                              .data = bytes + CRAFTED_HEAD + options,
                              .size = rest - options};
    send_segment(w, &s);
    if (!bytes[1])
        w->seq += (uint32_t)s.size + (s.flags & FIN ? 1 : 0);
}

void wire_datagram(struct wire *w, const uint8_t *data, size_t size) {
    uint8_t frame[FRAME_MAX] = {0}, *udp = frame + L4_AT;
    put16(udp, w->serving ? 40000 : w->port);
    put16(udp + 2, w->serving ? w->port : w->board_port);
    put16(udp + 4, (uint32_t)(UDP_BYTES + size));
    if (size)
        memcpy(udp + UDP_BYTES, data, size);
    send_ip(frame, PROTOCOL_UDP, UDP_BYTES + size);
}

void wire_connect(struct wire *w) {
    w->established = false;
    w->board_port = w->port;
    w->own_port++;
    w->seq = 5000;
    w->ack = 0;
    send_tcp(w, SYN, w->seq++, NULL, 0);
}

void wire_close(struct wire *w, bool reset) {
    if (!w->established)
        return;
    send_tcp(w, reset ? RST | ACK : FIN | ACK, w->seq++, NULL, 0);
    if (reset)
        w->established = false;
}

void wire_raw(struct wire *w, const uint8_t *frame, size_t size) {
    uint8_t copy[FRAME_MAX] = {0};
    (void)w;
    if (size > sizeof copy)
        size = sizeof copy;
    if (size)
        memcpy(copy, frame, size);
    memcpy(copy, board_mac, 6);
    seal(copy, size);
    wire_deliver(copy, size);
}
