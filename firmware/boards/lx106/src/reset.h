/*
 * Resets and their reasons. The reason for the next boot is stored in RTC memory, which survives a
 * reset and nothing else.
 */
#ifndef RESET_H
#define RESET_H

#include <stdint.h>

enum reset_reason {
    RESET_POWER_ON,
    RESET_EXCEPTION,
    RESET_DOUBLE_EXCEPTION,
    RESET_STACK_OVERFLOW,
    RESET_BREAK,
    RESET_WATCHDOG,
    RESET_HEAP_EXHAUSTED,
    RESET_ASSERT,
    RESET_ABORT,
    RESET_UNKNOWN, /* a reset that nobody announced */
    RESET_REASONS
};

/* Returns the reason for this boot. Call it once, first: it also marks the next reset as
 * unannounced. */
enum reset_reason reset_read_reason(void);
/* The reason as it is written to the log. */
const char *reset_name(enum reset_reason reason);
/* Resets made by reset_now since power on. */
uint32_t reset_count(void);
void reset_now(enum reset_reason reason) __attribute__((noreturn));

#endif
