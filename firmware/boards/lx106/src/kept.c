/*
 * Where the session of TLS outlives a reset (secure/kept_record.h).
 */
#include "rtc.h"
#include "secure/kept_record.h"

_Static_assert(RTC_KEPT + TW_KEPT_BYTES <= XTFPGA_RTC_BYTES, "RTC memory is full");

bool tw_board_recall(uint8_t out[TW_KEPT_BYTES]) {
    rtc_read(RTC_KEPT, out, TW_KEPT_BYTES);
    return true;
}

void tw_board_keep(const uint8_t data[TW_KEPT_BYTES]) {
    rtc_write(RTC_KEPT, data, TW_KEPT_BYTES);
}
