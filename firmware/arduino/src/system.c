#include "system.h"

#include "clock.h"
#include "context.h"
#include "cpu.h"
#include "heap.h"
#include "idle.h"
#include "netif.h"
#include "reset.h"
#include "stack.h"

/* The chip's system has its stack at the end of its own data RAM, from 0x3FFFC000 on, which no
 * sketch can use. */
#define STACK_END 0x3FFFFFB0u

#define NEVER UINT64_MAX

static void *sketch_sp, *system_sp;
static bool in_sketch, scheduled, resting;
struct system_moment system_resumed;
static uint64_t alarm_us = NEVER;
static uint32_t waits;
static uint64_t waited_cycles, frame_cycles;

static void mark(void) {
    system_resumed.us = clock_us();
    system_resumed.cycles = cpu_cycles();
}

static void resume(void) {
    scheduled = resting = false;
    alarm_us = NEVER;
    in_sketch = true;
    mark();
    context_switch(&system_sp, sketch_sp);
    in_sketch = false;
}

/* Frames and timers first, then the sketch: on the chip the tasks of the radio and of lwIP come
 * before the sketch's. */
static void work(void) __attribute__((noreturn));
static void work(void) {
    for (;;) {
        system_wait(scheduled ? 0 : alarm_us);
        if (scheduled || resting || clock_us() >= alarm_us)
            resume();
    }
}

void system_start(void) {
    struct context_frame *first = (struct context_frame *)STACK_END - 1;
    *first = (struct context_frame){.go_on = work};
    system_sp = first;
    in_sketch = true;
    mark();
}

void system_schedule(void) {
    scheduled = true;
}

void system_suspend(void) {
    if (!in_sketch)
        return;
    uint32_t began = cpu_cycles();
    context_switch(&sketch_sp, system_sp);
    waits++;
    waited_cycles += cpu_cycles() - began;
}

void system_alarm(uint64_t us) {
    alarm_us = us;
}

void system_rest(uint64_t us) {
    resting = true;
    alarm_us = us;
    system_suspend();
}

bool system_in_sketch(void) {
    return in_sketch;
}

uint64_t system_resumed_us(void) {
    return system_resumed.us;
}

struct system_waits system_waited(void) {
    uint32_t a_us = clock_cycles(1);
    return (struct system_waits){waits, (uint32_t)(waited_cycles / a_us),
                                 (uint32_t)(frame_cycles / a_us)};
}

void system_frames(void) {
    uint32_t began = cpu_cycles();
    while (netif_serve())
        ;
    frame_cycles += cpu_cycles() - began;
}

uint64_t system_now_us(void) {
    return clock_us();
}

uint32_t system_heap_free(void) {
    struct heap_use use = heap_use();
    return use.total_bytes - use.used_bytes;
}

uint32_t system_stack_free_min(void) {
    return stack_free_min();
}

uint32_t system_cycles(void) {
    return cpu_cycles();
}

void system_alive(void) {
    idle_alive();
}

void system_restart(void) {
    reset_now(RESET_UNKNOWN);
}
