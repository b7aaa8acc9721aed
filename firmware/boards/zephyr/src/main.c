/*
 * The board on Zephyr: it announces itself until a configuration line comes over the console, then
 * runs the application. One thread.
 */
#include <string.h>
#include <zephyr/kernel.h>

#include "console.h"
#include "core/app.h"
#include "link.h"
#include "net/zephyr_sockets.h"

#define BUILD "zephyr"

static char words[512];
static char ssid[33], password[64];

static tw_time now_us(void *ctx) {
    (void)ctx;
    return k_ticks_to_us_floor64((uint64_t)k_uptime_ticks());
}

static void write_log(void *ctx, const char *line, size_t size) {
    (void)ctx;
    console_write_line(line, size);
}

static void read_resources(void *ctx, struct tw_resources *out) {
    (void)ctx;
    size_t unused = 0;
    k_thread_stack_space_get(k_current_get(), &unused);
    out->stack_free_min = (uint32_t)unused;
    out->heap_bytes = CONFIG_HEAP_MEM_POOL_SIZE;
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
    announce();
    console_read_line(words, sizeof words, announce);
    take("ssid=", ssid, sizeof ssid);
    take("psk=", password, sizeof password);
    struct tw_app *app = tw_app_start(&board, words, "power_on", BUILD);
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
