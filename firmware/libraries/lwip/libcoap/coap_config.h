/*
 * libcoap's configuration over lwIP without threads, as a client over UDP (its own example's is in
 * examples/lwip/config of its source).
 */
#ifndef COAP_CONFIG_H_
#define COAP_CONFIG_H_

#include "lwip/opt.h"

#include "lwip/debug.h"
#include "lwip/def.h" /* htons */

#define WITH_LWIP 1
#define COAP_IPV4_SUPPORT 1
#define COAP_CLIENT_SUPPORT 1
#define COAP_DISABLE_TCP 1
#define COAP_CONSTRAINED_STACK 1
/* Its messages would take RAM, where the chip has its constants. */
#define COAP_MAX_LOGGING_LEVEL 0

#define LOCK_TCPIP_CORE()
#define UNLOCK_TCPIP_CORE()

/* There is no standard output; libcoap.c takes what is logged all the same. */
#define COAP_DEBUG_FD NULL
#define COAP_ERR_FD NULL
#undef LWIP_PLATFORM_DIAG
#define LWIP_PLATFORM_DIAG(message)

#define PACKAGE_NAME "libcoap"
#define PACKAGE_STRING "libcoap " TW_LIBCOAP_RELEASE
#define PACKAGE_VERSION TW_LIBCOAP_RELEASE
#define PACKAGE_URL "https://libcoap.net/"
#define PACKAGE_BUGREPORT PACKAGE_URL

#define HAVE_STRNLEN 1
#define HAVE_LIMITS_H 1
#define HAVE_SNPRINTF 1
#define HAVE_ERRNO_H 1

#endif
