#ifndef SYS_SOCKET_H
#define SYS_SOCKET_H

#include "lwip/sockets.h"

/* A read ends with a segment, as in lwIP 2.0.3 of the SDK, where the segment has PSH; lwIP 2.1.3
 * goes on with what waits behind it. */
#undef read
#define read(socket, buffer, size) rtos_read(socket, buffer, size)
ssize_t rtos_read(int socket, void *buffer, size_t size);

#endif
