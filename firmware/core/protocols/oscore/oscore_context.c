#include "oscore_context.h"

#include <string.h>

#include "core/util/bytes.h"

/* Major types of CBOR (RFC 8949, section 3), and its null. */
enum { UNSIGNED = 0, BYTE_STRING = 2, TEXT_STRING = 3, ARRAY = 4 };
#define CBOR_NULL 0xF6u

#define OSCORE_VERSION 1
/* Of a record: what it begins with, and where the bytes begin that its check covers. */
#define MARK 0x54574F32u /* "TWO2" */
#define CHECKED_AT 8u
/* The array of section 3.2.1 with an ID, an ID Context of 255 bytes at most and the words. */
#define INFO_MAX (1 + 8 + 2 + 255 + 1 + 4 + 1)

static void put_head(struct tw_writer *w, unsigned major, size_t value) {
    if (value > 23) {
        tw_put8(w, (uint8_t)(major << 5 | 24));
        tw_put8(w, (uint8_t)value);
    } else {
        tw_put8(w, (uint8_t)(major << 5 | value));
    }
}

void tw_oscore_put_bytes(struct tw_writer *w, struct tw_oscore_bytes bytes) {
    put_head(w, BYTE_STRING, bytes.size);
    tw_put(w, bytes.data, bytes.size);
}

static struct tw_oscore_bytes bytes_of(const struct tw_oscore_id *id) {
    return (struct tw_oscore_bytes){id->bytes, id->size};
}

/* Section 3.2.1. */
static bool derive(const struct tw_oscore_input *input, struct tw_oscore_bytes id, const char *type,
                   uint8_t *out, size_t size) {
    uint8_t info[INFO_MAX];
    struct tw_writer w = tw_writer(info, sizeof info);
    put_head(&w, ARRAY, 5);
    tw_oscore_put_bytes(&w, id);
    if (input->id_context.data)
        tw_oscore_put_bytes(&w, input->id_context);
    else
        tw_put8(&w, CBOR_NULL);
    put_head(&w, UNSIGNED, TW_OSCORE_ALGORITHM);
    put_head(&w, TEXT_STRING, strlen(type));
    tw_put_text(&w, type);
    put_head(&w, UNSIGNED, size);
    return !w.bad && tw_oscore_hkdf(input->salt, input->secret,
                                    (struct tw_oscore_bytes){info, w.used}, out, size);
}

static bool set_id(struct tw_oscore_id *id, struct tw_oscore_bytes bytes) {
    if (bytes.size > TW_OSCORE_ID_MAX)
        return false;
    id->size = (uint8_t)bytes.size;
    if (bytes.size)
        memcpy(id->bytes, bytes.data, bytes.size);
    return true;
}

bool tw_oscore_derive(struct tw_oscore_context *context, const struct tw_oscore_input *input) {
    *context = (struct tw_oscore_context){0};
    if (!set_id(&context->sender, input->sender_id) ||
        !set_id(&context->recipient, input->recipient_id) ||
        input->id_context.size > TW_OSCORE_ID_CONTEXT_MAX)
        return false;
    context->id_context_size = (uint8_t)input->id_context.size;
    if (input->id_context.size)
        memcpy(context->id_context, input->id_context.data, input->id_context.size);
    if (!memcmp(&context->sender, &context->recipient, sizeof context->sender))
        return false; /* both ends would use the same nonces with the same key (section 3.3) */
    return derive(input, input->sender_id, "Key", context->sender_key, TW_OSCORE_KEY_BYTES) &&
           derive(input, input->recipient_id, "Key", context->recipient_key, TW_OSCORE_KEY_BYTES) &&
           derive(input, (struct tw_oscore_bytes){NULL, 0}, "IV", context->common_iv,
                  TW_OSCORE_NONCE_BYTES);
}

struct tw_oscore_id tw_oscore_piv(uint64_t sequence) {
    struct tw_oscore_id piv = {.size = 1};
    while (piv.size < TW_OSCORE_PIV_MAX && sequence >> (8 * piv.size))
        piv.size++;
    for (uint8_t i = 0; i < piv.size; i++)
        piv.bytes[i] = (uint8_t)(sequence >> (8 * (piv.size - 1 - i)));
    return piv;
}

void tw_oscore_nonce(const struct tw_oscore_context *context, const struct tw_oscore_id *id,
                     const struct tw_oscore_id *piv, uint8_t out[TW_OSCORE_NONCE_BYTES]) {
    memset(out, 0, TW_OSCORE_NONCE_BYTES);
    out[0] = id->size;
    memcpy(out + 1 + TW_OSCORE_ID_MAX - id->size, id->bytes, id->size);
    memcpy(out + TW_OSCORE_NONCE_BYTES - piv->size, piv->bytes, piv->size);
    for (size_t i = 0; i < TW_OSCORE_NONCE_BYTES; i++)
        out[i] ^= context->common_iv[i];
}

size_t tw_oscore_aad(const struct tw_oscore_id *request_kid, const struct tw_oscore_id *request_piv,
                     uint8_t out[TW_OSCORE_AAD_MAX]) {
    uint8_t external[TW_OSCORE_AAD_MAX];
    struct tw_writer w = tw_writer(external, sizeof external);
    put_head(&w, ARRAY, 5);
    put_head(&w, UNSIGNED, OSCORE_VERSION);
    put_head(&w, ARRAY, 1);
    put_head(&w, UNSIGNED, TW_OSCORE_ALGORITHM);
    tw_oscore_put_bytes(&w, bytes_of(request_kid));
    tw_oscore_put_bytes(&w, bytes_of(request_piv));
    put_head(&w, BYTE_STRING, 0); /* no option of class I is defined */
    struct tw_oscore_bytes aad = {external, w.used};
    w = tw_writer(out, TW_OSCORE_AAD_MAX);
    put_head(&w, ARRAY, 3);
    put_head(&w, TEXT_STRING, 8);
    tw_put_text(&w, "Encrypt0");
    put_head(&w, BYTE_STRING, 0);
    tw_oscore_put_bytes(&w, aad);
    return w.used;
}

/* FNV-1a over the record behind the check, and what tells one context from another. Key material
 * must not leave through it: the common IV is no secret (section 12.4). */
static uint32_t check_of(const struct tw_oscore_context *context,
                         const uint8_t record[TW_OSCORE_RECORD_BYTES]) {
    const struct tw_oscore_bytes parts[] = {
        {context->common_iv, TW_OSCORE_NONCE_BYTES},
        {(const uint8_t *)&context->sender, sizeof context->sender},
        {record + CHECKED_AT, TW_OSCORE_RECORD_BYTES - CHECKED_AT}};
    uint32_t hash = 0x811C9DC5u;
    for (size_t part = 0; part < sizeof parts / sizeof *parts; part++)
        for (size_t i = 0; i < parts[part].size; i++)
            hash = (hash ^ parts[part].data[i]) * 0x01000193u;
    return hash;
}

void tw_oscore_save(const struct tw_oscore_context *context, uint8_t out[TW_OSCORE_RECORD_BYTES]) {
    struct tw_writer w = tw_writer(out + CHECKED_AT, TW_OSCORE_RECORD_BYTES - CHECKED_AT);
    memset(out, 0, TW_OSCORE_RECORD_BYTES);
    tw_put64(&w, context->next);
    tw_put8(&w, context->stage);
    tw_put8(&w, context->id_context_size);
    tw_put(&w, context->id_context, context->id_context_size);
    w = tw_writer(out, CHECKED_AT);
    tw_put32(&w, MARK);
    tw_put32(&w, check_of(context, out));
}

bool tw_oscore_restore(struct tw_oscore_context *context, const struct tw_oscore_input *input,
                       const uint8_t record[TW_OSCORE_RECORD_BYTES]) {
    struct tw_reader r = tw_reader(record, TW_OSCORE_RECORD_BYTES);
    struct tw_oscore_context found;
    struct tw_oscore_input own = *input;
    uint32_t mark = tw_get32(&r), check = tw_get32(&r);
    uint64_t next = tw_get64(&r);
    uint8_t stage = tw_get8(&r), size = tw_get8(&r);
    if (size)
        own.id_context = (struct tw_oscore_bytes){tw_take(&r, size), size};
    if (mark != MARK || r.bad || !tw_oscore_derive(&found, &own))
        return false;
    if (check != check_of(&found, record))
        return false;
    *context = found;
    context->next = next;
    context->stage = stage;
    return true;
}
