/*
 * UDP over lwIP's raw API: one socket, on a free port for a client, on the configured one for a
 * server.
 */
#include <string.h>

#include "lwip/udp.h"
#include "lwip_net.h"

#if LWIP_IGMP
#include "lwip/igmp.h"
#endif

/* "All CoAP Nodes" (RFC 7252, section 12.8). */
#define ALL_COAP_NODES 0xE00001BBu
#define DATAGRAM_LINK 0

/* Datagrams that wait for a busy application; more are lost. ESP8266_RTOS_SDK, UDP_RECVMBOX_SIZE.
 */
#define MAILBOX 6

struct mail {
    struct pbuf *datagram;
    struct tw_peer from;
};

static struct mail mailbox[MAILBOX]; /* oldest first */
static size_t mails;
static struct udp_pcb *socket;
static struct tw_peer peer;

static void on_datagram(void *arg, struct udp_pcb *pcb, struct pbuf *datagram,
                        const ip_addr_t *address, u16_t port) {
    (void)arg;
    (void)pcb;
    struct tw_peer from = {.address = lwip_ntohl(ip4_addr_get_u32(ip_2_ip4(address))),
                           .port = port};
    if (datagram->len != datagram->tot_len || mails == MAILBOX) /* frames come in one piece */
        pbuf_free(datagram);
    else
        mailbox[mails++] = (struct mail){datagram, from};
    tw_lwip_udp_poll();
}

void tw_lwip_udp_poll(void) {
    while (mails && !tw_app_busy(tw_lwip_app)) {
        struct mail first = mailbox[0];
        memmove(mailbox, mailbox + 1, --mails * sizeof *mailbox);
        tw_secure_on_bytes(tw_lwip_app, DATAGRAM_LINK, &first.from, first.datagram->payload,
                           first.datagram->len);
        pbuf_free(first.datagram);
    }
}

/* A server can be found by multicast. Without IGMP lwIP accepts every group. */
static void join_groups(void) {
#if LWIP_IGMP
    ip_addr_t group = tw_lwip_address(ALL_COAP_NODES);
    igmp_joingroup(ip_2_ip4(IP4_ADDR_ANY), ip_2_ip4(&group));
#endif
}

enum tw_open tw_lwip_udp_open(const struct tw_config *config) {
    bool serving = config->role == TW_ROLE_SERVE;
    tw_lwip_udp_close();
    peer = (struct tw_peer){.address = config->peer, .port = config->port};
    socket = udp_new();
    if (!socket)
        return TW_OPEN_FAILED;
    if (udp_bind(socket, IP_ANY_TYPE, serving ? config->port : 0) != ERR_OK) {
        tw_lwip_udp_close();
        return TW_OPEN_FAILED;
    }
    udp_recv(socket, on_datagram, NULL);
    if (serving)
        join_groups();
    return TW_OPEN_DONE;
}

size_t tw_lwip_udp_send(const struct tw_output *out) {
    if (!socket)
        return 0;
    struct tw_peer to = out->to.address ? out->to : peer;
    struct pbuf *datagram = pbuf_alloc(PBUF_TRANSPORT, (u16_t)out->size, PBUF_RAM);
    if (!datagram)
        return 0;
    pbuf_take(datagram, out->data, (u16_t)out->size);
    ip_addr_t address = tw_lwip_address(to.address);
    err_t error = udp_sendto(socket, datagram, &address, to.port);
    pbuf_free(datagram);
    return error == ERR_OK ? out->size : 0;
}

void tw_lwip_udp_close(void) {
    while (mails)
        pbuf_free(mailbox[--mails].datagram);
    if (socket)
        udp_remove(socket);
    socket = NULL;
}
