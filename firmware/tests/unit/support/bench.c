#include "bench.h"

#include <stdio.h>

#include "core/app/workload.h"

static void on_event(void *ctx, const struct tw_event *event) {
    struct bench *b = ctx;
    if (event->type == TW_EVENT_RECEIVED) {
        if (event->offset == 0)
            b->received_size = 0;
        assert_int_equal(event->offset, b->received_size); /* pieces arrive in order */
        assert_true(b->received_size + event->size < BENCH_TEXT);
        if (event->size)
            memcpy(b->received + b->received_size, event->data, event->size);
        b->received_size += event->size;
        b->received[b->received_size] = 0;
        if (!event->last)
            return;
    }
    assert_true(b->event_count < BENCH_EVENTS);
    b->events[b->event_count++] = *event;
}

static void on_payload(void *ctx, const struct tw_message *message, size_t offset, uint8_t *out,
                       size_t size) {
    struct bench *b = ctx;
    assert_true(offset + size <= message->size);
    tw_payload_write(b->config.id, message, offset, out, size);
}

static void on_make(void *ctx, tw_time now, struct tw_message *message) {
    struct bench *b = ctx;
    *message = (struct tw_message){
        .seq = b->made++, .size = b->config.payload_bytes, .created_us = now, .sent_us = now};
}

static const char *init(struct bench *b, const char *config, bool session_kept) {
    char key[32];
    memset(b, 0, sizeof *b);
    tw_config_defaults(&b->config);
    assert_true(tw_config_parse(&b->config, config, key, sizeof key));
    b->engine = tw_engine_find(b->config.proto);
    assert_non_null(b->engine);
    if (!b->config.port)
        b->config.port = b->engine->port;
    b->host = (struct tw_host){.ctx = b, .event = on_event, .payload = on_payload, .make = on_make};
    tw_random_seed(&b->random, b->config.seed);
    b->now = TW_SECONDS(1);
    struct tw_setup setup = {
        .config = &b->config, .host = &b->host, .random = &b->random, .session_kept = session_kept};
    return b->engine->init(&b->state, &setup);
}

const char *bench_init(struct bench *b, const char *config) {
    return init(b, config, false);
}

void bench_open(struct bench *b, uint8_t link) {
    b->engine->on_open(&b->state, b->now, link);
}

void bench_start(struct bench *b, const char *config) {
    assert_null(bench_init(b, config));
    bench_open(b, 0);
}

void bench_wake(struct bench *b, const char *config) {
    assert_null(init(b, config, true));
    bench_open(b, 0);
}

void bench_close(struct bench *b) {
    b->engine->on_close(&b->state, b->now, 0);
}

void bench_feed_from(struct bench *b, uint32_t address, uint16_t port, const void *data,
                     size_t size) {
    struct tw_peer from = {address, port};
    b->engine->on_bytes(&b->state, b->now, 0, &from, data, size);
}

void bench_feed_on(struct bench *b, uint8_t link, const void *data, size_t size) {
    struct tw_peer from = {b->config.peer, b->config.port};
    b->engine->on_bytes(&b->state, b->now, link, &from, data, size);
}

void bench_feed(struct bench *b, const void *data, size_t size) {
    bench_feed_on(b, 0, data, size);
}

enum tw_publish bench_publish(struct bench *b, uint32_t seq, uint32_t size) {
    struct tw_message message = {.seq = seq, .size = size, .created_us = b->now, .sent_us = b->now};
    return b->engine->publish(&b->state, b->now, &message);
}

void bench_sleep(struct bench *b) {
    tw_time due = b->engine->deadline(&b->state);
    assert_true(due != TW_NEVER);
    if (due > b->now)
        b->now = due;
    b->engine->on_time(&b->state, b->now);
}

void bench_wait(struct bench *b, tw_time duration) {
    tw_time end = b->now + duration;
    while (b->engine->deadline(&b->state) <= end)
        bench_sleep(b);
    b->now = end;
}

static void show(const char *title, const uint8_t *data, size_t size) {
    fprintf(stderr, "%s (%zu):", title, size);
    for (size_t i = 0; i < size; i++)
        fprintf(stderr, " %02x", data[i]);
    fprintf(stderr, "\n%s as text: %.*s\n", title, (int)size, (const char *)data);
}

void bench_expect_on(struct bench *b, uint8_t link, const void *data, size_t size) {
    struct tw_output out = {0};
    bool any = b->engine->output(&b->state, b->now, link, &out);
    bool whole = b->engine->transport == TW_DATAGRAM;
    if (!any || (whole ? out.size != size : out.size < size) || memcmp(out.data, data, size)) {
        show("expected", data, size);
        show("actual", out.data, any ? out.size : 0);
        fail();
    }
    b->engine->accepted(&b->state, b->now, link, size);
}

void bench_expect(struct bench *b, const void *data, size_t size) {
    bench_expect_on(b, 0, data, size);
}

size_t bench_take_on(struct bench *b, uint8_t link, uint8_t *data, size_t room) {
    size_t used = 0;
    struct tw_output out;
    while (b->engine->output(&b->state, b->now, link, &out)) {
        assert_true(used + out.size <= room);
        memcpy(data + used, out.data, out.size);
        used += out.size;
        b->engine->accepted(&b->state, b->now, link, out.size);
        if (b->engine->transport == TW_DATAGRAM)
            break;
    }
    return used;
}

size_t bench_take(struct bench *b, uint8_t *data, size_t room) {
    return bench_take_on(b, 0, data, room);
}

void bench_skip(struct bench *b) {
    uint8_t data[BENCH_TEXT];
    bench_take(b, data, sizeof data);
}

size_t bench_take_slowly(struct bench *b, uint8_t *data, size_t room, size_t most, size_t pieces) {
    size_t used = 0;
    struct tw_output out;
    while (pieces-- && b->engine->output(&b->state, b->now, 0, &out)) {
        size_t size = out.size < most ? out.size : most;
        assert_true(used + size <= room);
        memcpy(data + used, out.data, size);
        used += size;
        b->engine->accepted(&b->state, b->now, 0, size);
    }
    return used;
}

void bench_payload(struct bench *b, uint32_t seq, uint32_t size, uint8_t *out) {
    struct tw_message message = {.seq = seq, .size = size, .created_us = b->now};
    tw_payload_write(b->config.id, &message, 0, out, size);
}

void bench_expect_silence(struct bench *b) {
    struct tw_output out;
    if (b->engine->output(&b->state, b->now, 0, &out)) {
        show("unexpected", out.data, out.size);
        fail();
    }
}

const struct tw_event *bench_expect_event(struct bench *b, enum tw_event_type type) {
    if (b->event_next == b->event_count)
        fail_msg("expected event %d, none left", type);
    const struct tw_event *event = &b->events[b->event_next++];
    if (event->type != type)
        fail_msg("expected event %d, got %d (%s)", type, event->type,
                 event->reason ? event->reason : "");
    if (b->event_next == b->event_count)
        b->event_next = b->event_count = 0;
    return event;
}

void bench_expect_no_event(struct bench *b) {
    if (b->event_next != b->event_count)
        fail_msg("unexpected event %d", b->events[b->event_next].type);
}

void bench_expect_received(struct bench *b, const char *text) {
    bench_expect_event(b, TW_EVENT_RECEIVED);
    assert_string_equal(b->received, text);
}

void bench_expect_message(struct bench *b, enum tw_event_type type, uint32_t seq,
                          const char *reason) {
    const struct tw_event *event = bench_expect_event(b, type);
    assert_int_equal(event->message.seq, seq);
    if (reason)
        assert_string_equal(event->reason, reason);
}

void bench_join(char out[256], const char *first, const char *second) {
    assert_in_range(snprintf(out, 256, "%s%s", first, second), 1, 255);
}
