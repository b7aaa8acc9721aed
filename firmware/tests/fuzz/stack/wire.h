/*
 * The other end of the board's cable, for fuzz_stack.c: a host that resolves addresses, opens and
 * accepts TCP connections and counts their sequence numbers right, whatever it sends in them.
 */
#ifndef WIRE_H
#define WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "answer.h"

#define BOARD_IP 0x0A4D0002u
#define PEER_IP 0x0A4D0001u
#define FRAME_MAX 1514

/* To new connections: accepts or resets them; deaf: hears nothing at all. */
enum wire_mood { WIRE_ANSWERS, WIRE_REFUSES, WIRE_DEAF, WIRE_MOODS };

struct wire {
    enum wire_mood mood;
    uint16_t port;       /* that the protocol is spoken at */
    bool serving;        /* the board serves: the connection is opened from here */
    uint16_t board_port; /* of its connection, or of its last datagram; 0: not known yet */
    uint16_t own_port;
    uint32_t seq, ack; /* of the connection */
    bool established;
    char key[25];       /* the last Sec-WebSocket-Key */
    struct asked asked; /* by the last datagram, if it is CoAP's */
};

/* A frame from the board; what it asks for is answered at once. */
void wire_take(struct wire *w, const uint8_t *frame, size_t size);
/* Bytes in the connection, `ahead` bytes beyond where they belong. */
void wire_segment(struct wire *w, const uint8_t *data, size_t size, uint32_t ahead);
/* A segment of the connection as the fuzzer writes it: flags, how far sequence and acknowledgement
 * number are from what they should be (signed), the window in 64 bytes and how many words of
 * options there are, a byte each; then options and data. */
void wire_crafted(struct wire *w, const uint8_t *bytes, size_t size);
void wire_datagram(struct wire *w, const uint8_t *data, size_t size);
/* SYN to a serving board, from a new port. */
void wire_connect(struct wire *w);
/* FIN or RST. */
void wire_close(struct wire *w, bool reset);
/* A frame of any bytes: its checksums are made right first, so that it is not dropped for them. */
void wire_raw(struct wire *w, const uint8_t *frame, size_t size);

/* To be given: a frame arrives at the board. */
void wire_deliver(const uint8_t *frame, size_t size);

#endif
