/*
 * The board under a firmware of the user's own: it reads its configuration, brings the network up
 * and calls the firmware's main. The board lies in ../src, and is the same under the laboratory's
 * own application (../src/main.c).
 */
#include <stdio.h>
#include <stdlib.h>

#include "arguments.h"
#include "bootargs.h"
#include "clock.h"
#include "core/util/random.h"
#include "eth.h"
#include "heap.h"
#include "idle.h"
#include "log.h"
#include "lwip/init.h"
#include "lwip/timeouts.h"
#include "lwip_port.h"
#include "netif.h"
#include "output.h"
#include "reset.h"
#include "stack.h"
#include "thinwire/device.h"

/* A stream of its own, so that the firmware's draws do not shift those of lwIP. */
#define STREAM 0x6669726Du /* "firm" */

static struct tw_config config;
static struct device_trial trial;
static struct tw_random generator;
static uint64_t stat_at_us = DEVICE_FOREVER;

/* ---- log ---- */

static void log_address(const char *key, uint32_t address) {
    char text[16];
    snprintf(text, sizeof text, "%u.%u.%u.%u", (unsigned)(address >> 24),
             (unsigned)(address >> 16 & 255), (unsigned)(address >> 8 & 255),
             (unsigned)(address & 255));
    log_text(key, text);
}

static void log_boot(enum reset_reason reason) {
    log_begin("boot");
    log_text("reason", reset_name(reason));
    log_number("heap_bytes", heap_use().total_bytes);
    log_text("build", "lx106");
    log_end();
}

/* The marks of memory and network, with the keys of the application's line (core/app). */
static void log_stat(void) {
    struct device_memory memory = device_memory();
    struct eth_counters eth = eth_counters();
    output_flush();
    log_begin("stat");
    log_number("heap_used", memory.heap_used);
    log_number("heap_free_min", memory.heap_free_min);
    log_number("stack_free_min", memory.stack_free_min);
    log_number("frames_received", eth.received);
    log_number("frames_sent", eth.sent);
    log_number("frames_dropped", eth.missed + netif_dropped());
    log_end();
}

/* ---- time ---- */

uint64_t device_time_us(void) {
    return clock_us();
}

static uint64_t earlier(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* When lwIP's next timer is due. */
static uint64_t lwip_deadline_us(void) {
    uint32_t sleep_ms = sys_timeouts_sleeptime();
    return sleep_ms == SYS_TIMEOUTS_SLEEPTIME_INFINITE ? DEVICE_FOREVER
                                                       : clock_us() + sleep_ms * UINT64_C(1000);
}

static void write_due_stat(void) {
    if (clock_us() < stat_at_us)
        return;
    log_stat();
    stat_at_us += config.stat_ms * UINT64_C(1000);
}

/* Serves what is there and returns, or sleeps and serves what came. */
void device_wait(uint64_t until_us) {
    uint64_t deadline = earlier(earlier(until_us, lwip_deadline_us()), stat_at_us);
    if (!eth_waiting())
        idle_until(deadline);
    else
        idle_alive();
    while (netif_serve())
        ;
    sys_check_timeouts();
    write_due_stat();
    heap_check();
    stack_check();
}

void device_delay(uint64_t duration_us) {
    uint64_t until = clock_us() + duration_us;
    while (clock_us() < until)
        device_wait(until);
}

void device_alive(void) {
    idle_alive();
}

/* ---- trial and memory ---- */

const struct device_trial *device_trial(void) {
    return &trial;
}

uint32_t device_random(void) {
    return tw_random_next(&generator);
}

struct device_memory device_memory(void) {
    struct heap_use heap = heap_use();
    return (struct device_memory){
        .heap_bytes = heap.total_bytes,
        .heap_used = heap.used_bytes,
        .heap_free_min = heap.free_min_bytes,
        .heap_failures = heap.failures,
        .stack_free_min = stack_free_min(),
    };
}

/* ---- start and end ---- */

static void start_network(void) {
    trial = (struct device_trial){
        .id = config.id, .topic = config.topic, .port = config.port, .seed = config.seed};
    ip_addr_set_ip4_u32_val(trial.server, lwip_htonl(config.peer));
    tw_random_seed(&generator, config.seed ^ STREAM);
    lwip_port_start(config.seed, config.mss);
    lwip_init();
    netif_start(&config);
    idle_start();
    log_begin("up");
    log_address("ip", config.ip);
    log_end();
    if (config.stat_ms)
        stat_at_us = clock_us() + config.stat_ms * UINT64_C(1000);
}

/* The linker sends the C library's way out of exit here (--wrap). */
void __wrap__exit(int status) __attribute__((noreturn));
void __wrap__exit(int status) {
    log_stat();
    stat_at_us = DEVICE_FOREVER; /* `end` is the last line of a log */
    log_begin("end");
    log_number("status", (uint32_t)status & 255u);
    log_end();
    for (;;)
        device_wait(DEVICE_FOREVER);
}

static void refuse(const char *key) __attribute__((noreturn));
static void refuse(const char *key) {
    log_begin("config_error");
    log_text("key", key);
    log_end();
    idle_start();
    for (;;)
        idle_until(UINT64_MAX);
}

/* The firmware's. */
int main(int argc, char **argv);

void board_main(const uint32_t *boot_records) __attribute__((noreturn));
void board_main(const uint32_t *boot_records) {
    static struct arguments arguments;
    char key[32];
    clock_start();
    stack_guard();
    enum reset_reason reason = reset_read_reason();
    bool valid = arguments_read(bootargs_text(boot_records), &config, &arguments, key, sizeof key);
    log_set_nonce(config.nonce);
    log_boot(reason);
    if (!valid)
        refuse(key);
    start_network();
    exit(main(arguments.count, arguments.values));
}
