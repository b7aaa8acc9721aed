/*
 * Interrupts, the wait for the next one, and the watchdog. The core has one timer: while the
 * program runs it is the watchdog, while the program waits it is the alarm clock.
 */
#ifndef IDLE_H
#define IDLE_H

#include <stdint.h>

/* As long as the chip's software watchdog. It bites by interrupt, so it does not see a loop that
 * has interrupts masked. */
#define WATCHDOG_US 3200000u

/* Opens interrupts and starts the watchdog. */
void idle_start(void);
/* Feeds the watchdog, then waits until `deadline_us` (time of clock_us) or until an Ethernet
 * interrupt is waiting to be served, whichever is first; may return early. */
void idle_until(uint64_t deadline_us);

/* Feeds the watchdog: for a long computation that is no endless loop. */
void idle_alive(void);

struct crash_frame;
/* Entry from vectors.S. */
void interrupt_dispatch(const struct crash_frame *frame);

#endif
