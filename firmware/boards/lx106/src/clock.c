#include "clock.h"

#include "cpu.h"
#include "xtfpga.h"

/* Whole units are counted as they pass, so that no 64-bit division is needed. */
static uint32_t cycles_per_us;
static uint32_t last_cycles;  /* cycle counter at the last reading... */
static uint32_t spare_cycles; /* ...less than a microsecond of which is not counted yet */
static uint64_t now_us;
static uint32_t now_ms;
static uint32_t spare_us;     /* microseconds not yet counted in now_ms */
static uint32_t skip_each_us; /* of so many microseconds one is not counted; 0: all are */
static uint32_t since_skip_us;

void clock_start(void) {
    cycles_per_us = XTFPGA_CLOCK_HZ / 1000000u;
    last_cycles = cpu_cycles();
}

static void advance(void) {
    uint32_t cycles = cpu_cycles();
    uint32_t elapsed = cycles - last_cycles;
    uint32_t us = elapsed / cycles_per_us;
    spare_cycles += elapsed - us * cycles_per_us;
    if (spare_cycles >= cycles_per_us) {
        spare_cycles -= cycles_per_us;
        us++;
    }
    last_cycles = cycles;
    if (skip_each_us) {
        since_skip_us += us;
        uint32_t skipped = since_skip_us / skip_each_us;
        since_skip_us -= skipped * skip_each_us;
        us -= skipped;
    }
    now_us += us;
    spare_us += us;
    uint32_t ms = spare_us / 1000u;
    now_ms += ms;
    spare_us -= ms * 1000u;
}

uint64_t clock_us(void) {
    uint32_t ps = cpu_lock(); /* the watchdog's interrupt reads the clock, too */
    advance();
    uint64_t us = now_us;
    cpu_unlock(ps);
    return us;
}

uint32_t clock_ms(void) {
    clock_us();
    return now_ms;
}

void clock_go_on(uint64_t us) {
    now_us += us;
}

void clock_slow(uint32_t ppm) {
    skip_each_us = ppm ? 1000000u / ppm : 0;
}

uint32_t clock_cycles(uint32_t us) {
    if (skip_each_us)
        us += us / (skip_each_us - 1u);
    return us * cycles_per_us;
}
