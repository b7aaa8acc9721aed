/*
 * What the ESP8266's core 2.4.1 and its SDK do below the core's own client (core.cmake): clock,
 * timer, waiting.
 */
#include <stdlib.h>

#include "Arduino.h"
#include "clock.h"
#include "coredecls.h"
#include "cpu.h"
#include "osapi.h"
#include "system.h"
#include "user_interface.h"

/* The chip reads a counter of microseconds, in seven instructions. The board has a counter of
 * cycles only. For EXACT cycles after the sketch went on, a product does; later it takes a
 * division. The two may differ by a microsecond, and the clock must not go back: the libraries
 * subtract. */
#define SHIFT 20 /* (EXACT << SHIFT) / 40, the least cycles of a microsecond, fits into 32 bits */
#define EXACT 65536u

uint32_t system_get_time(void) {
    static uint32_t factor, last;
    uint32_t now, since = cpu_cycles() - system_resumed.cycles;
    if (since < EXACT && factor) {
        now = (uint32_t)system_resumed.us + (since * factor >> SHIFT);
    } else {
        factor = (1u << SHIFT) / clock_cycles(1);
        now = (uint32_t)clock_us();
    }
    if ((int32_t)(now - last) > 0)
        last = now;
    return last;
}

/* The core's only timer of a single shot ends a delay: the board's alarm does that. Its other one
 * counts how often system_get_time has wrapped, which takes 71 minutes; it is not started. */
void os_timer_setfn(os_timer_t *timer, os_timer_func_t *call, void *argument) {
    *timer = (os_timer_t){call, argument};
}

void os_timer_arm(os_timer_t *timer, uint32_t ms, bool repeat) {
    (void)timer, (void)repeat;
    system_alarm(clock_us() + ms * 1000ull);
}

void os_timer_disarm(os_timer_t *timer) {
    (void)timer;
    system_alarm(UINT64_MAX);
}

void os_delay_us(uint32_t us) {
    const uint64_t until = clock_us() + us;
    while (clock_us() < until) {
    }
}

/* Of the core's assertions; the chip panics. */
void __assert_func(const char *file, int line, const char *function, const char *text)
    __attribute__((noreturn));
void __assert_func(const char *file, int line, const char *function, const char *text) {
    (void)file, (void)line, (void)function, (void)text;
    abort();
}

void esp_schedule(void) {
    system_schedule();
}

void esp_yield(void) {
    system_suspend();
}

/* The chip panics where the system yields. */
void yield(void) {
    if (!system_in_sketch())
        abort();
    esp_schedule();
    esp_yield();
}

void optimistic_yield(uint32_t interval_us) {
    if (system_in_sketch() && system_get_time() - (uint32_t)system_resumed.us > interval_us)
        yield();
}
