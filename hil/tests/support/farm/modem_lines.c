#define _GNU_SOURCE
/* Preloaded: a pseudo-terminal with the lines DTR and RTS of a USB adapter, which a pseudo-terminal
 * lacks (tty_ioctl(2), "Modem control"). Each setting is a byte to the Unix socket MODEM_LINES,
 * which answers with a byte once the board has seen it. */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static int lines; /* TIOCM_DTR, TIOCM_RTS */

static int board(void) {
    static int end = -1;
    const char *path = getenv("MODEM_LINES");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (end >= 0 || !path)
        return end;
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    end = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (end >= 0 && connect(end, (struct sockaddr *)&address, sizeof address) != 0) {
        close(end);
        end = -1;
    }
    return end;
}

static int set(int now) {
    unsigned char byte = (unsigned char)now;
    lines = now;
    return write(board(), &byte, 1) == 1 && read(board(), &byte, 1) == 1 ? 0 : -1;
}

/* The server listens on all addresses, of which a test opens the loopback's alone. */
int bind(int file, const struct sockaddr *address, socklen_t size) {
    struct sockaddr_in own;
    if (address->sa_family == AF_INET) {
        memcpy(&own, address, sizeof own);
        own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address = (struct sockaddr *)&own;
    }
    return (int)syscall(SYS_bind, file, address, size);
}

int ioctl(int file, unsigned long request, ...) {
    static int (*real)(int, unsigned long, void *);
    va_list more;
    va_start(more, request);
    void *argument = va_arg(more, void *);
    va_end(more);
    switch (request) {
    case TIOCMGET:
        *(int *)argument = lines;
        return 0;
    case TIOCMSET:
        return set(*(int *)argument);
    case TIOCMBIS:
        return set(lines | *(int *)argument);
    case TIOCMBIC:
        return set(lines & ~*(int *)argument);
    }
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "ioctl");
    return real(file, request, argument);
}
