/*
 * The network of the host board: non-blocking POSIX sockets behind struct tw_board, and the poll
 * loop that drives the application. Real time: CLOCK_MONOTONIC.
 */
#ifndef TW_POSIX_NET_H
#define TW_POSIX_NET_H

#include <netinet/in.h>

#include "secure/secure.h"

struct posix_net {
    struct tw_app *app;
    tw_time boot_us; /* start of the process, on the clock of the host */
    enum tw_transport transport;
    bool connecting;        /* link 0 awaits the end of its TCP handshake */
    int listener;           /* -1: none */
    int links[TW_LINKS];    /* -1: free */
    bool blocked[TW_LINKS]; /* the socket took less than it was given */
    struct sockaddr_in peer;
};

/* Prepares `net` and fills `board` with its functions, leaving `log` to the caller. */
void posix_net_init(struct posix_net *net, struct tw_board *board);
/* Runs `app` until it has ended. Returns 0, or -1 with errno when poll fails. */
int posix_net_run(struct posix_net *net, struct tw_app *app);

#endif
