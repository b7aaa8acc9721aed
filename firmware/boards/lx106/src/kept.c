/*
 * The storage in which a TLS session (secure/resumption_record.h), or what an engine keeps,
 * survives a reset. An image has one of both.
 */
#include "core/app/app.h"
#include "rtc.h"
#include "secure/resumption_record.h"

_Static_assert(RTC_KEPT + TW_RESUMPTION_BYTES <= XTFPGA_RTC_BYTES, "RTC memory is full");

bool tw_board_recall(uint8_t out[TW_RESUMPTION_BYTES]) {
    rtc_read(RTC_KEPT, out, TW_RESUMPTION_BYTES);
    return true;
}

void tw_board_keep(const uint8_t data[TW_RESUMPTION_BYTES]) {
    rtc_write(RTC_KEPT, data, TW_RESUMPTION_BYTES);
}

bool tw_board_recall_engine(uint8_t out[TW_KEPT_BYTES]) {
    rtc_read(RTC_KEPT, out, TW_KEPT_BYTES);
    return true;
}

void tw_board_keep_engine(const uint8_t data[TW_KEPT_BYTES]) {
    rtc_write(RTC_KEPT, data, TW_KEPT_BYTES);
}

bool tw_board_random(uint8_t *out, size_t size) {
    (void)out, (void)size;
    return false; /* it is emulated */
}
