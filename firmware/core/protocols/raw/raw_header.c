#include "raw_header.h"

#define ACK_WANTED 1

void tw_raw_put(struct tw_writer *w, const struct tw_raw_header *header) {
    tw_put8(w, header->type);
    tw_put8(w, header->ack_wanted ? ACK_WANTED : 0);
    tw_put16(w, header->size);
    tw_put32(w, header->seq);
}

bool tw_raw_get(const uint8_t bytes[TW_RAW_HEADER_BYTES], struct tw_raw_header *header) {
    struct tw_reader r = tw_reader(bytes, TW_RAW_HEADER_BYTES);
    header->type = tw_get8(&r);
    uint8_t flags = tw_get8(&r);
    header->ack_wanted = flags & ACK_WANTED;
    header->size = tw_get16(&r);
    header->seq = tw_get32(&r);
    if (header->type == TW_RAW_DATA)
        return !(flags & ~ACK_WANTED);
    return header->type == TW_RAW_ACK && !flags && !header->size;
}
