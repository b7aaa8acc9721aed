/*
 * Hooks that lwIP calls while it processes a packet.
 */
#ifndef LWIP_HOOKS_H
#define LWIP_HOOKS_H

#include "lwip/pbuf.h"
#include "lwip/prot/ip4.h"
#include "lwip/prot/tcp.h"
#include "lwip/tcp.h"

/* Drops a packet that ends before its IPv4 header does (RFC 791, section 3.1). lwIP 2.1.3 reads the
 * header's length field before it checks how many bytes have arrived. */
static inline int lwip_hook_packet(struct pbuf *packet) {
    if (packet->len >= IP_HLEN)
        return 0;
    pbuf_free(packet);
    return 1;
}

#define LWIP_HOOK_IP4_INPUT(packet, interface) lwip_hook_packet(packet)

/* Drops a segment whose sequence number is exactly 2^31 from RCV.NXT, neither before nor after it.
 * lwIP 2.1.3 treats one of length 1 (a FIN, say) as one that begins before and ends after RCV.NXT,
 * and fails an assertion; by RFC 9293, section 3.10.7.4, it is unacceptable. */
static inline err_t lwip_hook_segment(const struct tcp_pcb *pcb, const struct tcp_hdr *header) {
    if (pcb->state < SYN_RCVD) /* RCV.NXT is not known, and a listener has no field for it */
        return ERR_OK;
    return header->seqno - pcb->rcv_nxt == 0x80000000u ? ERR_VAL : ERR_OK;
}

#define LWIP_HOOK_TCP_INPACKET_PCB(pcb, header, optlen, opt1len, opt2, p)                          \
    lwip_hook_segment(pcb, header)

#endif
