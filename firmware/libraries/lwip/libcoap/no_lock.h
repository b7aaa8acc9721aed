/*
 * For libcoap's coap_io_lwip.c: its lock without threads expands to the name `func`
 * (coap_threadsafe_internal.h), which release 4.3.5 defines nowhere. There is nothing to lock.
 */
#ifndef NO_LOCK_H
#define NO_LOCK_H

#include "coap3/coap_libcoap_build.h"
#include "lwip/tcpip.h"
#include "lwip/timeouts.h"
#include "lwip/udp.h"

#define func

#endif
