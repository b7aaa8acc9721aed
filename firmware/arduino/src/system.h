/*
 * The sketch and the system share the processor as they do on the chip: each has a stack, the
 * sketch runs until it waits, and the network works only while it waits. The sketch has the stack
 * that main has otherwise, of 4 KiB, so that its guard and its low-water mark are those of the
 * sketch.
 */
#ifndef SYSTEM_H
#define SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Once, by the sketch's context, when lwIP and the interface are up. */
void system_start(void);
/* The sketch goes on when the system has nothing else to do. Calls add up to one. */
void system_schedule(void);
/* The system works until the sketch is scheduled. Nothing when the system itself calls it. */
void system_suspend(void);
/* Schedules the sketch at `us` on the board's clock; UINT64_MAX: not. There is one alarm. */
void system_alarm(uint64_t us);
/* Suspends until `us`, or until a frame has come in. */
void system_rest(uint64_t us);
/* True in the sketch's context. */
bool system_in_sketch(void);
/* When the sketch last went on, also by the counter of cycles. */
struct system_moment {
    uint64_t us;
    uint32_t cycles;
};
extern struct system_moment system_resumed;
uint64_t system_resumed_us(void);
uint64_t system_now_us(void);
/* How often the sketch has waited since the start, for how long, and what of that went into frames
 * that had come in. */
struct system_waits {
    uint32_t count, us, frames_us;
};
struct system_waits system_waited(void);
/* Serves frames that have come in: for system_wait. */
void system_frames(void);

uint32_t system_heap_free(void);      /* bytes, now */
uint32_t system_stack_free_min(void); /* bytes of the sketch's stack that were never used */
uint32_t system_cycles(void);         /* of the emulated counter, modulo 2^32 */
void system_alive(void);              /* feeds the watchdog */
void system_restart(void) __attribute__((noreturn));

/* What depends on the image (main/):
 * sleeps until something happens, at the latest until `until_us`, and serves network and timers; */
void system_wait(uint64_t until_us);
/* text for the log. */
void system_log(const char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
