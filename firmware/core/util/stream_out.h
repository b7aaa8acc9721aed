/*
 * The output buffer of a stream engine: whole protocol messages go in at one end, the network takes
 * bytes from the other. Of a message that is larger than the buffer the rest is made as it leaves.
 */
#ifndef TW_STREAM_OUT_H
#define TW_STREAM_OUT_H

#include "bytes.h"
#include "core/engine.h"

/* One message of TW_SEGMENT_MAX with its headers, and room for acknowledgements beside it. */
#ifndef TW_STREAM_OUT_BYTES
#define TW_STREAM_OUT_BYTES (TW_SEGMENT_MAX + 736u)
#endif

/* A new message of the application leaves this much room for what the protocol must answer. */
#define TW_STREAM_OUT_RESERVE 512u

/* What a message has behind its head: its payload, as its protocol writes it. */
struct tw_body {
    /* Writes the bytes [offset, offset + size) of it. */
    void (*write)(const struct tw_body *body, size_t offset, uint8_t *out, size_t size);
    const struct tw_host *host;
    struct tw_message message;
    size_t size;
    size_t first;  /* WebSocket: where its frame's payload begins in the message's */
    uint32_t mask; /* WebSocket: the key of its frame */
};

struct tw_stream_out {
    uint16_t start, end;
    uint16_t at;         /* where the rest of the body belongs; what lies behind leaves after it */
    size_t made;         /* bytes of the body that are in the buffer or gone */
    struct tw_body body; /* size 0: none is on its way */
    uint8_t bytes[TW_STREAM_OUT_BYTES];
};

void tw_stream_out_clear(struct tw_stream_out *out);
bool tw_stream_out_empty(const struct tw_stream_out *out);
size_t tw_stream_out_room(const struct tw_stream_out *out);
/* True when a message of `size` bytes, head and body, may go in, with `reserve` left: there is room
 * for it or, where there never is, nothing before it. */
bool tw_stream_out_takes(const struct tw_stream_out *out, size_t size, size_t reserve);
/* A writer over the free space; tw_stream_out_commit makes what was written final unless the writer
 * went bad, and says which. */
struct tw_writer tw_stream_out_begin(struct tw_stream_out *out);
bool tw_stream_out_commit(struct tw_stream_out *out, const struct tw_writer *w);
/* The same of a head, with its body behind it. */
bool tw_stream_out_commit_message(struct tw_stream_out *out, const struct tw_writer *head,
                                  const struct tw_body *body);
/* The body that is the payload as it is. */
struct tw_body tw_stream_out_plain(const struct tw_host *host, const struct tw_message *message);
bool tw_stream_out_get(struct tw_stream_out *out, struct tw_output *output);
void tw_stream_out_accepted(struct tw_stream_out *out, size_t size);

#endif
