/*
 * Text that arrives in pieces: is it UTF-8 as RFC 3629 defines it?
 */
#ifndef TW_UTF8_H
#define TW_UTF8_H

#include <stdbool.h>
#include <stdint.h>

/* Zeroed at the start of each text. */
struct tw_utf8 {
    uint8_t left;      /* bytes of the character in progress that are still to come */
    uint8_t low, high; /* range of the next of them */
};

/* Takes the next byte; false: no UTF-8 text goes on so. */
bool tw_utf8_take(struct tw_utf8 *text, uint8_t byte);
/* True between two characters, where a text may end. */
bool tw_utf8_may_end(const struct tw_utf8 *text);

#endif
