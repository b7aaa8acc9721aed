#include "stack.h"

#include "cpu.h"
#include "crash.h"

#define PAINT 0xA5A5A5A5u /* as in start.S */
#define GUARD_BYTES 64u

extern uint32_t __stack_limit[], __stack_top[];

static uint32_t *guard(void) {
    return (uint32_t *)(((uint32_t)__stack_limit + GUARD_BYTES - 1u) & ~(GUARD_BYTES - 1u));
}

void stack_guard(void) {
    cpu_watch_stores((uint32_t)guard());
}

void stack_check(void) {
    const uint32_t *at = guard();
    for (uint32_t i = 0; i < GUARD_BYTES / sizeof *at; i++)
        if (at[i] != PAINT)
            crash(RESET_STACK_OVERFLOW, "guard words written", 0);
}

uint32_t stack_free_min(void) {
    const uint32_t *at = __stack_limit;
    while (at < __stack_top && *at == PAINT)
        at++;
    return (uint32_t)((const uint8_t *)at - (const uint8_t *)__stack_limit);
}

uint32_t stack_words_above(uint32_t sp, uint32_t words) {
    uint32_t low = (uint32_t)__stack_limit, high = (uint32_t)__stack_top;
    sp &= ~3u;
    if (sp < low || sp >= high)
        return 0;
    uint32_t there = (high - sp) / 4u;
    return words < there ? words : there;
}
