#define _DEFAULT_SOURCE

#include "posix_net.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Reads are no larger than one full-size TCP segment, so that engines see what a board sees. */
#define READ_BYTES 1460
#define BROADCAST 0xFFFFFFFFu

static tw_time now_us(void *ctx) {
    const struct posix_net *net = ctx;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (tw_time)t.tv_sec * 1000000u + (tw_time)t.tv_nsec / 1000u - net->boot_us;
}

static void no_resources(void *ctx, struct tw_resources *out) {
    (void)ctx;
    *out = (struct tw_resources){0}; /* a process has no fixed heap or stack to report */
}

static int open_socket(int type, const struct tw_config *config) {
    int on = 1, fd = socket(AF_INET, type, 0);
    if (fd < 0)
        return -1;
    fcntl(fd, F_SETFL, O_NONBLOCK);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (type == SOCK_DGRAM) {
        setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &on, sizeof on);
    } else if (config->mss < 1460) {
        int mss = config->mss;
        setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &mss, sizeof mss);
    }
    return fd;
}

static void set_nagle(int fd, const struct tw_config *config) {
    int off = !config->nagle;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &off, sizeof off);
}

static enum tw_open open_bound(struct posix_net *net, const struct tw_config *config, int type) {
    bool serve = config->role == TW_ROLE_SERVE;
    struct sockaddr_in local = {.sin_family = AF_INET,
                                .sin_port = htons(serve ? config->port : 0),
                                .sin_addr.s_addr = htonl(serve ? config->ip : INADDR_ANY)};
    int fd = open_socket(type, config);
    if (fd < 0)
        return TW_OPEN_FAILED;
    if (bind(fd, (struct sockaddr *)&local, sizeof local) ||
        (type == SOCK_STREAM && listen(fd, 128))) {
        close(fd);
        return TW_OPEN_FAILED;
    }
    if (type == SOCK_STREAM)
        net->listener = fd;
    else
        net->links[0] = fd;
    return TW_OPEN_DONE;
}

static enum tw_open open_transport(void *ctx, const struct tw_config *config,
                                   enum tw_transport transport) {
    struct posix_net *net = ctx;
    net->transport = transport;
    net->peer = (struct sockaddr_in){.sin_family = AF_INET,
                                     .sin_port = htons(config->port),
                                     .sin_addr.s_addr = htonl(config->peer)};
    if (transport == TW_DATAGRAM)
        return open_bound(net, config, SOCK_DGRAM);
    if (config->role == TW_ROLE_SERVE)
        return open_bound(net, config, SOCK_STREAM);
    int fd = open_socket(SOCK_STREAM, config);
    if (fd < 0)
        return TW_OPEN_FAILED;
    set_nagle(fd, config);
    if (connect(fd, (struct sockaddr *)&net->peer, sizeof net->peer) && errno != EINPROGRESS) {
        close(fd);
        return TW_OPEN_FAILED;
    }
    net->links[0] = fd;
    net->connecting = true;
    return TW_OPEN_PENDING;
}

static size_t send_datagram(struct posix_net *net, const struct tw_output *out) {
    struct sockaddr_in to = net->peer;
    if (out->to.address == BROADCAST && ntohl(net->peer.sin_addr.s_addr) >> 24 == 127)
        to.sin_addr.s_addr = htonl(0x7FFFFFFFu); /* broadcast on the loopback network */
    else if (out->to.address)
        to.sin_addr.s_addr = htonl(out->to.address);
    if (out->to.port)
        to.sin_port = htons(out->to.port);
    ssize_t n = sendto(net->links[0], out->data, out->size, 0, (struct sockaddr *)&to, sizeof to);
    return n < 0 ? 0 : (size_t)n;
}

static size_t send_bytes(void *ctx, uint8_t link, const struct tw_output *out) {
    struct posix_net *net = ctx;
    if (net->links[link] < 0)
        return 0;
    if (net->transport == TW_DATAGRAM)
        return send_datagram(net, out);
    int flags = MSG_NOSIGNAL | (out->more ? MSG_MORE : 0);
    ssize_t n = send(net->links[link], out->data, out->size, flags);
    size_t taken = n < 0 ? 0 : (size_t)n; /* an error shows again, as an event of poll */
    net->blocked[link] = taken < out->size;
    return taken;
}

static void close_link(void *ctx, uint8_t link, bool abort) {
    struct posix_net *net = ctx;
    if (net->links[link] < 0)
        return;
    if (abort) {
        struct linger none = {.l_onoff = 1, .l_linger = 0};
        setsockopt(net->links[link], SOL_SOCKET, SO_LINGER, &none, sizeof none);
    }
    close(net->links[link]);
    net->links[link] = -1;
    net->blocked[link] = net->connecting = false;
}

static size_t unacked(void *ctx, uint8_t link) {
    const struct posix_net *net = ctx;
    int bytes = 0;
    if (net->transport == TW_STREAM && net->links[link] >= 0)
        ioctl(net->links[link], SIOCOUTQ, &bytes);
    return (size_t)bytes;
}

static void lost(struct posix_net *net, uint8_t link, const char *reason) {
    close_link(net, link, false);
    tw_secure_on_close(net->app, link, reason);
}

static void accept_link(struct posix_net *net) {
    int fd = accept(net->listener, NULL, NULL);
    if (fd < 0)
        return;
    for (uint8_t link = 0; link < tw_app_links(tw_app_config(net->app)); link++)
        if (net->links[link] < 0) {
            fcntl(fd, F_SETFL, O_NONBLOCK);
            set_nagle(fd, tw_app_config(net->app));
            net->links[link] = fd;
            tw_secure_on_open(net->app, link);
            return;
        }
    close(fd);
}

static void end_connecting(struct posix_net *net) {
    int error = 0;
    socklen_t size = sizeof error;
    net->connecting = false;
    getsockopt(net->links[0], SOL_SOCKET, SO_ERROR, &error, &size);
    if (error)
        lost(net, 0, error == ECONNREFUSED ? "refused" : "unreachable");
    else
        tw_secure_on_open(net->app, 0);
}

static void read_link(struct posix_net *net, uint8_t link) {
    uint8_t data[READ_BYTES + TW_SEGMENT_MAX];
    struct sockaddr_in from = {0};
    socklen_t from_size = sizeof from;
    size_t room = net->transport == TW_DATAGRAM ? sizeof data : READ_BYTES;
    ssize_t n = recvfrom(net->links[link], data, room, 0, (struct sockaddr *)&from, &from_size);
    if (n < 0) {
        if (errno != EAGAIN && errno != EINTR && net->transport == TW_STREAM)
            lost(net, link, errno == ECONNRESET ? "reset" : "broken");
        return;
    }
    if (n == 0 && net->transport == TW_STREAM)
        return lost(net, link, "closed");
    struct tw_peer peer = {ntohl(from.sin_addr.s_addr), ntohs(from.sin_port)};
    tw_secure_on_bytes(net->app, link, &peer, data, (size_t)n);
}

static void serve_link(struct posix_net *net, uint8_t link, short events) {
    if (net->connecting && link == 0) {
        if (events)
            end_connecting(net);
        return;
    }
    if (events & (POLLIN | POLLHUP | POLLERR))
        read_link(net, link);
    if (events & POLLOUT && net->links[link] >= 0) {
        net->blocked[link] = false;
        tw_secure_on_room(net->app, link);
    }
}

static int wait_ms(struct posix_net *net, tw_time next) {
    tw_time now = now_us(net);
    if (next <= now)
        return 0;
    tw_time ms = (next - now + 999) / 1000;
    return ms > 60000 ? 60000 : (int)ms;
}

void posix_net_init(struct posix_net *net, struct tw_board *board) {
    memset(net, 0, sizeof *net);
    net->boot_us = now_us(net);
    net->listener = -1;
    for (size_t link = 0; link < TW_LINKS; link++)
        net->links[link] = -1;
    *board = (struct tw_board){.ctx = net,
                               .now_us = now_us,
                               .open = open_transport,
                               .send = send_bytes,
                               .close = close_link,
                               .unacked = unacked,
                               .resources = no_resources};
}

int posix_net_run(struct posix_net *net, struct tw_app *app) {
    net->app = app;
    for (;;) {
        struct pollfd fds[TW_LINKS + 1];
        tw_time next = tw_secure_poll(app);
        if (tw_app_ended(app))
            return 0;
        if (tw_app_busy(app)) { /* the sockets keep what comes */
            poll(NULL, 0, wait_ms(net, next));
            continue;
        }
        fds[TW_LINKS] = (struct pollfd){.fd = net->listener, .events = POLLIN};
        for (size_t link = 0; link < TW_LINKS; link++) {
            bool writes = net->blocked[link] || (net->connecting && link == 0);
            fds[link] = (struct pollfd){.fd = net->links[link],
                                        .events = (short)(POLLIN | (writes ? POLLOUT : 0))};
        }
        if (poll(fds, TW_LINKS + 1, wait_ms(net, next)) < 0 && errno != EINTR)
            return -1;
        for (uint8_t link = 0; link < TW_LINKS; link++)
            if (fds[link].fd >= 0 && fds[link].fd == net->links[link])
                serve_link(net, link, fds[link].revents);
        if (fds[TW_LINKS].revents)
            accept_link(net);
    }
}
