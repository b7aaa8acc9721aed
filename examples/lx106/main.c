/*
 * Firmware of your own: a CoAP client over lwIP's UDP. It posts MESSAGES readings, one each
 * INTERVAL ms, and repeats a message until its acknowledgement comes (RFC 7252, section 4.2).
 *
 *     arguments: MESSAGES INTERVAL
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <thinwire/device.h>

#include "lwip/udp.h"

#define ACK_TIMEOUT_US 2000000u
#define MAX_RETRANSMIT 4

static struct udp_pcb *socket;
static uint16_t message_id, acknowledged;

/* An acknowledgement of this version of CoAP with a message ID. */
static void on_datagram(void *arg, struct udp_pcb *pcb, struct pbuf *packet, const ip_addr_t *from,
                        u16_t port) {
    uint8_t head[4];
    (void)arg, (void)pcb, (void)from, (void)port;
    if (pbuf_copy_partial(packet, head, 4, 0) == 4 && (head[0] & 0xF0) == 0x60)
        acknowledged = (uint16_t)(head[2] << 8 | head[3]);
    pbuf_free(packet);
}

/* A confirmable POST to /TOPIC; each segment of the path is an option of its own. */
static size_t build(uint8_t *packet, const char *topic, const char *payload) {
    uint8_t *at = packet, option = 11 << 4; /* Uri-Path, then the same option again */
    *at++ = 0x40;
    *at++ = 0x02;
    *at++ = (uint8_t)(message_id >> 8);
    *at++ = (uint8_t)message_id;
    for (; *topic; topic += strcspn(topic, "/"), topic += *topic == '/', option = 0) {
        size_t size = strcspn(topic, "/"); /* up to 12: longer ones take more bytes */
        *at++ = (uint8_t)(option | size);
        memcpy(at, topic, size);
        at += size;
    }
    *at++ = 0xFF;
    memcpy(at, payload, strlen(payload));
    return (size_t)(at + strlen(payload) - packet);
}

static void send(const uint8_t *data, size_t size) {
    struct pbuf *packet = pbuf_alloc(PBUF_TRANSPORT, (u16_t)size, PBUF_RAM);
    if (!packet)
        return; /* a lost datagram, as on the way */
    pbuf_take(packet, data, (u16_t)size);
    udp_send(socket, packet);
    pbuf_free(packet);
}

static bool post(const char *payload) {
    uint8_t packet[128];
    message_id++;
    size_t size = build(packet, device_trial()->topic, payload);
    uint64_t timeout = ACK_TIMEOUT_US + device_random() % (ACK_TIMEOUT_US / 2);
    for (int attempt = 0; attempt <= MAX_RETRANSMIT; attempt++, timeout *= 2) {
        uint64_t until = device_time_us() + timeout;
        send(packet, size);
        while (acknowledged != message_id && device_time_us() < until)
            device_wait(until);
        if (acknowledged == message_id)
            return true;
    }
    return false;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        printf("give MESSAGES and INTERVAL\n");
        return 2;
    }
    const struct device_trial *trial = device_trial();
    uint64_t interval_us = strtoul(argv[2], NULL, 10) * UINT64_C(1000), due = device_time_us();
    long messages = strtol(argv[1], NULL, 10), lost = 0;
    message_id = (uint16_t)device_random();
    socket = udp_new();
    udp_recv(socket, on_datagram, NULL);
    udp_connect(socket, &trial->server, trial->port);
    for (long sent = 1; sent <= messages; sent++, due += interval_us) {
        char payload[48];
        while (device_time_us() < due)
            device_wait(due);
        snprintf(payload, sizeof payload, "%s message %ld", trial->id, sent);
        lost += !post(payload);
    }
    printf("%ld of %ld acknowledged\n", messages - lost, messages);
    return lost ? 1 : 0;
}
