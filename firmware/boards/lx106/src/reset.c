#include "reset.h"

#include "xtfpga.h"

/* RTC memory: a magic number that is not there after power-on, the reason, a count, and their
 * check. */
enum { MARK, REASON, COUNT, CHECK };

#define MARK_VALUE 0x54573031u /* "TW01" */

static void store(uint32_t reason, uint32_t count) {
    XTFPGA_RTC_RAM[MARK] = MARK_VALUE;
    XTFPGA_RTC_RAM[REASON] = reason;
    XTFPGA_RTC_RAM[COUNT] = count;
    XTFPGA_RTC_RAM[CHECK] = ~(MARK_VALUE ^ reason ^ count);
}

enum reset_reason reset_read_reason(void) {
    uint32_t mark = XTFPGA_RTC_RAM[MARK];
    uint32_t reason = XTFPGA_RTC_RAM[REASON];
    uint32_t count = XTFPGA_RTC_RAM[COUNT];
    if (mark != MARK_VALUE || XTFPGA_RTC_RAM[CHECK] != ~(mark ^ reason ^ count)) {
        reason = RESET_POWER_ON;
        count = 0;
    }
    store(RESET_UNKNOWN, count);
    return reason < RESET_REASONS ? (enum reset_reason)reason : RESET_UNKNOWN;
}

const char *reset_name(enum reset_reason reason) {
    static const char *const names[RESET_REASONS] = {
        [RESET_POWER_ON] = "power_on",
        [RESET_EXCEPTION] = "exception",
        [RESET_DOUBLE_EXCEPTION] = "double_exception",
        [RESET_STACK_OVERFLOW] = "stack_overflow",
        [RESET_BREAK] = "break",
        [RESET_WATCHDOG] = "watchdog",
        [RESET_HEAP_EXHAUSTED] = "heap_exhausted",
        [RESET_ASSERT] = "assert",
        [RESET_ABORT] = "abort",
        [RESET_UNKNOWN] = "unknown",
    };
    return names[reason];
}

uint32_t reset_count(void) {
    return XTFPGA_RTC_RAM[COUNT];
}

void reset_now(enum reset_reason reason) {
    store(reason, reset_count() + 1u);
    XTFPGA_RESET = XTFPGA_RESET_KEY;
    for (;;) {
    }
}
