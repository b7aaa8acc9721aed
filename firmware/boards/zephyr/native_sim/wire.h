/*
 * What a chip has and native_sim lacks, between the simulated hardware and the system: an Ethernet
 * controller at a TAP that interrupts when a frame comes, and a clock that goes as the host's.
 */
#ifndef WIRE_H
#define WIRE_H

#define WIRE_IRQ 5

/* Open the TAP, and from now on hold the clock to the host's. tick_us: period of the system's
 * ticks. */
void wire_open(const char *tap, unsigned int tick_us);

/* The next frame that waits, or 0 or less if there is none. */
long wire_read(void *frame, unsigned long size);

/* 0, or less if the frame did not leave whole. */
int wire_write(const void *frame, unsigned long size);

#endif
