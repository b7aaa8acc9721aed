/*
 * lwIP with DHCP, DNS and SNTP, as the ESP8266's Arduino core configures them (lwip2): no ARP probe
 * for a leased address, no delay before the first SNTP request, SNTP servers by name. Everything
 * else is as without them.
 */
#ifndef DHCP_LWIPOPTS_H
#define DHCP_LWIPOPTS_H

#include "../lwip/lwipopts.h"

#undef LWIP_DHCP
#define LWIP_DHCP 1
#define DHCP_DOES_ARP_CHECK 0
#define LWIP_DHCP_GET_NTP_SRV 1
#define LWIP_NETIF_HOSTNAME 1

#undef LWIP_DNS
#define LWIP_DNS 1
#define DNS_TABLE_SIZE 3
#define DNS_MAX_NAME_LENGTH 128
#define DNS_DOES_NAME_CHECK 0
#define LWIP_DNS_SECURE 0

#define SNTP_SERVER_DNS 1
#define SNTP_STARTUP_DELAY 0
void acquire_set_clock(uint32_t utc_s);
#define SNTP_SET_SYSTEM_TIME(utc_s) acquire_set_clock(utc_s)

#endif
