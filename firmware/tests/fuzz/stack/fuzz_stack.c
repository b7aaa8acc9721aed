/*
 * The whole board but its chip: core, firmware/net and lwIP as the LX106 board has them, before a
 * host that speaks Ethernet, IP and TCP right and the protocol above as the fuzzer writes it, and
 * before frames that the fuzzer writes whole. Scripts are those of drive.c, with other operations:
 *
 *   0 nothing for 50 ms       3 the peer closes: FIN, or RST if the argument is odd
 *   1 time passes             4 it connects anew, or answers WebSocket's handshake right
 *   2 a lost acknowledgement  5 bytes that came before
 *   6 a frame             7 bytes too far ahead, a hole before them
 *   8 and above: bytes of the protocol
 *
 * Marked by 0x10, 2 says how the peer takes new connections (wire_mood), 6 is a segment of the
 * connection (wire_crafted), and 8 of CoAP an answer (answer.h).
 *
 * Fails on what no board may do: an assertion of lwIP, a deadline that does not move, an endless
 * exchange within one moment; and on what the sanitizers find, leaks included.
 */
#include <stdlib.h>
#include <string.h>

/* Their state is private, and each run begins without any. */
#include "net/lwip_tcp.c"
#include "net/lwip_udp.c"

#include "core/protocols/websocket/websocket_frame.h"
#include "core/util/random.h"
#include "lwip/etharp.h"
#include "lwip/init.h"
#include "lwip/timeouts.h"
#include "mutate.h"
#include "net/net.h"
#include "netif/ethernet.h"
#include "wire.h"

#define QUEUE_FRAMES 64
#define TURNS_MAX 20000 /* frames and deadlines within one step */
#define MARKED 0x10

uint16_t lwip_port_window_bytes = 5744, lwip_port_send_bytes = 2920;

static struct netif interface;
static struct wire wire;
static struct tw_app *app;
/* Goes on from run to run, as lwIP's timers do, whose clock of 32 bits soon begins anew. */
static tw_time now = TW_MS(UINT32_MAX - 10000u);
static struct tw_random generator;
static struct frame {
    uint16_t size;
    uint8_t bytes[FRAME_MAX];
} queue[QUEUE_FRAMES]; /* on their way to the peer; what exceeds them is lost */
static size_t queued, taken;

static void require(int condition) {
    if (!condition)
        abort();
}

void lwip_port_assert_failed(const char *file, uint32_t line) {
    (void)file, (void)line;
    abort();
}

uint32_t lwip_port_random(void) {
    return tw_random_next(&generator);
}

u32_t sys_now(void) {
    return (u32_t)(now / 1000);
}

void wire_deliver(const uint8_t *frame, size_t size) {
    struct pbuf *copy = pbuf_alloc(PBUF_RAW, (u16_t)size, PBUF_RAM);
    if (!copy)
        return;
    memcpy(copy->payload, frame, size);
    if (interface.input(copy, &interface) != ERR_OK)
        pbuf_free(copy);
}

static err_t send_frame(struct netif *netif, struct pbuf *frame) {
    (void)netif;
    require(frame->tot_len <= FRAME_MAX);
    if (queued - taken < QUEUE_FRAMES) {
        struct frame *place = &queue[queued++ % QUEUE_FRAMES];
        place->size = frame->tot_len;
        pbuf_copy_partial(frame, place->bytes, frame->tot_len, 0);
    }
    return ERR_OK;
}

static err_t set_up(struct netif *netif) {
    static const uint8_t mac[6] = {2, 0x54, 0x57, 0, 0, 1};
    netif->output = etharp_output;
    netif->linkoutput = send_frame;
    netif->mtu = 1500;
    netif->flags =
        NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET | NETIF_FLAG_LINK_UP;
    netif->hwaddr_len = sizeof mac;
    memcpy(netif->hwaddr, mac, sizeof mac);
    return ERR_OK;
}

static tw_time now_us(void *ctx) {
    (void)ctx;
    return now;
}

static void log_line(void *ctx, const char *line, size_t size) {
    (void)ctx;
    require(line[size] == '\n');
}

static void no_resources(void *ctx, struct tw_resources *out) {
    (void)ctx;
    *out = (struct tw_resources){0};
}

static const struct tw_board board = {
    .now_us = now_us,
    .log = log_line,
    .open = tw_net_open,
    .send = tw_net_send,
    .close = tw_net_close,
    .unacked = tw_net_unacked,
    .resources = no_resources,
};

/* The board's loop until nothing is due at this moment; returns when something will be. */
static tw_time settle(void) {
    for (int turn = 0; turn < TURNS_MAX; turn++) {
        if (taken < queued) {
            struct frame *frame = &queue[taken++ % QUEUE_FRAMES];
            struct frame copy = *frame;
            wire_take(&wire, copy.bytes, copy.size);
        }
        sys_check_timeouts();
        tw_time opens = tw_net_poll(now), due = tw_app_poll(app);
        due = opens < due ? opens : due;
        if (taken == queued && due > now)
            return due;
    }
    abort();
}

static void pass(tw_time duration) {
    tw_time end = now + duration;
    for (int i = 0; i < 400 && now < end; i++) {
        tw_time due = settle();
        tw_time timer = now + TW_MS(sys_timeouts_sleeptime() + 1);
        due = due < timer ? due : timer;
        now = due < end ? due : end;
    }
    now = end;
    settle();
}

static void answer_handshake(void) {
    struct tw_ws_handshake shake;
    char text[192];
    wire.key[24] = 0;
    tw_ws_handshake_start(&shake, wire.key);
    struct tw_writer w = tw_writer((uint8_t *)text, sizeof text);
    tw_put_text(&w, "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    "Sec-WebSocket-Accept: ");
    tw_put_text(&w, shake.accept);
    tw_put_text(&w, "\r\n\r\n");
    wire_segment(&wire, (uint8_t *)text, w.used, 0);
}

/* One step; returns the bytes used. */
static size_t step(const uint8_t *data, size_t size, bool stream, bool coap) {
    uint8_t operation = data[0] & 15, argument = data[1];
    size_t length = 0;
    if (operation >= 6)
        length = argument < size - 2 ? argument : size - 2;
    uint8_t bytes[UINT8_MAX];
    memcpy(bytes, data + 2, length);
    switch (operation) {
    case 0:
        pass(TW_MS(50));
        break;
    case 1:
        pass(TW_MS(argument * argument * 8u));
        break;
    case 2:
        if (data[0] & MARKED)
            wire.mood = argument % WIRE_MOODS;
        else
            taken = queued;
        break;
    case 3:
        wire_close(&wire, argument & 1);
        break;
    case 4:
        if (wire.key[0])
            answer_handshake();
        else if (stream && wire.serving)
            wire_connect(&wire);
        break;
    case 5:
        wire.seq -= stream ? argument : 0u;
        break;
    case 6:
        if (data[0] & MARKED)
            wire_crafted(&wire, bytes, length);
        else
            wire_raw(&wire, bytes, length);
        break;
    case 7:
        wire_segment(&wire, bytes, length, argument);
        break;
    default:
        if (stream)
            wire_segment(&wire, bytes, length, 0);
        else if (wire.serving || wire.board_port) {
            if (coap)
                make_answer(&wire.asked, data[0], bytes, length);
            wire_datagram(&wire, bytes, length);
        }
    }
    settle();
    return 2 + length;
}

static void start(const char *words) {
    char text[256] = "nonce=0 interval_ms=400 seed=1 ip=10.77.0.2 peer=10.77.0.1 ";
    ip4_addr_t ip = {lwip_htonl(BOARD_IP)}, mask = {lwip_htonl(0xFFFFFF00u)}, gateway = {0};
    static bool running;
    static char kept[256];
    strcat(text, words);
    memcpy(kept, text, sizeof kept);
    tw_random_seed(&generator, 7);
    if (!running)
        lwip_init();
    running = true;
    app = tw_app_start(&board, kept, "start", "fuzz");
    require(tw_app_config(app) != NULL);
    wire = (struct wire){.port = tw_app_config(app)->port,
                         .serving = tw_app_config(app)->role == TW_ROLE_SERVE,
                         .own_port = 41000};
    queued = taken = 0;
    netif_add(&interface, &ip, &mask, &gateway, NULL, set_up, ethernet_input);
    netif_set_default(&interface);
    netif_set_up(&interface);
    tw_net_start(app);
    tw_app_up(app, BOARD_IP);
    settle();
}

/* Everything that the run left in lwIP goes. */
static void stop(void) {
    for (size_t i = 0; i < TW_LINKS; i++)
        if (links[i].pcb)
            close_link(&links[i], true);
    if (listener)
        tcp_close(listener);
    listener = NULL;
    tw_lwip_udp_close();
    while (tcp_active_pcbs)
        tcp_abort(tcp_active_pcbs);
    while (tcp_tw_pcbs)
        tcp_abort(tcp_tw_pcbs);
    while (tcp_bound_pcbs)
        tcp_abort(tcp_bound_pcbs);
    netif_remove(&interface);
}

static const char *const configs[] = {
    "proto=mqtt qos=0",
    "proto=mqtt qos=1 clean=0",
    "proto=mqtt qos=2 clean=0 will=1",
    "proto=mqtt role=subscribe qos=2 clean=0",
    "proto=mqtt role=echo qos=1 quirks=first_message_per_segment",
    "proto=mqttsn qos=1",
    "proto=mqttsn role=subscribe qos=2 search=1",
    "proto=coap inflight=4 block_bytes=16 payload_bytes=100",
    "proto=coap role=subscribe",
    "proto=coap role=serve topic=a",
    "proto=coap role=serve topic=a separate_ms=100 block_bytes=16 payload_bytes=100",
    "proto=http",
    "proto=http keep_alive=0 chunked=1 mss=536",
    "proto=http role=serve topic=a payload_bytes=1440",
    "proto=http role=serve topic=a keep_alive=0 chunked=1",
    "proto=websocket",
    "proto=websocket role=echo",
    "proto=websocket role=subscribe quirks=byte_at_a_time_read",
    "proto=amqp",
    "proto=amqp role=subscribe clean=0",
    "proto=tcp",
    "proto=tcp role=serve",
    "proto=udp",
    "proto=udp role=serve",
    "proto=mqtt role=subscribe quirks=window_each_40_ms processing_ms=30 stat_ms=500",
    "proto=mqtt qos=1 nagle=0 connection_messages=2 messages=5 payload_bytes=8000",
    "proto=http role=serve topic=a pieces=1 processing_ms=30",
    "proto=coap role=serve topic=a processing_ms=100",
    "proto=mqtt qos=1 pace=answer messages=4",
    "proto=websocket pace=answer payload_bytes=3000 duration_ms=5000",
};
static const repair_fn repairs[] = {
    mend_mqtt,    mend_mqtt,    mend_mqtt,    mend_mqtt,      mend_mqtt,      mend_mqttsn,
    mend_mqttsn,  mend_coap,    mend_coap,    mend_coap,      mend_coap,      mend_nothing,
    mend_nothing, mend_nothing, mend_nothing, mend_websocket, mend_websocket, mend_websocket,
    mend_amqp,    mend_amqp,    mend_raw,     mend_raw,       mend_raw,       mend_raw,
    mend_mqtt,    mend_mqtt,    mend_nothing, mend_coap,      mend_mqtt,      mend_websocket};
#define CONFIGS (sizeof configs / sizeof *configs)
_Static_assert(sizeof repairs / sizeof *repairs == CONFIGS, "one for each");

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    return mutate(data, size, max_size, seed, repairs[size ? data[0] % CONFIGS : 0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 3)
        return 0;
    const char *config = configs[data[0] % CONFIGS];
    start(config);
    bool coap = strstr(config, "coap");
    bool stream = !coap && !strstr(config, "mqttsn") && !strstr(config, "udp");
    if (stream && wire.serving)
        wire_connect(&wire);
    settle();
    for (data++, size--; size >= 2;) {
        size_t used = step(data, size, stream, coap);
        data += used;
        size -= used;
    }
    stop();
    return 0;
}
