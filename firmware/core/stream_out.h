/*
 * The output buffer of a stream engine: whole protocol messages go in at one end, the network takes
 * bytes from the other.
 */
#ifndef TW_STREAM_OUT_H
#define TW_STREAM_OUT_H

#include "bytes.h"
#include "engine.h"

/* One message of the largest payload with its headers, and room for acknowledgements beside it. */
#ifndef TW_STREAM_OUT_BYTES
#define TW_STREAM_OUT_BYTES (TW_PAYLOAD_MAX + 736u)
#endif

/* A new message of the application leaves this much room for what the protocol must answer. */
#define TW_STREAM_OUT_RESERVE 512u

struct tw_stream_out {
    uint16_t start, end;
    uint8_t bytes[TW_STREAM_OUT_BYTES];
};

void tw_stream_out_clear(struct tw_stream_out *out);
bool tw_stream_out_empty(const struct tw_stream_out *out);
size_t tw_stream_out_room(const struct tw_stream_out *out);
/* A writer over the free space; tw_stream_out_commit makes what was written final unless the writer
 * went bad, and says which. */
struct tw_writer tw_stream_out_begin(struct tw_stream_out *out);
bool tw_stream_out_commit(struct tw_stream_out *out, const struct tw_writer *w);
bool tw_stream_out_get(const struct tw_stream_out *out, struct tw_output *output);
void tw_stream_out_accepted(struct tw_stream_out *out, size_t size);

#endif
