/*
 * The board on Zephyr: it announces itself until a configuration line comes over the console, then
 * runs the application. One thread.
 */
#include <string.h>
#include <zephyr/drivers/entropy.h>
#include <zephyr/kernel.h>
#include <zephyr/net/net_if.h>
#include <zephyr/net/net_stats.h>
#include <zephyr/sys/mem_stats.h>
#include <zephyr/sys/sys_heap.h>

#include "console.h"
#include "core/app/app.h"
#include "link.h"
#include "net/zephyr_sockets.h"
#include "secure/resumption_record.h"

#define BUILD "zephyr"

/* What k_malloc and the stack's own buffers of variable size come from. */
extern struct k_heap _system_heap;

static char words[1024];
static char ssid[33], password[64];

static tw_time now_us(void *ctx) {
    (void)ctx;
#ifdef CONFIG_TIMER_HAS_64BIT_CYCLE_COUNTER
    return k_cyc_to_us_floor64(k_cycle_get_64());
#else
    return k_ticks_to_us_floor64((uint64_t)k_uptime_ticks());
#endif
}

static void write_log(void *ctx, const char *line, size_t size) {
    (void)ctx;
    console_write_line(line, size);
}

/* Of an Ethernet interface; a radio's driver counts none. */
static void read_frames(struct tw_resources *out) {
#ifdef CONFIG_NET_STATISTICS_ETHERNET
    struct net_stats_eth frames = {0};
    net_mgmt(NET_REQUEST_STATS_GET_ETHERNET, net_if_get_default(), &frames, sizeof frames);
    out->frames_received = frames.pkts.rx;
    out->frames_sent = frames.pkts.tx;
    out->frames_dropped = frames.error_details.rx_no_buffer_count;
#endif
}

static void read_resources(void *ctx, struct tw_resources *out) {
    (void)ctx;
    size_t unused = 0;
    k_thread_stack_space_get(k_current_get(), &unused);
    out->stack_free_min = (uint32_t)unused;
    struct sys_memory_stats heap = {0};
    sys_heap_runtime_stats_get(&_system_heap.heap, &heap);
    out->heap_bytes = (uint32_t)(heap.free_bytes + heap.allocated_bytes);
    out->heap_used = (uint32_t)heap.allocated_bytes;
    out->heap_free_min = out->heap_bytes - (uint32_t)heap.max_allocated_bytes;
    read_frames(out);
}

static const struct tw_board board = {
    .now_us = now_us,
    .log = write_log,
    .open = tw_net_open,
    .send = tw_net_send,
    .close = tw_net_close,
    .unacked = tw_net_unacked,
    .resources = read_resources,
};

/* native_sim's source is a sequence that its seed decides. */
#if DT_HAS_CHOSEN(zephyr_entropy) && !defined(CONFIG_FAKE_ENTROPY_NATIVE_POSIX)
static bool read_entropy(uint8_t *out, size_t size) {
    return !entropy_get_entropy(DEVICE_DT_GET(DT_CHOSEN(zephyr_entropy)), out, (uint16_t)size);
}
#else
#define read_entropy NULL
#endif
static const struct tw_secure_board own = {.entropy = read_entropy};

/* Nothing outlives a restart here: Zephyr's retained memory is the chip's affair. */
bool tw_board_recall(uint8_t out[TW_RESUMPTION_BYTES]) {
    (void)out;
    return false;
}

void tw_board_keep(const uint8_t data[TW_RESUMPTION_BYTES]) {
    (void)data;
}

bool tw_board_recall_engine(uint8_t out[TW_KEPT_BYTES]) {
    (void)out;
    return false;
}

void tw_board_keep_engine(const uint8_t data[TW_KEPT_BYTES]) {
    (void)data;
}

bool tw_board_random(uint8_t *out, size_t size) {
    return own.entropy && own.entropy(out, size);
}

/* Before its nonce a board says only this, so that no log of an earlier run passes for this one. */
static void announce(void) {
    static const char line[] = "{\"t\":0,\"nonce\":\"\",\"ev\":\"ready\",\"build\":\"" BUILD "\"}";
    console_write_line(line, sizeof line - 1);
}

/* Moves the value of the word `key` (with its '=') out of the configuration line. */
static void take(const char *key, char *value, size_t size) {
    char *word = strstr(words, key);
    if (!word || (word != words && word[-1] != ' '))
        return;
    size_t key_size = strlen(key), word_size = strcspn(word, " ");
    if (word_size - key_size >= size)
        return; /* left in place: the application reports it */
    memcpy(value, word + key_size, word_size - key_size);
    memset(word, ' ', word_size);
}

static int wait_ms(tw_time deadline) {
    if (deadline == TW_NEVER)
        return -1;
    tw_time now = now_us(NULL);
    if (deadline <= now)
        return 0;
    tw_time ms = (deadline - now + 999u) / 1000u; /* not before the deadline */
    return ms < INT32_MAX ? (int)ms : INT32_MAX;
}

int main(void) {
    console_read_line(words, sizeof words, announce);
    take("ssid=", ssid, sizeof ssid);
    take("psk=", password, sizeof password);
    struct tw_app *app = tw_app_start(tw_secure_board(&board, &own), words, "power_on", BUILD);
    const struct tw_config *config = tw_app_config(app);
    if (!config)
        return 0;
    uint32_t address;
    while (!(address = link_up(config, ssid, password))) {
    }
    tw_net_start(app);
    tw_app_up(app, address);
    for (;;)
        tw_zephyr_wait(wait_ms(tw_secure_poll(app)));
}
