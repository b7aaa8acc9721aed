#include "amqp_body.h"

#include <string.h>

#include "amqp_frame.h"
#include "amqp_methods.h"

#define HEAD_BYTES 7u
#define PAYLOAD_BYTES (TW_AMQP_FRAME_MIN - HEAD_BYTES - 1) /* of a full frame */

/* What is left at `at` of a run of `size` bytes that begins at `begin`, at most `limit`. */
static size_t run(size_t begin, size_t size, size_t at, size_t limit) {
    size_t left = begin + size - at;
    return left < limit ? left : limit;
}

static void write_body(const struct tw_body *body, size_t offset, uint8_t *out, size_t size) {
    while (size) {
        size_t frame = offset / TW_AMQP_FRAME_MIN, at = offset % TW_AMQP_FRAME_MIN, piece = 1;
        size_t first = frame * PAYLOAD_BYTES, rest = body->message.size - first;
        size_t length = rest < PAYLOAD_BYTES ? rest : PAYLOAD_BYTES;
        if (at < HEAD_BYTES) {
            uint8_t head[HEAD_BYTES];
            struct tw_writer w = tw_writer(head, sizeof head);
            tw_amqp_put_frame(&w, TW_AMQP_BODY, TW_AMQP_CHANNEL, (uint32_t)length);
            piece = run(0, HEAD_BYTES, at, size);
            memcpy(out, head + at, piece);
        } else if (at < HEAD_BYTES + length) {
            piece = run(HEAD_BYTES, length, at, size);
            body->host->payload(body->host->ctx, &body->message, first + at - HEAD_BYTES, out,
                                piece);
        } else {
            *out = TW_AMQP_FRAME_END;
        }
        offset += piece;
        out += piece;
        size -= piece;
    }
}

struct tw_body tw_amqp_body(const struct tw_host *host, const struct tw_message *message) {
    size_t frames = message->size ? (message->size + PAYLOAD_BYTES - 1) / PAYLOAD_BYTES : 1;
    return (struct tw_body){.write = write_body,
                            .host = host,
                            .message = *message,
                            .size = message->size + frames * (HEAD_BYTES + 1)};
}
