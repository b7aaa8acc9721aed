/*
 * Two defects of lwIP 2.1.3 (../lwip-tcp-half-window.md, ../lwip-ip4-short-header.md):
 *
 *   lwip fin      a FIN whose sequence number is 2^31 from RCV.NXT, on an open connection
 *   lwip short    an IPv4 packet of one byte
 */
#include <stdio.h>
#include <string.h>

#include "lwip/init.h"
#include "lwip/ip4.h"
#include "lwip/netif.h"
#include "lwip/prot/tcp.h"
#include "lwip/tcp.h"

static struct netif interface;
static u32_t iss; /* of the SYN that lwIP has sent */
static u16_t port;

u32_t sys_now(void) {
    return 0;
}

static err_t send_packet(struct netif *netif, struct pbuf *p, const ip4_addr_t *to) {
    const struct tcp_hdr *tcp = (const struct tcp_hdr *)((u8_t *)p->payload + IP_HLEN);
    (void)netif, (void)to;
    iss = lwip_ntohl(tcp->seqno);
    port = tcp->src;
    return ERR_OK;
}

static err_t start(struct netif *netif) {
    netif->mtu = 1500;
    netif->output = send_packet;
    return ERR_OK;
}

/* Hands lwIP a packet of exactly these bytes, in memory of its own. */
static void receive(const void *bytes, u16_t size) {
    u8_t *copy = malloc(size);
    struct pbuf *p = pbuf_alloc(PBUF_RAW, size, PBUF_REF);
    memcpy(copy, bytes, size);
    p->payload = copy;
    ip4_input(p, &interface);
    free(copy);
}

static void receive_segment(u32_t sequence, u8_t flags) {
    u8_t packet[40] = {
        0x45, [3] = 40, [8] = 64, [9] = IP_PROTO_TCP, [12] = 10, [15] = 1, [16] = 10, [19] = 2};
    struct tcp_hdr *tcp = (struct tcp_hdr *)(packet + IP_HLEN);
    tcp->src = lwip_htons(1883);
    tcp->dest = port;
    tcp->seqno = lwip_htonl(sequence);
    tcp->ackno = lwip_htonl(iss + 1);
    TCPH_HDRLEN_FLAGS_SET(tcp, 5, flags);
    tcp->wnd = lwip_htons(1000);
    receive(packet, sizeof packet);
}

static err_t received(void *argument, struct tcp_pcb *pcb, struct pbuf *p, err_t error) {
    (void)argument, (void)pcb, (void)error;
    printf("lwIP tells the application: %s\n", p ? "data" : "the peer has closed");
    return ERR_OK;
}

int main(int count, char **words) {
    ip4_addr_t own, mask, peer;
    const char *what = count == 2 ? words[1] : "";
    IP4_ADDR(&own, 10, 0, 0, 2);
    IP4_ADDR(&peer, 10, 0, 0, 1);
    IP4_ADDR(&mask, 255, 255, 255, 0);
    lwip_init();
    netif_add(&interface, &own, &mask, &peer, NULL, start, ip4_input);
    netif_set_default(&interface);
    netif_set_up(&interface);
    netif_set_link_up(&interface);
    if (!strcmp(what, "short")) {
        receive("\x45", 1);
    } else if (!strcmp(what, "fin")) {
        struct tcp_pcb *pcb = tcp_new();
        ip_addr_t server = peer;
        tcp_recv(pcb, received);
        tcp_connect(pcb, &server, 1883, NULL);
        receive_segment(100, TCP_SYN | TCP_ACK);
        receive_segment(101 + 0x80000000u, TCP_FIN | TCP_ACK);
    } else {
        fputs("usage: lwip fin|short\n", stderr);
        return 2;
    }
    puts("no fault");
    return 0;
}
