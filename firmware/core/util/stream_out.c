#include "stream_out.h"

#include <string.h>

/* While a body is on its way this much is kept for its next piece. */
#define LEAST_PIECE 64u

void tw_stream_out_clear(struct tw_stream_out *out) {
    out->start = out->end = 0;
    out->body.size = 0;
}

bool tw_stream_out_empty(const struct tw_stream_out *out) {
    return out->start == out->end && !out->body.size;
}

size_t tw_stream_out_room(const struct tw_stream_out *out) {
    size_t room = sizeof out->bytes - (size_t)(out->end - out->start);
    size_t kept = out->body.size ? LEAST_PIECE : 0;
    return room > kept ? room - kept : 0;
}

bool tw_stream_out_takes(const struct tw_stream_out *out, size_t size, size_t reserve) {
    return size + reserve > sizeof out->bytes ? tw_stream_out_empty(out)
                                              : size + reserve <= tw_stream_out_room(out);
}

/* Moves what is in the buffer to its beginning. */
static void compact(struct tw_stream_out *out) {
    if (!out->start)
        return;
    memmove(out->bytes, out->bytes + out->start, out->end - out->start);
    out->end = (uint16_t)(out->end - out->start);
    out->at = (uint16_t)(out->at - out->start);
    out->start = 0;
}

struct tw_writer tw_stream_out_begin(struct tw_stream_out *out) {
    compact(out);
    return tw_writer(out->bytes + out->end, tw_stream_out_room(out));
}

bool tw_stream_out_commit(struct tw_stream_out *out, const struct tw_writer *w) {
    if (w->bad)
        return false;
    out->end = (uint16_t)(out->end + w->used);
    return true;
}

/* Makes the next piece of the body, up to `size` bytes, in its place. */
static void make_piece(struct tw_stream_out *out, size_t size) {
    size_t left = out->body.size - out->made;
    size_t piece = size < left ? size : left;
    uint8_t *place = out->bytes + out->at;
    memmove(place + piece, place, (size_t)(out->end - out->at));
    out->body.write(&out->body, out->made, place, piece);
    out->at = (uint16_t)(out->at + piece);
    out->end = (uint16_t)(out->end + piece);
    out->made += piece;
    if (out->made == out->body.size)
        out->body.size = 0;
}

bool tw_stream_out_commit_message(struct tw_stream_out *out, const struct tw_writer *head,
                                  const struct tw_body *body) {
    bool whole = head->used + body->size <= tw_stream_out_room(out);
    if ((!whole && out->body.size) || !tw_stream_out_commit(out, head))
        return false; /* one body at a time */
    if (whole) {
        body->write(body, 0, out->bytes + out->end, body->size);
        out->end = (uint16_t)(out->end + body->size);
    } else {
        out->body = *body;
        out->made = 0;
        out->at = out->end;
    }
    return true;
}

static void write_payload(const struct tw_body *body, size_t offset, uint8_t *out, size_t size) {
    body->host->payload(body->host->ctx, &body->message, offset, out, size);
}

struct tw_body tw_stream_out_plain(const struct tw_host *host, const struct tw_message *message) {
    return (struct tw_body){
        .write = write_payload, .host = host, .message = *message, .size = message->size};
}

bool tw_stream_out_get(struct tw_stream_out *out, struct tw_output *output) {
    if (out->body.size && out->start == out->at) {
        compact(out);
        size_t room = tw_stream_out_room(out);
        make_piece(out, room > TW_STREAM_OUT_RESERVE + LEAST_PIECE ? room - TW_STREAM_OUT_RESERVE
                                                                   : LEAST_PIECE);
    }
    uint16_t end = out->body.size ? out->at : out->end;
    *output = (struct tw_output){.data = out->bytes + out->start,
                                 .size = (size_t)(end - out->start),
                                 .more = out->body.size != 0};
    return output->size > 0;
}

void tw_stream_out_accepted(struct tw_stream_out *out, size_t size) {
    out->start = (uint16_t)(out->start + size);
    if (out->start == out->end && !out->body.size)
        out->start = out->end = 0;
}
