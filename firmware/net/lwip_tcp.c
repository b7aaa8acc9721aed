/*
 * TCP over lwIP's raw API: a client on link 0, or a server with one link per connection.
 */
#include "lwip/netif.h"
#include "lwip/priv/tcp_priv.h"
#include "lwip/tcp.h"
#include "lwip_net.h"

/* Headers of IPv4 and TCP without options. */
#define HEADER_BYTES 40

/* lwIP calls on_poll this often (in half seconds), to send what lacked memory before. */
#define POLL_HALF_SECONDS 1

/* Closed connections kept in TIME-WAIT, as many as the ESP8266's Arduino core keeps. A server that
 * closes first would otherwise fill the heap with two minutes of them. */
#define TIME_WAIT_MAX 5

struct link {
    struct tcp_pcb *pcb; /* NULL: free */
    bool wants_room;     /* the last send took less than it was given */
    bool ended;          /* the peer closed, and the application does not know yet */
    struct pbuf *unread; /* segments that a busy application has not taken */
    size_t unopened;     /* bytes taken whose room in the window is not given back yet */
};

static struct link links[TW_LINKS];
static struct tcp_pcb *listener;
static bool nagle, window_ticks;
static bool told_late; /* of the peer's FIN, see on_received */
static uint8_t sockets;
static tw_time window_at; /* quirk: the next tick */

#define WINDOW_TICK TW_MS(40)

/* lwIP must know, from the callback it is in, that the application aborted the connection that
 * the callback is about. */
static struct tcp_pcb *called_pcb;
static bool called_pcb_aborted;

static void enter(struct tcp_pcb *pcb) {
    called_pcb = pcb;
    called_pcb_aborted = false;
}

static err_t leave(void) {
    called_pcb = NULL;
    return called_pcb_aborted ? ERR_ABRT : ERR_OK;
}

static uint8_t number_of(const struct link *link) {
    return (uint8_t)(link - links);
}

/* The link is free. */
static void forget(struct link *link) {
    if (link->unread)
        pbuf_free(link->unread);
    *link = (struct link){0};
}

/* Takes the link from its connection, which lives on inside lwIP until it has closed. */
static struct tcp_pcb *detach(struct link *link) {
    struct tcp_pcb *pcb = link->pcb;
    forget(link);
    tcp_arg(pcb, NULL);
    tcp_recv(pcb, NULL);
    tcp_sent(pcb, NULL);
    tcp_err(pcb, NULL);
    tcp_poll(pcb, NULL, 0);
    if (listener)
        tcp_backlog_accepted(pcb); /* one more connection may come in */
    return pcb;
}

static void limit_time_wait(void) {
    struct tcp_pcb *pcb = tcp_tw_pcbs; /* newest first */
    for (int kept = 0; pcb && kept < TIME_WAIT_MAX; kept++)
        pcb = pcb->next;
    while (pcb) {
        struct tcp_pcb *older = pcb->next;
        tcp_abort(pcb); /* frees it; lwIP sends no reset from TIME-WAIT */
        pcb = older;
    }
}

static void abort_connection(struct tcp_pcb *pcb) {
    if (pcb == called_pcb)
        called_pcb_aborted = true;
    tcp_abort(pcb);
}

static void close_link(struct link *link, bool abort) {
    struct tcp_pcb *pcb = detach(link);
    if (abort || tcp_close(pcb) != ERR_OK) /* closing takes memory for a FIN */
        abort_connection(pcb);
}

/* ---- events ---- */

/* Before delivery: a connection closed with bytes unread would end in a reset, and the new window
 * travels with the answer. */
static void open_window(struct link *link, uint16_t size) {
    if (window_ticks)
        link->unopened += size;
    else
        tcp_recved(link->pcb, size);
}

/* Hands over what waits, segment by segment, while the application has time. */
static void hand_over(struct link *link) {
    const struct tcp_pcb *pcb = link->pcb;
    while (link->unread && link->pcb == pcb && !tw_app_busy(tw_lwip_app)) {
        struct pbuf *segment = link->unread;
        link->unread = segment->next;
        if (link->unread)
            pbuf_ref(link->unread); /* or it goes with the chain */
        pbuf_dechain(segment);
        open_window(link, segment->len);
        if (tw_secure_computes())
            tcp_send_empty_ack(link->pcb);
        tw_secure_on_bytes(tw_lwip_app, number_of(link), NULL, segment->payload, segment->len);
        pbuf_free(segment);
    }
    if (link->pcb == pcb && link->ended && !link->unread) {
        close_link(link, false);
        tw_secure_on_close(tw_lwip_app, number_of(link), "closed");
    }
}

static err_t on_received(void *arg, struct tcp_pcb *pcb, struct pbuf *segments, err_t error) {
    struct link *link = arg;
    (void)error;
    enter(pcb);
    if (!segments)
        link->ended = true;
    else if (link->unread)
        pbuf_cat(link->unread, segments);
    else
        link->unread = segments;
    /* A serving application with work of its own learns of the peer's FIN when TCP has acknowledged
     * it, as a task beside the stack does: acknowledgement and own FIN are two segments. */
    if (segments || !told_late)
        hand_over(link);
    return leave();
}

tw_time tw_lwip_tcp_poll(tw_time now) {
    bool tick = window_ticks && now >= window_at, closed = false;
    if (tick)
        window_at = now - now % WINDOW_TICK + WINDOW_TICK;
    for (struct link *link = links; link < links + TW_LINKS; link++) {
        if (link->pcb && tick && link->unopened) {
            tcp_recved(link->pcb, (u16_t)link->unopened);
            link->unopened = 0;
        }
        if (link->pcb)
            hand_over(link);
        closed |= link->pcb && link->unopened;
    }
    return closed ? window_at : TW_NEVER;
}

static err_t offer_room(struct link *link, struct tcp_pcb *pcb) {
    enter(pcb);
    if (link->wants_room) {
        link->wants_room = false;
        tw_secure_on_room(tw_lwip_app, number_of(link));
    }
    return leave();
}

static err_t on_sent(void *arg, struct tcp_pcb *pcb, u16_t acknowledged) {
    (void)acknowledged;
    return offer_room(arg, pcb);
}

static err_t on_poll(void *arg, struct tcp_pcb *pcb) {
    return offer_room(arg, pcb);
}

/* lwIP has freed the connection already. */
static void on_error(void *arg, err_t error) {
    struct link *link = arg;
    forget(link);
    tw_secure_on_close(tw_lwip_app, number_of(link), error == ERR_RST ? "reset" : "timeout");
}

static void attach(struct link *link, struct tcp_pcb *pcb) {
    *link = (struct link){.pcb = pcb};
    tcp_arg(pcb, link);
    tcp_recv(pcb, on_received);
    tcp_sent(pcb, on_sent);
    tcp_err(pcb, on_error);
    tcp_poll(pcb, on_poll, POLL_HALF_SECONDS);
    if (!nagle)
        tcp_nagle_disable(pcb);
}

static err_t on_connected(void *arg, struct tcp_pcb *pcb, err_t error) {
    struct link *link = arg;
    (void)error; /* always ERR_OK: failures come through on_error */
    enter(pcb);
    tw_secure_on_open(tw_lwip_app, number_of(link));
    return leave();
}

static err_t on_accepted(void *arg, struct tcp_pcb *pcb, err_t error) {
    (void)arg;
    if (error != ERR_OK || !pcb)
        return ERR_VAL;
    limit_time_wait();
    for (struct link *link = links; link < links + sockets; link++) {
        if (link->pcb)
            continue;
        tcp_backlog_delayed(pcb); /* counts against the backlog until the link is free again */
        attach(link, pcb);
        enter(pcb);
        tw_secure_on_open(tw_lwip_app, number_of(link));
        return leave();
    }
    return ERR_MEM; /* lwIP resets the connection */
}

/* lwIP derives the MSS that it announces and obeys from the interface's MTU, up to its own TCP_MSS:
 * the one way to set it while running, and before the handshake. */
static void apply_mss(uint16_t mss) {
    netif_default->mtu = (u16_t)(mss + HEADER_BYTES);
}

/* ---- net.h ---- */

static enum tw_open listen_for_clients(uint16_t port) {
    if (listener)
        return TW_OPEN_DONE;
    struct tcp_pcb *pcb = tcp_new();
    if (!pcb)
        return TW_OPEN_FAILED;
    if (tcp_bind(pcb, IP_ANY_TYPE, port) != ERR_OK) {
        tcp_close(pcb);
        return TW_OPEN_FAILED;
    }
    /* While every link is taken a SYN is ignored, and the client's own retransmission tries anew.
     */
    struct tcp_pcb *listening = tcp_listen_with_backlog(pcb, sockets);
    if (!listening) {
        tcp_close(pcb);
        return TW_OPEN_FAILED;
    }
    listener = listening;
    tcp_accept(listener, on_accepted);
    return TW_OPEN_DONE;
}

static enum tw_open connect_to_peer(const struct tw_config *config) {
    struct link *link = &links[0];
    if (link->pcb)
        close_link(link, true);
    limit_time_wait();
    struct tcp_pcb *pcb = tcp_new();
    if (!pcb)
        return TW_OPEN_FAILED;
    attach(link, pcb);
    ip_addr_t peer = tw_lwip_address(config->peer);
    if (tcp_connect(pcb, &peer, config->port, on_connected) != ERR_OK) {
        close_link(link, true);
        return TW_OPEN_FAILED;
    }
    return TW_OPEN_PENDING;
}

enum tw_open tw_lwip_tcp_open(const struct tw_config *config) {
    apply_mss(config->mss);
    nagle = config->nagle;
    window_ticks = config->quirks & TW_QUIRK_WINDOW_EACH_40_MS;
    told_late = config->role == TW_ROLE_SERVE && config->processing_ms;
    sockets = tw_app_links(config);
    return config->role == TW_ROLE_SERVE ? listen_for_clients(config->port)
                                         : connect_to_peer(config);
}

size_t tw_lwip_tcp_send(uint8_t number, const struct tw_output *out) {
    struct link *link = &links[number];
    if (!link->pcb)
        return 0;
    size_t room = tcp_sndbuf(link->pcb);
    size_t size = out->size < room ? out->size : room;
    if (size && tcp_write(link->pcb, out->data, (u16_t)size, TCP_WRITE_FLAG_COPY) != ERR_OK)
        size = 0;
    link->wants_room = size < out->size;
    if (!out->more || link->wants_room) /* a message's pieces fill segments together */
        tcp_output(link->pcb); /* without memory it stays queued, and lwIP's timer tries again */
    return size;
}

void tw_lwip_tcp_close(uint8_t number, bool abort) {
    if (links[number].pcb)
        close_link(&links[number], abort);
}

size_t tw_lwip_tcp_unacked(uint8_t number) {
    const struct tcp_pcb *pcb = links[number].pcb;
    return pcb ? (size_t)(TCP_SND_BUF - tcp_sndbuf(pcb)) : 0;
}
