/*
 * request start SOCKET PID LIBRARY PROGRAM [ARGUMENT...]
 *     Start a fork server: PROGRAM, which starts tshark, with LIBRARY (forkserver.so) in it. It
 *     answers at SOCKET, and ends with the process PID.
 * request SOCKET <CAPTURE
 *     Let it dissect a capture. The exit status is that of tshark.
 *
 * Exit status 75 (EX_TEMPFAIL): there is no such server, or its copy has crashed.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sysexits.h>
#include <unistd.h>

#include "forkserver.h"

static int fail(const char *what) {
    perror(what);
    return EX_TEMPFAIL;
}

static int start(int listener, char **words) {
    int keeper = (int)syscall(SYS_pidfd_open, atoi(words[0]), 0);
    int library = open(words[1], O_RDONLY);
    if (keeper < 0 || library < 0)
        return fail(keeper < 0 ? words[0] : words[1]);
    if (listen(listener, SOMAXCONN))
        return fail("listen");
    if (fork())
        return 0;
    /* The server must keep no pipe of its caller open. LD_PRELOAD splits a path at blanks. */
    int nothing = open("/dev/null", O_RDWR);
    const int ours[][2] = {{nothing, 0},         {nothing, 1},     {nothing, 2},
                           {listener, LISTENER}, {keeper, KEEPER}, {library, LIBRARY}};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        dup2(ours[i][0], ours[i][1]);
    close_range(3, LISTENER - 1, 0);
    close_range(LIBRARY + 1, ~0U, 0);
    char preload[sizeof "/proc/self/fd/22"];
    snprintf(preload, sizeof preload, "/proc/self/fd/%d", LIBRARY);
    setenv("LD_PRELOAD", preload, 1);
    setsid();
    execvp(words[2], words + 2);
    return EX_TEMPFAIL;
}

static int ask(int server) {
    const int given[GIVEN] = {0, 1, 2};
    char byte = 0, room[CMSG_SPACE(sizeof given)] = {0};
    struct iovec part = {&byte, sizeof byte};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    unsigned char status;
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof given);
    memcpy(CMSG_DATA(head), given, sizeof given);
    if (sendmsg(server, &message, MSG_NOSIGNAL) < 0 || recv(server, &status, 1, 0) != 1)
        return EX_TEMPFAIL;
    return status;
}

int main(int argc, char **argv) {
    struct sockaddr_un place = {.sun_family = AF_UNIX};
    int starts = argc > 5 && !strcmp(argv[1], "start");
    const char *path = argc < 2 ? "" : argv[starts ? 2 : 1];
    if (!*path || (!starts && argc > 2) || strlen(path) >= sizeof place.sun_path) {
        fprintf(stderr, "usage: request start SOCKET PID LIBRARY PROGRAM..., request SOCKET\n");
        return EX_USAGE;
    }
    strcpy(place.sun_path, path);
    int connection = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    if (starts && !bind(connection, (struct sockaddr *)&place, sizeof place))
        return start(connection, argv + 3);
    if (!starts && !connect(connection, (struct sockaddr *)&place, sizeof place))
        return ask(connection);
    return fail(path);
}
