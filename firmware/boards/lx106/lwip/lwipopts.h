/*
 * lwIP as the ESP8266's Arduino core configures it (lwip2), so that the board's segments, windows
 * and memory behave like the chip's. Left out: DHCP and DNS (the configuration gives the
 * addresses), IGMP (its timer would wake an idle board ten times a second; without it lwIP accepts
 * every multicast group, which is right in a cell without IGMP snooping), and IP fragments (no
 * message of the workload needs them).
 */
#ifndef LWIPOPTS_H
#define LWIPOPTS_H

#include <stdint.h>

/* No operating system: one loop, callbacks, polled timers. */
#define NO_SYS 1
#define SYS_LIGHTWEIGHT_PROT 0
#define LWIP_NETCONN 0
#define LWIP_SOCKET 0
#define LWIP_RAW 0

/* Everything is allocated from one heap on demand, so pool sizes have no meaning. */
#ifndef MEM_ALIGNMENT /* pointers differ on a host, where this is fuzzed */
#define MEM_ALIGNMENT 4
#endif
#define MEM_LIBC_MALLOC 1
#define MEMP_MEM_MALLOC 1
#define MEMP_NUM_SYS_TIMEOUT LWIP_NUM_SYS_TIMEOUT_INTERNAL

#define LWIP_ARP 1
#define ARP_QUEUEING 1
#define ARP_QUEUE_LEN 3
#define LWIP_IPV4 1
#define LWIP_IPV6 0
#define IP_REASSEMBLY 0
#define IP_FRAG 0
#define LWIP_ICMP 1
#define LWIP_IGMP 0
#define LWIP_DHCP 0
#define LWIP_DNS 0
#define LWIP_UDP 1
#define LWIP_TCP 1
#define LWIP_SINGLE_NETIF 1
#define LWIP_NETIF_TX_SINGLE_PBUF 1 /* the radio accepts one buffer per frame */

/* The largest MSS; net/lwip_tcp.c lowers it to the configured one. The window is four segments and
 * the send buffer two, of the MSS in force: variables, as in Espressif's own lwIP. */
#define TCP_MSS 1460
extern uint16_t lwip_port_window_bytes, lwip_port_send_bytes;
#define TCP_WND lwip_port_window_bytes
#define TCP_SND_BUF lwip_port_send_bytes
#define TCP_SND_QUEUELEN 8
#define TCP_SNDLOWAT (TCP_SND_BUF / 2)
#define LWIP_DISABLE_TCP_SANITY_CHECKS 1 /* the preprocessor cannot compare variables */

#define TCP_MAXRTX 12
#define TCP_SYNMAXRTX 6
#define TCP_QUEUE_OOSEQ 1
#define TCP_OOSEQ_MAX_PBUFS 4
#define LWIP_TCP_SACK_OUT 1
#define LWIP_TCP_MAX_SACK_NUM 2
#define TCP_LISTEN_BACKLOG 1
#define LWIP_TCP_TIMESTAMPS 0

#define LWIP_HOOK_FILENAME "lwip_hooks.h"

#define LWIP_STATS 0

#endif
