// Base64 in pieces, by the names of libb64 (RFC 4648, section 4).
#pragma once

// The text of `size` bytes, without line breaks.
#define base64_encode_expected_len_nonewlines(size) ((((4 * (size)) / 3) + 3) & ~3)

// Release 3 of the core breaks lines after 72 characters, which the length includes.
#include "core_version.h"
#define BASE64_CHARS_PER_LINE 72
#if THINWIRE_ARDUINO_CORE_3
#define base64_encode_expected_len(size)                                                           \
    (base64_encode_expected_len_nonewlines(size) +                                                 \
     (((size) / ((BASE64_CHARS_PER_LINE * 3) / 4)) + 1))
#else
#define base64_encode_expected_len(size) base64_encode_expected_len_nonewlines(size)
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    unsigned held; // bits of an unfinished group, and how many bytes they are
    int bytes, column, breaks;
} base64_encodestate;

void base64_init_encodestate(base64_encodestate *state);
void base64_init_encodestate_nonewlines(base64_encodestate *state);
// Both return how many characters they wrote; the end is followed by a NUL.
int base64_encode_block(const char *data, int size, char *out, base64_encodestate *state);
int base64_encode_blockend(char *out, base64_encodestate *state);
int base64_encode_chars(const char *data, int size, char *out);

#ifdef __cplusplus
}
#endif
