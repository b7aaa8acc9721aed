/*
 * The primitives that OSCORE needs, which a build with TW_OSCORE provides (firmware/secure): one
 * AEAD algorithm and one key derivation function, both mandatory (RFC 8613, section 3.2).
 */
#ifndef TW_OSCORE_CRYPTO_H
#define TW_OSCORE_CRYPTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* AES-CCM-16-64-128 (RFC 8152, section 10.2). */
#define TW_OSCORE_ALGORITHM 10
#define TW_OSCORE_KEY_BYTES 16
#define TW_OSCORE_NONCE_BYTES 13
#define TW_OSCORE_TAG_BYTES 8

struct tw_oscore_bytes {
    const uint8_t *data;
    size_t size;
};

/* HKDF with SHA-256 (RFC 5869): `size` bytes into `out`. */
bool tw_oscore_hkdf(struct tw_oscore_bytes salt, struct tw_oscore_bytes secret,
                    struct tw_oscore_bytes info, uint8_t *out, size_t size);
/* Encrypts `size` bytes in place and writes the tag behind them. */
bool tw_oscore_seal(const uint8_t key[TW_OSCORE_KEY_BYTES],
                    const uint8_t nonce[TW_OSCORE_NONCE_BYTES], struct tw_oscore_bytes aad,
                    uint8_t *data, size_t size);
/* Decrypts `sealed`, which ends in its tag, into `out`; false if the tag is wrong, and then `out`
 * holds nothing of the plaintext. */
bool tw_oscore_open(const uint8_t key[TW_OSCORE_KEY_BYTES],
                    const uint8_t nonce[TW_OSCORE_NONCE_BYTES], struct tw_oscore_bytes aad,
                    struct tw_oscore_bytes sealed, uint8_t *out);

#endif
