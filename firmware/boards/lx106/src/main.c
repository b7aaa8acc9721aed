/*
 * The board: it reads its configuration, brings the network up and runs the application. It sleeps
 * whenever neither has anything to do.
 */
#include "bootargs.h"
#include "clock.h"
#include "core/app/app.h"
#include "eth.h"
#include "fault.h"
#include "heap.h"
#include "idle.h"
#include "log.h"
#include "lwip/init.h"
#include "lwip/timeouts.h"
#include "lwip_port.h"
#include "net/net.h"
#include "netif.h"
#include "reset.h"
#include "semihost.h"
#include "stack.h"

#ifdef TW_OWN_LWIP
/* Of another image (firmware/rtos), where lwIP and the library have tasks. */
void start_lwip(const struct tw_config *config);
uint32_t tasks_stack_free_min(void);
#else
#define start_lwip(config) lwip_init()
#define tasks_stack_free_min stack_free_min
#endif

#ifdef TW_DHCP
#include "acquire.h"
#else
#define acquire_network(app, config) (config)->ip
#endif

static tw_time now(void *ctx) {
    (void)ctx;
    return clock_us();
}

static void write_log(void *ctx, const char *line, size_t size) {
    (void)ctx;
    semihost_write(line, size + 1u); /* with its newline */
}

static void read_resources(void *ctx, struct tw_resources *out) {
    (void)ctx;
    struct heap_use heap = heap_use();
    struct eth_counters eth = eth_counters();
    out->heap_bytes = heap.total_bytes;
    out->heap_used = heap.used_bytes;
    out->heap_free_min = heap.free_min_bytes;
    out->stack_free_min = tasks_stack_free_min();
    out->frames_received = eth.received;
    out->frames_sent = eth.sent;
    out->frames_dropped = eth.missed + netif_dropped();
}

static const struct tw_board board = {
    .now_us = now,
    .log = write_log,
    .open = tw_net_open,
    .send = tw_net_send,
    .close = tw_net_close,
    .unacked = tw_net_unacked,
    .resources = read_resources,
};

static void start_network(struct tw_app *app) {
    const struct tw_config *config = tw_app_config(app);
    lwip_port_start(config->seed, config->mss);
    start_lwip(config);
    netif_start(config);
    idle_start();
    tw_net_start(app);
    tw_app_up(app, acquire_network(app, config));
}

#ifdef TW_OWN_LOOP
/* Of another image (firmware/arduino/main/library.c). */
void run(struct tw_app *app) __attribute__((noreturn));
#else
/* When lwIP's next timer is due. */
static tw_time lwip_deadline(void) {
    uint32_t sleep_ms = sys_timeouts_sleeptime();
    return sleep_ms == SYS_TIMEOUTS_SLEEPTIME_INFINITE ? TW_NEVER : clock_us() + TW_MS(sleep_ms);
}

static void run(struct tw_app *app) __attribute__((noreturn));
static void run(struct tw_app *app) {
    for (;;) {
        bool frame_served = netif_serve();
        sys_check_timeouts();
        tw_time deadline = tw_net_poll(clock_us());
        deadline = tw_earlier(deadline, tw_secure_poll(app));
        deadline = tw_earlier(deadline, fault_poll(clock_us()));
        heap_check();
        stack_check();
        idle_until(frame_served ? 0 : tw_earlier(deadline, lwip_deadline()));
    }
}
#endif

/* Nothing to run; the log has the reason. */
static void rest(void) __attribute__((noreturn));
static void rest(void) {
    idle_start();
    for (;;)
        idle_until(TW_NEVER);
}

void board_main(const uint32_t *boot_records) __attribute__((noreturn));
void board_main(const uint32_t *boot_records) {
    clock_start();
    stack_guard();
    enum reset_reason reason = reset_read_reason();
    char *configuration = bootargs_text(boot_records);
    fault_take(configuration);
    static const struct tw_secure_board own = {.alive =
                                                   idle_alive}; /* and no entropy: it is emulated */
    struct tw_app *app =
        tw_app_start(tw_secure_board(&board, &own), configuration, reset_name(reason), "lx106");
    if (!tw_app_config(app))
        rest();
    clock_slow(tw_app_config(app)->clock_ppm);
    log_set_nonce(tw_app_config(app)->nonce);
    start_network(app);
    run(app);
}
