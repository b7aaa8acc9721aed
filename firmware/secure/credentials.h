/*
 * The device's trust anchors and its own credentials, compiled in from a folder of PEM files
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

/* Root certificates that a chain may end in. An empty element ends the list. */
extern const struct tw_der tw_roots[];
/* The device's own certificate with its chain to a root, and its private key. */
extern const struct tw_der tw_own_chain[];
extern const struct tw_der tw_own_key;
/* SHA-256 of the SubjectPublicKeyInfo (RFC 7469, section 2.4) of each pinned server. */
extern const uint8_t tw_pins[][TW_PIN_BYTES];
extern const size_t tw_pin_count;
/* The pre-shared key. */
extern const char tw_psk_identity[];
extern const uint8_t tw_psk[];
extern const size_t tw_psk_size;
/* A digest of all of the above except the private key; identifies a set of credentials. */
#define TW_CREDENTIALS_DIGEST_BYTES 16
extern const uint8_t tw_credentials_digest[TW_CREDENTIALS_DIGEST_BYTES];

#endif
