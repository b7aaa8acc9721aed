/*
 * A firmware that uses each function of thinwire/device.h, for test_runtime.py. The first argument
 * names what it does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <thinwire/device.h>

#include "lwip/altcp.h"
#include "lwip/altcp_tcp.h"
#include "lwip/udp.h"

static int say(int argc, char **argv) {
    const struct device_trial *trial = device_trial();
    for (int i = 0; i < argc; i++)
        printf("%s%s", i ? " " : "", argv[i]);
    printf("\n%s %s %u %lu", trial->id, trial->topic, trial->port, (unsigned long)trial->seed);
    device_event("note"); /* ends the line above */
    device_event_number("argc", (uint32_t)argc);
    device_event_text("odd", "\"\\\n\x1f\xC3\xA4");
    device_event_end();
    for (int i = 0; i < DEVICE_LINE_BYTES + 44; i++)
        putchar('x');
    return 7;
}

static int draw(int argc, char **argv) {
    (void)argc, (void)argv;
    printf("%08lx %08lx\n", (unsigned long)device_random(), (unsigned long)device_random());
    exit(300);
}

static int sleep_long(int argc, char **argv) {
    (void)argc, (void)argv;
    uint64_t before = device_time_us();
    device_delay(2500000);
    printf("%lu\n", (unsigned long)(device_time_us() - before));
    return 0;
}

static int allocate(int argc, char **argv) {
    (void)argc, (void)argv;
    struct device_memory before = device_memory();
    void *volatile block = malloc(10000), *volatile none = malloc(100000);
    struct device_memory during = device_memory();
    free(block);
    struct device_memory after = device_memory();
    printf("%d %lu %lu %lu %d\n", none == NULL,
           (unsigned long)(during.heap_used - before.heap_used),
           (unsigned long)(after.heap_used - before.heap_used),
           (unsigned long)(after.heap_failures - before.heap_failures),
           after.heap_free_min + 10000 <= after.heap_bytes && after.stack_free_min > 1000);
    return 0;
}

static int spin(int argc, char **argv) {
    (void)argc, (void)argv;
    for (volatile bool forever = true; forever;)
        ;
    return 0;
}

static int compute(int argc, char **argv) {
    (void)argc, (void)argv;
    uint64_t until = device_time_us() + 5000000;
    while (device_time_us() < until)
        device_alive();
    return 0;
}

/* ---- network ---- */

static bool heard;

static void on_datagram(void *arg, struct udp_pcb *pcb, struct pbuf *packet, const ip_addr_t *from,
                        u16_t port) {
    (void)arg, (void)pcb, (void)from, (void)port;
    heard = packet->tot_len == 6;
    pbuf_free(packet);
}

static int ask(int argc, char **argv) {
    (void)argc, (void)argv;
    struct udp_pcb *pcb = udp_new();
    udp_recv(pcb, on_datagram, NULL);
    udp_connect(pcb, &device_trial()->server, device_trial()->port);
    struct pbuf *packet = pbuf_alloc(PBUF_TRANSPORT, 4, PBUF_RAM);
    memcpy(packet->payload, "ask?", 4);
    udp_send(pcb, packet);
    pbuf_free(packet);
    while (!heard)
        device_wait(DEVICE_FOREVER);
    return 0;
}

static err_t on_bytes(void *arg, struct altcp_pcb *pcb, struct pbuf *packet, err_t error) {
    (void)arg, (void)error;
    if (packet) {
        altcp_recved(pcb, packet->tot_len);
        pbuf_free(packet);
        altcp_close(pcb);
        heard = true;
    }
    return ERR_OK;
}

static err_t on_connected(void *arg, struct altcp_pcb *pcb, err_t error) {
    (void)arg, (void)error;
    return altcp_write(pcb, "ask?", 4, 0);
}

static int call(int argc, char **argv) {
    (void)argc, (void)argv;
    struct altcp_pcb *pcb = altcp_tcp_new();
    altcp_recv(pcb, on_bytes);
    altcp_connect(pcb, &device_trial()->server, device_trial()->port, on_connected);
    while (!heard)
        device_wait(DEVICE_FOREVER);
    return 0;
}

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} runs[] = {
    {"say", say},   {"draw", draw},       {"sleep", sleep_long}, {"allocate", allocate},
    {"spin", spin}, {"compute", compute}, {"ask", ask},          {"call", call},
};

int main(int argc, char **argv) {
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        if (argc > 1 && !strcmp(argv[1], runs[i].name))
            return runs[i].run(argc, argv);
    return 99;
}
