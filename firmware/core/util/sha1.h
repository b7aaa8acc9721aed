/*
 * SHA-1 (FIPS 180-4) of short texts, for the WebSocket handshake only. Not for security.
 */
#ifndef TW_SHA1_H
#define TW_SHA1_H

#include <stddef.h>
#include <stdint.h>

#define TW_SHA1_BYTES 20

void tw_sha1(const uint8_t *data, size_t size, uint8_t digest[TW_SHA1_BYTES]);

/* Base64 (RFC 4648 section 4) with padding and a NUL; `out` has 4 * ceil(size / 3) + 1 bytes. */
void tw_base64(const uint8_t *data, size_t size, char *out);

#endif
