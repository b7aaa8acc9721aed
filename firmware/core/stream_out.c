#include "stream_out.h"

#include <string.h>

void tw_stream_out_clear(struct tw_stream_out *out) {
    out->start = out->end = 0;
}

bool tw_stream_out_empty(const struct tw_stream_out *out) {
    return out->start == out->end;
}

size_t tw_stream_out_room(const struct tw_stream_out *out) {
    return sizeof out->bytes - (out->end - out->start);
}

struct tw_writer tw_stream_out_begin(struct tw_stream_out *out) {
    if (out->start) {
        memmove(out->bytes, out->bytes + out->start, out->end - out->start);
        out->end = (uint16_t)(out->end - out->start);
        out->start = 0;
    }
    return tw_writer(out->bytes + out->end, sizeof out->bytes - out->end);
}

bool tw_stream_out_commit(struct tw_stream_out *out, const struct tw_writer *w) {
    if (w->bad)
        return false;
    out->end = (uint16_t)(out->end + w->used);
    return true;
}

bool tw_stream_out_get(const struct tw_stream_out *out, struct tw_output *output) {
    output->data = out->bytes + out->start;
    output->size = (size_t)(out->end - out->start);
    output->to = (struct tw_peer){0};
    return output->size > 0;
}

void tw_stream_out_accepted(struct tw_stream_out *out, size_t size) {
    out->start = (uint16_t)(out->start + size);
    if (out->start == out->end)
        out->start = out->end = 0;
}
