#include "oscore_message.h"

#include <string.h>

#include "core/protocols/coap/coap_message.h"

#define PAYLOAD_MARKER 0xFFu
#define HEADER_BYTES 4u

/* Bits of the option's first byte (section 6.1). */
enum { PIV_SIZE = 7, KID = 8, KID_CONTEXT = 16, RESERVED = 0xE0 };

/* ---- options of a datagram, one after the other ---- */

struct option {
    uint16_t number;
    struct tw_oscore_bytes value;
};

enum step { OPTION, PAYLOAD, END, BROKEN };

static bool read_extended(struct tw_reader *r, uint32_t nibble, uint32_t *value) {
    if (nibble == 13)
        *value = 13u + tw_get8(r);
    else if (nibble == 14)
        *value = 269u + tw_get16(r);
    else
        *value = nibble;
    return nibble != 15 && !r->bad;
}

/* Takes the next option; `option` holds the one before. PAYLOAD: what is left is the payload. */
static enum step next_option(struct tw_reader *r, struct option *option) {
    if (!tw_left(r))
        return END;
    uint8_t head = tw_get8(r);
    if (head == PAYLOAD_MARKER)
        return tw_left(r) ? PAYLOAD : BROKEN;
    uint32_t delta, length;
    if (!read_extended(r, head >> 4, &delta) || !read_extended(r, head & 15, &length))
        return BROKEN;
    option->value = (struct tw_oscore_bytes){tw_take(r, length), length};
    if (!option->value.data || option->number + delta > UINT16_MAX)
        return BROKEN;
    option->number = (uint16_t)(option->number + delta);
    return OPTION;
}

/* Puts the reader behind the token; returns the bytes before, 0 if it is no message. */
static size_t skip_header(struct tw_reader *r) {
    uint8_t first = tw_get8(r);
    size_t token = first & 15u;
    tw_take(r, HEADER_BYTES - 1 + token);
    return r->bad || first >> 6 != 1 || token > TW_COAP_TOKEN_MAX ? 0 : HEADER_BYTES + token;
}

/* ---- the option of OSCORE ---- */

bool tw_oscore_read_option(const uint8_t *data, size_t size, struct tw_oscore_option *option) {
    struct tw_reader r = tw_reader(data, size);
    *option = (struct tw_oscore_option){0};
    if (!size)
        return true;
    uint8_t flags = tw_get8(&r), piv = flags & PIV_SIZE;
    if (!flags || flags & RESERVED || piv > TW_OSCORE_PIV_MAX)
        return false;
    const uint8_t *bytes = tw_take(&r, piv);
    if (!bytes)
        return false;
    option->has_piv = piv;
    option->piv.size = piv;
    memcpy(option->piv.bytes, bytes, piv);
    if (flags & KID_CONTEXT) {
        option->kid_context.size = tw_get8(&r);
        option->kid_context.data = tw_take(&r, option->kid_context.size);
    }
    return !r.bad && (flags & KID || !tw_left(&r));
}

static void put_kid_context(struct tw_writer *w, const struct tw_oscore_context *context) {
    const struct tw_oscore_bytes id = {context->id_context, context->id_context_size};
    uint8_t named[2 + TW_OSCORE_ID_CONTEXT_MAX];
    struct tw_writer n = tw_writer(named, sizeof named);
    if (context->stage == TW_OSCORE_ESTABLISHED)
        tw_put(&n, id.data, id.size);
    else
        tw_oscore_put_bytes(&n, id);
    tw_put8(w, (uint8_t)n.used);
    tw_put(w, named, n.used);
}

static void put_option(struct tw_coap_writer *w, const struct tw_oscore_id *piv,
                       const struct tw_oscore_context *context) {
    uint8_t value[1 + TW_OSCORE_PIV_MAX + TW_OSCORE_KID_CONTEXT_MAX + TW_OSCORE_ID_MAX];
    struct tw_writer v = tw_writer(value, sizeof value);
    bool named = context->id_context_size &&
                 (context->stage != TW_OSCORE_ESTABLISHED || context->names_id_context);
    tw_put8(&v, (uint8_t)(KID | (named ? KID_CONTEXT : 0) | piv->size));
    tw_put(&v, piv->bytes, piv->size);
    if (named)
        put_kid_context(&v, context);
    tw_put(&v, context->sender.bytes, context->sender.size);
    if (v.bad)
        w->w.bad = true; /* an ID Context that no request can name */
    else
        tw_coap_put_option(w, TW_OSCORE_OPTION, value, v.used);
}

/* ---- a request ---- */

/* Options that proxies and the server need before they can decrypt (section 4.1). */
static bool is_outer(uint16_t number) {
    return number == TW_COAP_URI_HOST || number == TW_COAP_URI_PORT ||
           number == TW_COAP_PROXY_URI || number == TW_COAP_PROXY_SCHEME;
}

/* Writes the options of one class; returns how the list ended, the reader then behind it. */
static enum step put_class(struct tw_coap_writer *w, struct tw_reader *r, bool outer,
                           const struct tw_oscore_id *piv,
                           const struct tw_oscore_context *context) {
    struct option option = {0};
    enum step step;
    while ((step = next_option(r, &option)) == OPTION) {
        if (outer && piv && option.number > TW_OSCORE_OPTION) {
            put_option(w, piv, context);
            piv = NULL;
        }
        if (is_outer(option.number) == outer)
            tw_coap_put_option(w, option.number, option.value.data, option.value.size);
    }
    if (outer && piv)
        put_option(w, piv, context);
    return step;
}

size_t tw_oscore_protect(const struct tw_oscore_context *context, const struct tw_oscore_id *piv,
                         const struct tw_oscore_echo *echo, struct tw_oscore_bytes plain,
                         uint8_t *out, size_t room) {
    struct tw_reader r = tw_reader(plain.data, plain.size);
    size_t head = skip_header(&r);
    if (!head)
        return 0;
    struct tw_reader options = r;
    struct tw_coap_writer w = {.w = tw_writer(out, room)};
    tw_put(&w.w, plain.data, head);
    put_class(&w, &r, true, piv, context);
    tw_put8(&w.w, PAYLOAD_MARKER);
    size_t start = w.w.used;
    tw_put8(&w.w, plain.data[1]);
    w.last_option = 0;
    enum step step = put_class(&w, &options, false, NULL, NULL);
    if (echo->size)
        tw_coap_put_option(&w, TW_OSCORE_ECHO, echo->bytes, echo->size);
    if (step == PAYLOAD) {
        size_t size = tw_left(&options);
        tw_put8(&w.w, PAYLOAD_MARKER);
        tw_put(&w.w, tw_take(&options, size), size);
    }
    size_t size = w.w.used - start;
    if (!tw_reserve(&w.w, TW_OSCORE_TAG_BYTES) || w.w.bad || step == BROKEN)
        return 0;
    out[1] = TW_COAP_POST; /* section 4.2 */
    uint8_t nonce[TW_OSCORE_NONCE_BYTES], aad[TW_OSCORE_AAD_MAX];
    tw_oscore_nonce(context, &context->sender, piv, nonce);
    struct tw_oscore_bytes bound = {aad, tw_oscore_aad(&context->sender, piv, aad)};
    return tw_oscore_seal(context->sender_key, nonce, bound, out + start, size) ? w.w.used : 0;
}

/* ---- a response ---- */

enum tw_oscore_result tw_oscore_verify(const struct tw_oscore_context *context,
                                       const struct tw_oscore_context *asked,
                                       const struct tw_oscore_id *request_piv,
                                       struct tw_oscore_bytes datagram, uint8_t *out,
                                       size_t *size) {
    struct tw_reader r = tw_reader(datagram.data, datagram.size);
    struct option option = {0};
    struct tw_oscore_option value;
    unsigned found = 0;
    bool well_formed = false;
    enum step step;
    size_t head = skip_header(&r);
    if (!head)
        return TW_OSCORE_UNPROTECTED;
    while ((step = next_option(&r, &option)) == OPTION)
        if (option.number == TW_OSCORE_OPTION) {
            well_formed = tw_oscore_read_option(option.value.data, option.value.size, &value);
            found++;
        }
    if (!found || step == BROKEN)
        return TW_OSCORE_UNPROTECTED;
    size_t sealed = tw_left(&r);
    if (found > 1 || !well_formed || step != PAYLOAD || sealed <= TW_OSCORE_TAG_BYTES)
        return TW_OSCORE_MALFORMED;
    uint8_t nonce[TW_OSCORE_NONCE_BYTES], aad[TW_OSCORE_AAD_MAX];
    if (value.has_piv) /* the server's own number, or else the nonce of the request (8.3) */
        tw_oscore_nonce(context, &context->recipient, &value.piv, nonce);
    else
        tw_oscore_nonce(asked, &asked->sender, request_piv, nonce);
    struct tw_oscore_bytes bound = {aad, tw_oscore_aad(&context->sender, request_piv, aad)};
    /* The code, with which the plaintext begins, goes where the token ends, and then to its place.
     */
    uint8_t code, last = datagram.data[head - 1];
    if (!tw_oscore_open(context->recipient_key, nonce, bound,
                        (struct tw_oscore_bytes){tw_take(&r, sealed), sealed}, out + head - 1))
        return TW_OSCORE_INVALID;
    code = out[head - 1];
    memcpy(out, datagram.data, head - 1);
    out[head - 1] = last;
    out[1] = code;
    if (!TW_COAP_IS_RESPONSE(code))
        return TW_OSCORE_INVALID;
    *size = head - 1 + sealed - TW_OSCORE_TAG_BYTES;
    return TW_OSCORE_VERIFIED;
}

struct tw_oscore_echo tw_oscore_echo_of(struct tw_oscore_bytes datagram) {
    struct tw_reader r = tw_reader(datagram.data, datagram.size);
    struct tw_oscore_echo echo = {0};
    struct option option = {0};
    if (!skip_header(&r))
        return echo;
    while (next_option(&r, &option) == OPTION)
        if (option.number == TW_OSCORE_ECHO && option.value.size >= 1 &&
            option.value.size <= TW_OSCORE_ECHO_MAX) {
            echo.size = (uint8_t)option.value.size;
            memcpy(echo.bytes, option.value.data, option.value.size);
        }
    return echo;
}

struct tw_oscore_bytes tw_oscore_kid_context_of(struct tw_oscore_bytes datagram) {
    struct tw_reader r = tw_reader(datagram.data, datagram.size);
    struct option option = {0};
    struct tw_oscore_option value = {0};
    if (!skip_header(&r))
        return value.kid_context;
    while (next_option(&r, &option) == OPTION)
        if (option.number == TW_OSCORE_OPTION &&
            !tw_oscore_read_option(option.value.data, option.value.size, &value))
            value = (struct tw_oscore_option){0};
    return value.kid_context;
}
