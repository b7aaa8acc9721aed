/*
 * A fork server in tshark (preloaded): tshark starts once, and each capture is dissected by a copy.
 *
 * tshark opens its capture by wtap_open_offline() when everything else is ready. Here it waits for
 * requests instead (request.c). A copy of it gets the request's capture as standard input, its
 * output and its errors, and goes on as if it had just started. The process of which the descriptor
 * KEEPER is a pidfd keeps the server: it ends with that process.
 */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "forkserver.h"

typedef void *open_offline(const char *name, unsigned type, int *error, char **info, int random);

static int answer = -1; /* of a copy: where its exit status is reported */

static void report(int status, void *unused) {
    unsigned char code = (unsigned char)status;
    (void)unused;
    fflush(NULL); /* before the requester goes on */
    (void)!write(answer, &code, sizeof code);
}

/* Takes the three descriptors of a request; false if it is none. */
static bool receive(int connection, int given[GIVEN]) {
    char byte, room[CMSG_SPACE(GIVEN * sizeof(int))];
    struct iovec part = {&byte, sizeof byte};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    if (recvmsg(connection, &message, 0) != sizeof byte)
        return false;
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (!head || head->cmsg_type != SCM_RIGHTS || head->cmsg_len != CMSG_LEN(GIVEN * sizeof(int)))
        return false;
    memcpy(given, CMSG_DATA(head), GIVEN * sizeof(int));
    return true;
}

/* True in a copy, which has the descriptors of a request as 0, 1 and 2. */
static bool serve(int connection) {
    int given[GIVEN];
    if (!receive(connection, given))
        return false;
    bool copy = !fork();
    for (int i = 0; i < GIVEN; i++) {
        if (copy)
            dup2(given[i], i);
        close(given[i]);
    }
    return copy;
}

void *wtap_open_offline(const char *name, unsigned type, int *error, char **info, int random) {
    open_offline *original = (open_offline *)dlsym(RTLD_NEXT, "wtap_open_offline");
    struct pollfd events[] = {{.fd = LISTENER, .events = POLLIN}, {.fd = KEEPER, .events = POLLIN}};
    (void)name;
    signal(SIGCHLD, SIG_IGN);
    for (;;) {
        if (poll(events, 2, -1) < 0 && errno != EINTR)
            _exit(1);
        if (events[1].revents)
            _exit(0);
        answer = accept(LISTENER, NULL, NULL);
        if (answer < 0)
            continue;
        if (serve(answer))
            break;
        close(answer);
    }
    signal(SIGCHLD, SIG_DFL);
    close(LISTENER);
    close(KEEPER);
    on_exit(report, NULL);
    return original("-", type, error, info, random);
}
