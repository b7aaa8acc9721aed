/*
 * Time since boot, from the core's cycle counter.
 */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>

/* The counter wraps after 2^32 cycles (107 s at 40 MHz), so two readings of the clock must be less
 * than that apart. The idle loop sleeps at most this long to ensure it. */
#define CLOCK_LONGEST_SLEEP_US 50000000u

void clock_start(void);
/* Microseconds since clock_start; monotonic, never wraps. */
uint64_t clock_us(void);
/* Milliseconds since clock_start, modulo 2^32. */
uint32_t clock_ms(void);
/* Continues the clock from `us`, a time from before this start. Call it once, before the clock is
 * read. */
void clock_go_on(uint64_t us);
/* Makes the clock slow by `ppm`, from 0: one microsecond in 1,000,000 / ppm is not counted. */
void clock_slow(uint32_t ppm);
/* Cycles of the counter in `us` microseconds (at most CLOCK_LONGEST_SLEEP_US). */
uint32_t clock_cycles(uint32_t us);

#endif
