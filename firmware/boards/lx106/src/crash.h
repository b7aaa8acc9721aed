/*
 * The end of a run that cannot go on: one `crash` line in the log, then a reset with the reason.
 */
#ifndef CRASH_H
#define CRASH_H

#include <stdint.h>

#include "reset.h"

/* Registers at an exception, as vectors.S stores them. */
struct crash_frame {
    uint32_t a[16];
    uint32_t sar;
    uint32_t pc;
    uint32_t cause;
    uint32_t address;
    uint32_t ps;
};

/* From C: `detail` says what went wrong, in words without quotes; `line` is 0 where none applies.
 */
void crash(enum reset_reason reason, const char *detail, uint32_t line) __attribute__((noreturn));

/* The watchdog's: with the interrupted program counter and stack. */
void crash_interrupted(enum reset_reason reason, const struct crash_frame *frame)
    __attribute__((noreturn));

/* Entries from vectors.S. */
void crash_exception(const struct crash_frame *frame) __attribute__((noreturn));
void crash_double(uint32_t pc, uint32_t cause, uint32_t address, uint32_t sp)
    __attribute__((noreturn));
void crash_debug(uint32_t pc, uint32_t debug_cause, uint32_t sp) __attribute__((noreturn));

#endif
