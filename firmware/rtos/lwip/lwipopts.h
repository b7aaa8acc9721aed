/*
 * lwIP with tasks: its own task, sockets and a resolver of names, as ESP8266_RTOS_SDK v3.2
 * configures it (components/lwip: Kconfig, port/esp8266/include/lwipopts.h). Sizes of windows,
 * segments and retransmission are those of the board.
 */
#ifndef RTOS_LWIPOPTS_H
#define RTOS_LWIPOPTS_H

#include <sys/time.h> /* struct timeval and fd_set of the C library */

#include "../../boards/lx106/lwip/lwipopts.h"

#undef NO_SYS
#define NO_SYS 0
#undef SYS_LIGHTWEIGHT_PROT
#define SYS_LIGHTWEIGHT_PROT 1
#define LWIP_COMPAT_MUTEX 1
#define LWIP_TCPIP_CORE_LOCKING 0

#undef LWIP_NETCONN
#define LWIP_NETCONN 1
#define LWIP_NETCONN_SEM_PER_THREAD 1
#undef LWIP_SOCKET
#define LWIP_SOCKET 1
#define LWIP_SO_RCVTIMEO 1
#define LWIP_SO_SNDTIMEO 1
#define LWIP_TIMEVAL_PRIVATE 0
#define LWIP_ERRNO_STDINCLUDE 1
#define MEMP_NUM_NETCONN 10
#undef LWIP_DNS
#define LWIP_DNS 1

#define TCPIP_THREAD_NAME "tiT"
#define TCPIP_THREAD_STACKSIZE 2048
#define TCPIP_THREAD_PRIO 8 /* configMAX_PRIORITIES - 7 */
#define TCPIP_MBOX_SIZE 32
#define DEFAULT_THREAD_STACKSIZE TCPIP_THREAD_STACKSIZE
#define DEFAULT_THREAD_PRIO TCPIP_THREAD_PRIO
#define DEFAULT_TCP_RECVMBOX_SIZE 6
#define DEFAULT_UDP_RECVMBOX_SIZE 6
#define DEFAULT_ACCEPTMBOX_SIZE 6

#endif
