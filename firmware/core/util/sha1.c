#include "sha1.h"

#include <string.h>

#define BLOCK 64

static uint32_t rotate(uint32_t x, unsigned k) {
    return x << k | x >> (32 - k);
}

static void add_block(uint32_t h[5], const uint8_t *block) {
    uint32_t w[16]; /* the message schedule, as a ring: 64 bytes of stack instead of 320 */
    uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
    for (unsigned t = 0; t < 80; t++) {
        uint32_t f, k;
        if (t < 16)
            w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
                   (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3];
        else
            w[t & 15] = rotate(w[(t + 13) & 15] ^ w[(t + 8) & 15] ^ w[(t + 2) & 15] ^ w[t & 15], 1);
        if (t < 20)
            f = (b & c) | (~b & d), k = 0x5A827999u;
        else if (t < 40)
            f = b ^ c ^ d, k = 0x6ED9EBA1u;
        else if (t < 60)
            f = (b & c) | (b & d) | (c & d), k = 0x8F1BBCDCu;
        else
            f = b ^ c ^ d, k = 0xCA62C1D6u;
        uint32_t next = rotate(a, 5) + f + e + k + w[t & 15];
        e = d, d = c, c = rotate(b, 30), b = a, a = next;
    }
    h[0] += a, h[1] += b, h[2] += c, h[3] += d, h[4] += e;
}

void tw_sha1(const uint8_t *data, size_t size, uint8_t digest[TW_SHA1_BYTES]) {
    uint32_t h[5] = {0x67452301u, 0xEFCDAB89u, 0x98BADCFEu, 0x10325476u, 0xC3D2E1F0u};
    uint8_t last[2 * BLOCK] = {0};
    size_t whole = size / BLOCK * BLOCK, rest = size - whole;
    for (size_t at = 0; at < whole; at += BLOCK)
        add_block(h, data + at);
    if (rest)
        memcpy(last, data + whole, rest);
    last[rest] = 0x80;
    size_t padded = rest < BLOCK - 8 ? BLOCK : 2 * BLOCK;
    for (unsigned i = 0; i < 8; i++)
        last[padded - 1 - i] = (uint8_t)((uint64_t)size * 8 >> 8 * i);
    for (size_t at = 0; at < padded; at += BLOCK)
        add_block(h, last + at);
    for (unsigned i = 0; i < TW_SHA1_BYTES; i++)
        digest[i] = (uint8_t)(h[i / 4] >> (24 - 8 * (i % 4)));
}

void tw_base64(const uint8_t *data, size_t size, char *out) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        uint32_t v = (uint32_t)data[i] << 16 | (left > 1 ? (uint32_t)data[i + 1] << 8 : 0) |
                     (left > 2 ? data[i + 2] : 0u);
        *out++ = digits[v >> 18];
        *out++ = digits[v >> 12 & 63];
        *out++ = left > 1 ? digits[v >> 6 & 63] : '=';
        *out++ = left > 2 ? digits[v & 63] : '=';
    }
    *out = 0;
}
