/*
 * Deep sleep as on the chip: radio and processor are off, RTC memory and its clock stay on, and a
 * reset ends it. The emulated processor waits instead of being off.
 */
#include <stdbool.h>
#include <string.h>

#include "clock.h"
#include "core/app/app.h"
#include "eth.h"
#include "idle.h"
#include "reset.h"
#include "rtc.h"

#define MARK_VALUE 0x54575331u /* "TWS1" */

struct record {
    uint32_t mark;
    uint32_t check;
    tw_time until;
    uint8_t run[TW_RUN_BYTES];
};

_Static_assert(RTC_SLEEP + sizeof(struct record) <= RTC_LEASE, "no room for the run");

/* FNV-1a: memory that lost its power must not be accepted as a run. */
static uint32_t check_of(const struct record *record) {
    const uint8_t *bytes = (const uint8_t *)&record->until;
    size_t size = sizeof *record - offsetof(struct record, until);
    uint32_t hash = 0x811C9DC5u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x01000193u;
    return hash;
}

/* Linux ends an emulator's wait up to 0.1 % late (select_estimate_accuracy), so the last 1/256 is a
 * separate wait. */
static uint64_t wait_until(uint64_t until) {
    uint64_t now;
    while ((now = clock_us()) < until)
        idle_until(until - ((until - now) >> 8));
    return now;
}

void tw_board_sleep(tw_time until, const void *run, size_t size) {
    struct record record = {.mark = MARK_VALUE};
    memcpy(record.run, run, size);
    eth_stop();
    record.until = wait_until(until);
    record.check = check_of(&record);
    rtc_write(RTC_SLEEP, &record, sizeof record);
    reset_now(RESET_UNKNOWN); /* the application reports the reason */
}

bool tw_board_woken(void *run, size_t size) {
    struct record record;
    const struct record none = {0};
    rtc_read(RTC_SLEEP, &record, sizeof record);
    if (record.mark != MARK_VALUE || record.check != check_of(&record))
        return false;
    rtc_write(RTC_SLEEP, &none, sizeof none); /* a crash is not a wake-up */
    memcpy(run, record.run, size);
    clock_go_on(record.until);
    return true;
}
