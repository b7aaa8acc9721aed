/*
 * Who has which part of RTC memory, which survives a reset and not a loss of power. Bytes.
 */
#ifndef RTC_H
#define RTC_H

#include <stddef.h>

#include "xtfpga.h"

#define RTC_RESET 0u  /* the reason of the coming start (reset.c) */
#define RTC_SLEEP 16u /* a run that goes on after deep sleep (sleep.c) */
#define RTC_KEPT                                                                                   \
    128u /* a session of TLS (resumption.c); below, the Arduino core lets updates write */

void rtc_write(size_t at, const void *data, size_t size);
void rtc_read(size_t at, void *out, size_t size);

#endif
