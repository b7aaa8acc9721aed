/*
 * The layout of RTC memory, in bytes. It survives a reset but not a loss of power.
 */
#ifndef RTC_H
#define RTC_H

#include <stddef.h>

#include "xtfpga.h"

#define RTC_RESET 0u  /* the reason for the next start (reset.c) */
#define RTC_SLEEP 16u /* a run that continues after deep sleep (sleep.c) */
#define RTC_LEASE 96u /* the address of the last DHCP lease (dhcp/lease.c) */
#define RTC_KEPT                                                                                   \
    128u /* a TLS session, or what an engine keeps (kept.c); the Arduino core's updates may write  \
            below it */

void rtc_write(size_t at, const void *data, size_t size);
void rtc_read(size_t at, void *out, size_t size);

#endif
