#include "lease.h"

#include "rtc.h"

#define MARK_VALUE 0x5457444Cu /* "TWDL" */

struct record {
    uint32_t mark, address, check;
};

_Static_assert(RTC_LEASE + sizeof(struct record) <= RTC_KEPT, "no room for the lease");

void lease_keep(uint32_t address) {
    struct record record = {MARK_VALUE, address, ~address};
    rtc_write(RTC_LEASE, &record, sizeof record);
}

uint32_t lease_recall(void) {
    struct record record;
    rtc_read(RTC_LEASE, &record, sizeof record);
    return record.mark == MARK_VALUE && record.check == ~record.address ? record.address : 0;
}
