#include "clock.h"

#include "cpu.h"
#include "xtfpga.h"

/* The core divides in software, a bit at a time, and multiplies in one instruction. */
struct unit {
    uint32_t size;
    uint32_t reciprocal; /* 2^32 / size, rounded down */
};

static const struct unit millisecond = {1000u, 0xFFFFFFFFu / 1000u};

/* Whole units are counted as they pass, so that no 64-bit division is needed. */
static struct unit microsecond; /* in cycles */
static uint32_t last_cycles;    /* cycle counter at the last reading... */
static uint32_t spare_cycles;   /* ...less than a microsecond of which is not counted yet */
static uint64_t now_us;
static uint32_t now_ms;
static uint32_t spare_us; /* microseconds not yet counted in now_ms */
static struct unit skip;  /* of so many microseconds one is not counted; 0: all are */
static uint32_t since_skip_us;

void clock_start(void) {
    microsecond.size = XTFPGA_CLOCK_HZ / 1000000u;
    microsecond.reciprocal = 0xFFFFFFFFu / microsecond.size;
    last_cycles = cpu_cycles();
}

/* Returns how many whole units are in `count`, and leaves the rest of it. The upper half of the
 * product with the reciprocal, without its lowest part, is at most four units too small. */
static uint32_t remove_units(uint32_t *count, struct unit unit) {
    uint32_t high = *count >> 16, low = *count & 0xFFFFu;
    uint32_t r_high = unit.reciprocal >> 16, r_low = unit.reciprocal & 0xFFFFu;
    uint32_t units = high * r_high + (high * r_low >> 16) + (low * r_high >> 16);
    uint32_t rest = *count - units * unit.size;
    while (rest >= unit.size) {
        rest -= unit.size;
        units++;
    }
    *count = rest;
    return units;
}

static void advance(void) {
    uint32_t cycles = cpu_cycles();
    spare_cycles += cycles - last_cycles;
    last_cycles = cycles;
    uint32_t us = remove_units(&spare_cycles, microsecond);
    if (skip.size) {
        since_skip_us += us;
        us -= remove_units(&since_skip_us, skip);
    }
    now_us += us;
    spare_us += us;
    now_ms += remove_units(&spare_us, millisecond);
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
    skip.size = ppm ? 1000000u / ppm : 0;
    skip.reciprocal = skip.size ? 0xFFFFFFFFu / skip.size : 0;
}

uint32_t clock_cycles(uint32_t us) {
    if (skip.size)
        us += us / (skip.size - 1u);
    return us * microsecond.size;
}
