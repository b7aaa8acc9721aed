/*
 * OSCORE's primitives for fuzzers, which cannot guess a tag: nothing is encrypted, and every tag is
 * right. So they reach what is behind the decryption. The credentials are as good as any, and no
 * board keeps anything.
 */
#include <string.h>

#include "core/app/app.h"
#include "core/protocols/oscore/oscore_context.h"

static const uint8_t server[] = {'s'};

const struct tw_oscore_input tw_oscore_credentials = {.recipient_id = {server, sizeof server}};

bool tw_oscore_hkdf(struct tw_oscore_bytes salt, struct tw_oscore_bytes secret,
                    struct tw_oscore_bytes info, uint8_t *out, size_t size) {
    (void)salt, (void)secret;
    for (size_t i = 0; i < size; i++)
        out[i] = info.data[i % info.size];
    return true;
}

bool tw_oscore_seal(const uint8_t key[TW_OSCORE_KEY_BYTES],
                    const uint8_t nonce[TW_OSCORE_NONCE_BYTES], struct tw_oscore_bytes aad,
                    uint8_t *data, size_t size) {
    (void)key, (void)nonce, (void)aad;
    memset(data + size, 0, TW_OSCORE_TAG_BYTES);
    return true;
}

bool tw_oscore_open(const uint8_t key[TW_OSCORE_KEY_BYTES],
                    const uint8_t nonce[TW_OSCORE_NONCE_BYTES], struct tw_oscore_bytes aad,
                    struct tw_oscore_bytes sealed, uint8_t *out) {
    (void)key, (void)nonce, (void)aad;
    memcpy(out, sealed.data, sealed.size - TW_OSCORE_TAG_BYTES);
    return true;
}

bool tw_board_recall_engine(uint8_t out[TW_KEPT_BYTES]) {
    (void)out;
    return false;
}

void tw_board_keep_engine(const uint8_t data[TW_KEPT_BYTES]) {
    (void)data;
}

bool tw_board_random(uint8_t *out, size_t size) {
    (void)out, (void)size;
    return false;
}
