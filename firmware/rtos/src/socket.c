#include "sys/socket.h"

/* Peeking looks at the first segment only. */
ssize_t rtos_read(int socket, void *buffer, size_t size) {
    ssize_t first = lwip_recv(socket, buffer, size, MSG_PEEK);
    return first > 0 ? lwip_recv(socket, buffer, (size_t)first, 0) : first;
}
