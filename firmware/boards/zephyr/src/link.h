/*
 * The network interface: addresses, and on boards with a radio the access point.
 */
#ifndef LINK_H
#define LINK_H

#include "core/config.h"

/* Brings the interface up with the configured addresses, or with DHCP's where there are none. On
 * boards with Wi-Fi joins `ssid` first. Returns the address (10.0.0.1 is 0x0A000001), or 0 when
 * there was none within LINK_LIMIT_S. */
#define LINK_LIMIT_S 30
uint32_t link_up(const struct tw_config *config, const char *ssid, const char *password);

#endif
