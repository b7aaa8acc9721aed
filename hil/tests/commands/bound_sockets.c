/* Write a line for each Internet socket that a program binds or listens on, into the file
 * BOUND_SOCKETS. For LD_PRELOAD: applies to every child process that loads the C library. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static void note(const char *what, sa_family_t family) {
    const char *path = getenv("BOUND_SOCKETS");
    char line[64];
    if (path == NULL || (family != AF_INET && family != AF_INET6))
        return;
    int length = snprintf(line, sizeof line, "%s of %s\n", what, program_invocation_short_name);
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || write(file, line, (size_t)length) != length)
        abort();
    close(file);
}

int bind(int descriptor, const struct sockaddr *address, socklen_t size) {
    int (*next)(int, const struct sockaddr *, socklen_t) = dlsym(RTLD_NEXT, "bind");
    note("bind", address->sa_family);
    return next(descriptor, address, size);
}

int listen(int descriptor, int backlog) {
    int (*next)(int, int) = dlsym(RTLD_NEXT, "listen");
    struct sockaddr_storage name = {0};
    socklen_t size = sizeof name;
    if (getsockname(descriptor, (struct sockaddr *)&name, &size) == 0)
        note("listen", name.ss_family);
    return next(descriptor, backlog);
}
