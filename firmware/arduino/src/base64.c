#include "libb64/cencode.h"

/* Groups of a line. */
#define LINE_GROUPS (BASE64_CHARS_PER_LINE / 4)

static char digit(unsigned value) {
    return "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[value & 63u];
}

void base64_init_encodestate(base64_encodestate *state) {
    *state = (base64_encodestate){.breaks = 1};
}

void base64_init_encodestate_nonewlines(base64_encodestate *state) {
    *state = (base64_encodestate){.breaks = 0};
}

int base64_encode_block(const char *data, int size, char *out, base64_encodestate *state) {
    char *at = out;
    for (int i = 0; i < size; i++) {
        state->held = state->held << 8 | (unsigned char)data[i];
        if (++state->bytes < 3)
            continue;
        for (int shift = 18; shift >= 0; shift -= 6)
            *at++ = digit(state->held >> shift);
        state->held = 0;
        state->bytes = 0;
        if (++state->column == LINE_GROUPS && state->breaks) {
            *at++ = '\n';
            state->column = 0;
        }
    }
    return (int)(at - out);
}

int base64_encode_blockend(char *out, base64_encodestate *state) {
    char *at = out;
    if (state->bytes) {
        unsigned group = state->held << (state->bytes == 1 ? 16 : 8);
        *at++ = digit(group >> 18);
        *at++ = digit(group >> 12);
        *at++ = state->bytes == 1 ? '=' : digit(group >> 6);
        *at++ = '=';
    }
    *at = 0;
    return (int)(at - out);
}

int base64_encode_chars(const char *data, int size, char *out) {
    base64_encodestate state;
    base64_init_encodestate(&state);
    int length = base64_encode_block(data, size, out, &state);
    return length + base64_encode_blockend(out + length, &state);
}
