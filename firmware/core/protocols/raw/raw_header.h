/*
 * The header of the raw protocols, 8 bytes in network order:
 *
 *     type       1  1 DATA, 2 ACK
 *     flags      1  bit 0 of DATA: an ACK is wanted
 *     size       2  payload bytes that follow (0 in an ACK)
 *     sequence   4  of the message, or of the one acknowledged
 *
 * It is the least that lets a message be found in a stream, counted and acknowledged: the floor
 * under every other protocol. Nothing is ever sent twice.
 */
#ifndef TW_RAW_HEADER_H
#define TW_RAW_HEADER_H

#include "core/util/bytes.h"

#define TW_RAW_HEADER_BYTES 8

enum tw_raw_type { TW_RAW_DATA = 1, TW_RAW_ACK = 2 };

struct tw_raw_header {
    uint8_t type;
    bool ack_wanted;
    uint16_t size;
    uint32_t seq;
};

void tw_raw_put(struct tw_writer *w, const struct tw_raw_header *header);
/* False: no such type, unknown flags, or an ACK with a payload. */
bool tw_raw_get(const uint8_t bytes[TW_RAW_HEADER_BYTES], struct tw_raw_header *header);

#endif
