#include "zephyr_sockets.h"

#include <errno.h>
#include <zephyr/kernel.h>
#include <zephyr/net/net_if.h>
#include <zephyr/net/socket.h>

#ifdef CONFIG_ARCH_POSIX /* the constants of the C library that Zephyr itself is built with */
#include <fcntl.h>
#else
#include <zephyr/posix/fcntl.h>
#endif

/* Headers of IPv4 and TCP without options. */
#define HEADER_BYTES 40

#define NO_SOCKET (-1)

/* The link of datagrams and of a client. */
#define FIRST_LINK 0

struct link {
    int socket; /* NO_SOCKET: free */
    bool connecting, wants_room;
};

static struct tw_app *app;
static struct link links[TW_LINKS];
static int listener = NO_SOCKET;
static enum tw_transport transport;
static struct tw_peer peer;
static bool nagle;
static uint8_t sockets;

/* One TCP segment or datagram. */
static uint8_t received[1500];

void tw_net_start(struct tw_app *application) {
    app = application;
    for (struct link *link = links; link < links + TW_LINKS; link++)
        link->socket = NO_SOCKET;
}

static struct sockaddr_in socket_address(uint32_t address, uint16_t port) {
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(address)};
}

static void drop(struct link *link) {
    if (link->socket != NO_SOCKET)
        zsock_close(link->socket);
    *link = (struct link){.socket = NO_SOCKET};
}

static void drop_listener(void) {
    if (listener != NO_SOCKET)
        zsock_close(listener);
    listener = NO_SOCKET;
}

/* A socket that never blocks, or NO_SOCKET. */
static int new_socket(void) {
    bool stream = transport == TW_STREAM;
    int made = zsock_socket(AF_INET, stream ? SOCK_STREAM : SOCK_DGRAM,
                            stream ? IPPROTO_TCP : IPPROTO_UDP);
    if (made < 0)
        return NO_SOCKET;
    zsock_fcntl(made, F_SETFL, O_NONBLOCK);
    return made;
}

static void attach(struct link *link, int connection) {
    *link = (struct link){.socket = connection};
    if (transport == TW_STREAM && !nagle) {
        int on = 1;
        zsock_setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
}

/* Zephyr, too, derives the MSS that it announces from the interface's MTU. */
static void apply_mss(uint16_t mss) {
    net_if_set_mtu(net_if_get_default(), (uint16_t)(mss + HEADER_BYTES));
}

/* ---- net.h ---- */

static enum tw_open connect_to_peer(void) {
    struct link *link = &links[FIRST_LINK];
    drop(link);
    int made = new_socket();
    if (made == NO_SOCKET)
        return TW_OPEN_FAILED;
    attach(link, made);
    struct sockaddr_in to = socket_address(peer.address, peer.port);
    if (zsock_connect(made, (struct sockaddr *)&to, sizeof to) < 0 && errno != EINPROGRESS) {
        drop(link);
        return TW_OPEN_FAILED;
    }
    link->connecting = true; /* even when it is up already: the event loop reports it */
    return TW_OPEN_PENDING;
}

static enum tw_open listen_for_clients(uint16_t port) {
    if (listener != NO_SOCKET)
        return TW_OPEN_DONE;
    listener = new_socket();
    struct sockaddr_in own = socket_address(INADDR_ANY, port);
    if (listener == NO_SOCKET || zsock_bind(listener, (struct sockaddr *)&own, sizeof own) < 0 ||
        zsock_listen(listener, TW_LINKS) < 0) {
        drop_listener();
        return TW_OPEN_FAILED;
    }
    return TW_OPEN_DONE;
}

static enum tw_open bind_datagrams(uint16_t port) {
    struct link *link = &links[FIRST_LINK];
    drop(link);
    int made = new_socket();
    if (made == NO_SOCKET)
        return TW_OPEN_FAILED;
    attach(link, made);
    struct sockaddr_in own = socket_address(INADDR_ANY, port);
    if (zsock_bind(made, (struct sockaddr *)&own, sizeof own) < 0) {
        drop(link);
        return TW_OPEN_FAILED;
    }
    return TW_OPEN_DONE;
}

enum tw_open tw_net_open(void *ctx, const struct tw_config *config, enum tw_transport wanted) {
    (void)ctx;
    bool serving = config->role == TW_ROLE_SERVE;
    transport = wanted;
    nagle = config->nagle;
    sockets = tw_app_links(config);
    peer = (struct tw_peer){.address = config->peer, .port = config->port};
    if (transport == TW_DATAGRAM)
        return bind_datagrams(serving ? config->port : 0);
    apply_mss(config->mss);
    return serving ? listen_for_clients(config->port) : connect_to_peer();
}

size_t tw_net_send(void *ctx, uint8_t number, const struct tw_output *out) {
    (void)ctx;
    struct link *link = &links[number];
    ssize_t sent;
    if (link->socket == NO_SOCKET)
        return 0;
    if (transport == TW_DATAGRAM) {
        struct tw_peer to = out->to.address ? out->to : peer;
        struct sockaddr_in address = socket_address(to.address, to.port);
        sent = zsock_sendto(link->socket, out->data, out->size, 0, (struct sockaddr *)&address,
                            sizeof address);
        return sent < 0 ? 0 : out->size;
    }
    sent = zsock_send(link->socket, out->data, out->size, 0);
    size_t taken = sent < 0 ? 0 : (size_t)sent;
    link->wants_room = taken < out->size;
    return taken;
}

void tw_net_close(void *ctx, uint8_t number, bool abort) {
    (void)ctx;
    (void)abort; /* Zephyr's sockets close in one way only */
    drop(&links[number]);
}

size_t tw_net_unacked(void *ctx, uint8_t number) {
    (void)ctx, (void)number;
    return 0; /* Zephyr has no socket option that reports it */
}

/* ---- events ---- */

static void report_closed(struct link *link, const char *reason) {
    drop(link);
    tw_secure_on_close(app, (uint8_t)(link - links), reason);
}

static void deliver(const struct link *link, const struct tw_peer *from, size_t size) {
    tw_secure_on_bytes(app, (uint8_t)(link - links), from, received, size);
}

static void read_stream(struct link *link) {
    ssize_t size = zsock_recv(link->socket, received, sizeof received, ZSOCK_MSG_DONTWAIT);
    if (size > 0)
        deliver(link, NULL, (size_t)size);
    else if (size == 0)
        report_closed(link, "closed");
    else if (errno != EAGAIN)
        report_closed(link, "reset");
}

static void read_datagram(struct link *link) {
    struct sockaddr_in address;
    socklen_t address_size = sizeof address;
    ssize_t size = zsock_recvfrom(link->socket, received, sizeof received, ZSOCK_MSG_DONTWAIT,
                                  (struct sockaddr *)&address, &address_size);
    if (size < 0)
        return;
    struct tw_peer from = {.address = ntohl(address.sin_addr.s_addr),
                           .port = ntohs(address.sin_port)};
    deliver(link, &from, (size_t)size);
}

static void finish_connecting(struct link *link) {
    int error = 0;
    socklen_t size = sizeof error;
    link->connecting = false;
    zsock_getsockopt(link->socket, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error)
        report_closed(link, error == ECONNREFUSED ? "reset" : "timeout");
    else
        tw_secure_on_open(app, (uint8_t)(link - links));
}

static void serve_link(struct link *link, short events) {
    if (link->connecting) {
        if (events & (ZSOCK_POLLOUT | ZSOCK_POLLERR | ZSOCK_POLLHUP))
            finish_connecting(link);
        return;
    }
    if (events & ZSOCK_POLLOUT && link->wants_room) {
        link->wants_room = false;
        tw_secure_on_room(app, (uint8_t)(link - links));
    }
    if (link->socket == NO_SOCKET)
        return;
    if (events & (ZSOCK_POLLIN | ZSOCK_POLLHUP | ZSOCK_POLLERR)) {
        if (transport == TW_STREAM)
            read_stream(link);
        else
            read_datagram(link);
    }
}

static void accept_client(struct link *link) {
    int connection = zsock_accept(listener, NULL, NULL);
    if (connection < 0)
        return;
    zsock_fcntl(connection, F_SETFL, O_NONBLOCK);
    attach(link, connection);
    tw_secure_on_open(app, (uint8_t)(link - links));
}

static struct link *free_link(void) {
    for (struct link *link = links; link < links + sockets; link++)
        if (link->socket == NO_SOCKET)
            return link;
    return NULL;
}

void tw_zephyr_wait(int wait_ms) {
    struct zsock_pollfd waits[TW_LINKS + 1];
    struct link *waiting[TW_LINKS];
    int count = 0;
    for (struct link *link = links; link < links + TW_LINKS; link++) {
        if (link->socket == NO_SOCKET)
            continue;
        short events = link->connecting ? ZSOCK_POLLOUT : ZSOCK_POLLIN;
        if (link->wants_room)
            events |= ZSOCK_POLLOUT;
        waits[count] = (struct zsock_pollfd){.fd = link->socket, .events = events};
        waiting[count++] = link;
    }
    int of_links = count;
    struct link *spare = free_link(); /* without one, clients wait in the backlog */
    if (listener != NO_SOCKET && spare)
        waits[count++] = (struct zsock_pollfd){.fd = listener, .events = ZSOCK_POLLIN};
    if (!count || tw_app_busy(app)) { /* the sockets keep what comes */
        k_sleep(wait_ms < 0 ? K_FOREVER : K_MSEC(wait_ms));
        return;
    }
    if (zsock_poll(waits, count, wait_ms) <= 0)
        return;
    for (int i = 0; i < of_links; i++)
        if (waits[i].revents && waiting[i]->socket == waits[i].fd)
            serve_link(waiting[i], waits[i].revents);
    if (count > of_links && waits[of_links].revents)
        accept_client(spare);
}
