#include "oscore_rederive.h"

#include "core/util/bytes.h"

/* A byte string of CBOR (RFC 8949, section 3): with its size in the first byte, or in the next. */
#define BYTES 0x40u
#define SHORT 23u
#define BYTES_8 0x58u

/* Derives with the ID Context `head` || `tail`; nothing changes where that fails. */
static bool derive(struct tw_oscore_context *context, const struct tw_oscore_input *input,
                   struct tw_oscore_bytes head, struct tw_oscore_bytes tail) {
    uint8_t id[TW_OSCORE_ID_CONTEXT_MAX];
    struct tw_writer w = tw_writer(id, sizeof id);
    struct tw_oscore_input own = *input;
    struct tw_oscore_context derived;
    tw_put(&w, head.data, head.size);
    tw_put(&w, tail.data, tail.size);
    own.id_context = (struct tw_oscore_bytes){id, w.used};
    if (w.bad || !tw_oscore_derive(&derived, &own))
        return false;
    *context = derived;
    return true;
}

bool tw_oscore_first(struct tw_oscore_context *context, const struct tw_oscore_input *input,
                     const uint8_t r1[TW_OSCORE_R_BYTES]) {
    if (!derive(context, input, (struct tw_oscore_bytes){NULL, 0},
                (struct tw_oscore_bytes){r1, TW_OSCORE_R_BYTES}))
        return false;
    context->stage = TW_OSCORE_FIRST;
    return true;
}

bool tw_oscore_read_r2(struct tw_oscore_bytes kid_context, struct tw_oscore_bytes *r2) {
    struct tw_reader r = tw_reader(kid_context.data, kid_context.data ? kid_context.size : 0);
    uint8_t head = tw_get8(&r);
    if (head == BYTES_8)
        r2->size = tw_get8(&r);
    else if (head >= BYTES && head <= BYTES + SHORT)
        r2->size = head - BYTES;
    else
        return false;
    r2->data = tw_take(&r, r2->size);
    return !r.bad && !tw_left(&r) && r2->size && r2->size <= TW_OSCORE_R2_MAX;
}

bool tw_oscore_second(struct tw_oscore_context *context, const struct tw_oscore_input *input,
                      struct tw_oscore_bytes r2, const struct tw_oscore_context *first) {
    return derive(context, input, r2,
                  (struct tw_oscore_bytes){first->id_context, first->id_context_size});
}

bool tw_oscore_third(struct tw_oscore_context *context, const struct tw_oscore_input *input,
                     struct tw_oscore_bytes r2, const uint8_t r3[TW_OSCORE_R_BYTES]) {
    if (!derive(context, input, r2, (struct tw_oscore_bytes){r3, TW_OSCORE_R_BYTES}))
        return false;
    context->stage = TW_OSCORE_THIRD;
    return true;
}
