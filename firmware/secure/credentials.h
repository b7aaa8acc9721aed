/*
 * What the device knows of its peers and of itself: compiled in, from a folder of PEM files
 * (credentials.py).
 */
#ifndef TW_CREDENTIALS_H
#define TW_CREDENTIALS_H

#include <stddef.h>
#include <stdint.h>

struct tw_der {
    const uint8_t *bytes;
    size_t size;
};

#define TW_PIN_BYTES 32

/* Certificates that a chain may end in; an element without bytes is the last. */
extern const struct tw_der tw_roots[];
/* The device's own certificate with what leads to a root, and its private key. */
extern const struct tw_der tw_own_chain[];
extern const struct tw_der tw_own_key;
/* SHA-256 of the SubjectPublicKeyInfo (RFC 7469, section 2.4) of each server that is known. */
extern const uint8_t tw_pins[][TW_PIN_BYTES];
extern const size_t tw_pin_count;
/* The pre-shared key. */
extern const char tw_psk_identity[];
extern const uint8_t tw_psk[];
extern const size_t tw_psk_size;
/* Of all of the above but the private key: tells one set from another. */
#define TW_CREDENTIALS_DIGEST_BYTES 16
extern const uint8_t tw_credentials_digest[TW_CREDENTIALS_DIGEST_BYTES];

#endif
