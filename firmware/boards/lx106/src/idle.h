/*
 * Interrupts, the wait for the next one, and the watchdog. The core has one timer: it is the
 * watchdog while the program runs and the alarm while the program waits.
 */
#ifndef IDLE_H
#define IDLE_H

#include <stdint.h>

/* The timeout of the chip's software watchdog. It fires as an interrupt, so it does not detect a
 * loop with interrupts masked. */
#define WATCHDOG_US 3200000u

/* Enables interrupts and starts the watchdog. */
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
