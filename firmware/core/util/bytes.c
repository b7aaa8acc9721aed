#include "bytes.h"

#include <string.h>

struct tw_writer tw_writer(uint8_t *data, size_t size) {
    return (struct tw_writer){.data = data, .size = size};
}

uint8_t *tw_reserve(struct tw_writer *w, size_t size) {
    if (w->bad || size > w->size - w->used) {
        w->bad = true;
        return NULL;
    }
    uint8_t *at = w->data + w->used;
    w->used += size;
    return at;
}

void tw_put(struct tw_writer *w, const void *data, size_t size) {
    uint8_t *at = tw_reserve(w, size);
    if (at && size)
        memcpy(at, data, size);
}

void tw_put8(struct tw_writer *w, uint8_t value) {
    tw_put(w, &value, 1);
}

void tw_put16(struct tw_writer *w, uint16_t value) {
    tw_put8(w, (uint8_t)(value >> 8));
    tw_put8(w, (uint8_t)value);
}

void tw_put32(struct tw_writer *w, uint32_t value) {
    tw_put16(w, (uint16_t)(value >> 16));
    tw_put16(w, (uint16_t)value);
}

void tw_put64(struct tw_writer *w, uint64_t value) {
    tw_put32(w, (uint32_t)(value >> 32));
    tw_put32(w, (uint32_t)value);
}

void tw_put_text(struct tw_writer *w, const char *text) {
    tw_put(w, text, strlen(text));
}

void tw_put_string16(struct tw_writer *w, const char *text) {
    tw_put16(w, (uint16_t)strlen(text));
    tw_put_text(w, text);
}

void tw_put_decimal(struct tw_writer *w, uint64_t value) {
    char digits[20];
    size_t at = sizeof digits;
    do {
        /* 32-bit division is several times cheaper on the boards, and enough for most values. */
        if (value <= UINT32_MAX) {
            uint32_t small = (uint32_t)value;
            do {
                digits[--at] = (char)('0' + small % 10);
                small /= 10;
            } while (small);
            break;
        }
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    tw_put(w, digits + at, sizeof digits - at);
}

void tw_put_hex(struct tw_writer *w, uint32_t value) {
    char digits[8];
    size_t at = sizeof digits;
    do {
        digits[--at] = "0123456789abcdef"[value & 15];
        value >>= 4;
    } while (value);
    tw_put(w, digits + at, sizeof digits - at);
}

int tw_hex_digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20; /* lower case */
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

struct tw_reader tw_reader(const uint8_t *data, size_t size) {
    return (struct tw_reader){.data = data, .size = size};
}

size_t tw_left(const struct tw_reader *r) {
    return r->bad ? 0 : r->size - r->used;
}

const uint8_t *tw_take(struct tw_reader *r, size_t size) {
    if (r->bad || size > r->size - r->used) {
        r->bad = true;
        return NULL;
    }
    const uint8_t *at = r->data + r->used;
    r->used += size;
    return at;
}

uint8_t tw_get8(struct tw_reader *r) {
    const uint8_t *at = tw_take(r, 1);
    return at ? at[0] : 0;
}

uint16_t tw_get16(struct tw_reader *r) {
    const uint8_t *at = tw_take(r, 2);
    return (uint16_t)(at ? at[0] << 8 | at[1] : 0);
}

uint32_t tw_get32(struct tw_reader *r) {
    const uint8_t *at = tw_take(r, 4);
    return at ? (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3] : 0;
}

uint64_t tw_get64(struct tw_reader *r) {
    uint64_t high = tw_get32(r);
    return high << 32 | tw_get32(r);
}
