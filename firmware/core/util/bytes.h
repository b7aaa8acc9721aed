/*
 * Cursors over byte buffers in network order. Neither ever passes its end: a cursor that would
 * becomes `bad`, stays where it is, and the caller tests once at the end.
 */
#ifndef TW_BYTES_H
#define TW_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tw_writer {
    uint8_t *data;
    size_t size, used;
    bool bad;
};

struct tw_reader {
    const uint8_t *data;
    size_t size, used;
    bool bad;
};

struct tw_writer tw_writer(uint8_t *data, size_t size);
void tw_put8(struct tw_writer *w, uint8_t value);
void tw_put16(struct tw_writer *w, uint16_t value);
void tw_put32(struct tw_writer *w, uint32_t value);
void tw_put64(struct tw_writer *w, uint64_t value);
void tw_put(struct tw_writer *w, const void *data, size_t size);
void tw_put_text(struct tw_writer *w, const char *text);
/* The text after its length in 16 bits, as MQTT writes its strings. */
void tw_put_string16(struct tw_writer *w, const char *text);
void tw_put_decimal(struct tw_writer *w, uint64_t value);
void tw_put_hex(struct tw_writer *w, uint32_t value);
/* Reserves `size` bytes for the caller to fill; NULL when they do not fit. */
uint8_t *tw_reserve(struct tw_writer *w, size_t size);

/* The value of a hexadecimal digit of either case, or -1. */
int tw_hex_digit(char c);

struct tw_reader tw_reader(const uint8_t *data, size_t size);
/* 0 at the end, with `bad` set. */
uint8_t tw_get8(struct tw_reader *r);
uint16_t tw_get16(struct tw_reader *r);
uint32_t tw_get32(struct tw_reader *r);
uint64_t tw_get64(struct tw_reader *r);
/* The next `size` bytes in place; NULL, with `bad` set, when there are fewer. */
const uint8_t *tw_take(struct tw_reader *r, size_t size);
size_t tw_left(const struct tw_reader *r);

#endif
