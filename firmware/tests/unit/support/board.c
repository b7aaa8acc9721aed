#include "board.h"

#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static tw_time now_us(void *ctx) {
    return ((struct test_board *)ctx)->now;
}

static void log_line(void *ctx, const char *line, size_t size) {
    struct test_board *b = ctx;
    assert_true(b->log_size + size + 2 < BOARD_TEXT);
    memcpy(b->log + b->log_size, line, size);
    b->log_size += size;
    b->log[b->log_size++] = '\n';
    b->log[b->log_size] = 0;
}

static enum tw_open open_transport(void *ctx, const struct tw_config *config,
                                   enum tw_transport transport) {
    struct test_board *b = ctx;
    (void)config, (void)transport;
    b->opens++;
    return b->open_result;
}

static size_t send_bytes(void *ctx, uint8_t link, const struct tw_output *out) {
    struct test_board *b = ctx;
    size_t n = out->size < b->room ? out->size : b->room;
    (void)link;
    assert_true(b->sent_size + n < BOARD_TEXT);
    memcpy(b->sent + b->sent_size, out->data, n);
    b->sent_size += n;
    if (b->room != SIZE_MAX)
        b->room -= n;
    return n;
}

static void close_link(void *ctx, uint8_t link, bool abort) {
    struct test_board *b = ctx;
    (void)link;
    b->closes++;
    b->aborts += abort;
}

static size_t unacked(void *ctx, uint8_t link) {
    (void)link;
    return ((struct test_board *)ctx)->unacked;
}

static void resources(void *ctx, struct tw_resources *out) {
    (void)ctx;
    *out = (struct tw_resources){.heap_bytes = 1000, .heap_used = 100};
}

struct test_memory board_memory;

void tw_board_sleep(tw_time until, const void *run, size_t size) {
    assert_true(size <= TW_RUN_BYTES);
    board_memory.full = true;
    board_memory.until = until;
    memcpy(board_memory.run, run, size);
    longjmp(board_memory.back, 1);
}

bool tw_board_woken(void *run, size_t size) {
    bool full = board_memory.full;
    board_memory.full = false;
    if (full)
        memcpy(run, board_memory.run, size);
    return full;
}

bool tw_board_recall_engine(uint8_t out[TW_KEPT_BYTES]) {
    memcpy(out, board_memory.kept, TW_KEPT_BYTES);
    return true;
}

void tw_board_keep_engine(const uint8_t data[TW_KEPT_BYTES]) {
    memcpy(board_memory.kept, data, TW_KEPT_BYTES);
}

bool tw_board_random(uint8_t *out, size_t size) {
    (void)out, (void)size;
    return false;
}

void board_start(struct test_board *b, const char *config) {
    memset(b, 0, sizeof *b);
    b->now = 1000;
    b->room = SIZE_MAX;
    b->open_result = TW_OPEN_PENDING;
    b->board = (struct tw_board){.ctx = b,
                                 .now_us = now_us,
                                 .log = log_line,
                                 .open = open_transport,
                                 .send = send_bytes,
                                 .close = close_link,
                                 .unacked = unacked,
                                 .resources = resources};
    b->app = tw_app_start(&b->board, config, "power_on", "test");
    tw_app_up(b->app, 0x0a000001);
    b->next = tw_app_poll(b->app);
}

void board_run(struct test_board *b, tw_time duration) {
    tw_time end = b->now + duration;
    b->next = tw_app_poll(b->app);
    while (b->next <= end) {
        if (b->next > b->now)
            b->now = b->next;
        b->next = tw_app_poll(b->app);
    }
    b->now = end;
}

void board_feed(struct test_board *b, const void *data, size_t size) {
    tw_app_on_bytes(b->app, 0, &(struct tw_peer){0}, data, size);
}

unsigned board_logged(const struct test_board *b, const char *text) {
    unsigned count = 0;
    for (const char *at = b->log; (at = strstr(at, text)); at++)
        count++;
    return count;
}
