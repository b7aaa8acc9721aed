/*
 * Lines of the log that the board itself writes: one JSON object per line, with the time, the
 * trial's nonce and the event. Text goes directly to the emulator: no buffer, no heap, little
 * stack, so that a crash can use it.
 */
#ifndef LOG_H
#define LOG_H

#include <stdint.h>

/* The nonce of the run; the string must stay valid. Empty until set. */
void log_set_nonce(const char *nonce);

/* log_begin opens a line, log_end closes it; between them any number of members. Text is printed
 * as it is and must not need escapes. */
void log_begin(const char *event);
void log_number(const char *key, uint32_t value);
void log_hex(const char *key, uint32_t value);
void log_text(const char *key, const char *value);
/* An array of eight-digit hexadecimal words. */
void log_words(const char *key, const uint32_t *words, uint32_t count);
void log_end(void);

#endif
