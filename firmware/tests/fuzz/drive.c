#include "drive.h"

#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "core/app/registry.h"
#include "core/app/workload.h"
#include "core/config.h"
#include "core/util/random.h"

#define PEER 0x0a000001u
#define OUTPUT_LIMIT 10000 /* pieces of output that one event may cause */

struct world {
    const struct tw_engine *engine;
    union tw_engine_state state;
    struct tw_config config;
    struct tw_host host;
    struct tw_random random;
    tw_time now;
    uint32_t open_links, doomed_links, seq;
    bool coap;
    struct asked asked;
};

static void require(int condition) {
    if (!condition)
        abort();
}

/* The sanitizer sees a byte that must not be read. */
static void read_all(const uint8_t *data, size_t size) {
    static uint8_t copy[UINT16_MAX];
    require(size <= sizeof copy);
    if (size)
        memcpy(copy, data, size);
    __asm__ volatile("" ::"r"(copy) : "memory"); /* or the compiler leaves the copying out */
}

static void on_event(void *ctx, const struct tw_event *event) {
    struct world *w = ctx;
    require(event->link < TW_LINKS);
    read_all(event->data, event->size);
    if (event->type == TW_EVENT_ERROR || event->type == TW_EVENT_CLOSE ||
        event->type == TW_EVENT_FAILED)
        require(event->reason != NULL);
    if (event->type == TW_EVENT_ERROR || event->type == TW_EVENT_CLOSE)
        w->doomed_links |= UINT32_C(1) << event->link;
}

static void on_payload(void *ctx, const struct tw_message *message, size_t offset, uint8_t *out,
                       size_t size) {
    struct world *w = ctx;
    require(offset + size <= message->size);
    tw_payload_write(w->config.id, message, offset, out, size);
}

static void on_make(void *ctx, tw_time now, struct tw_message *message) {
    struct world *w = ctx;
    *message = (struct tw_message){
        .seq = ++w->seq, .size = w->config.payload_bytes, .created_us = now, .sent_us = now};
}

static void open_link(struct world *w, uint8_t link) {
    w->open_links |= UINT32_C(1) << link;
    w->engine->on_open(&w->state, w->now, link);
}

static void close_link(struct world *w, uint8_t link) {
    w->open_links &= ~(UINT32_C(1) << link);
    w->doomed_links &= ~(UINT32_C(1) << link);
    w->engine->on_close(&w->state, w->now, link);
}

/* Takes the output of all open links: everything, or at most `limit` bytes of one piece. */
static void take_output(struct world *w, size_t limit) {
    struct tw_output out;
    for (uint8_t link = 0; link < TW_LINKS; link++) {
        int pieces = 0;
        while (w->open_links >> link & 1 && w->engine->output(&w->state, w->now, link, &out)) {
            require(out.size > 0 && ++pieces < OUTPUT_LIMIT);
            read_all(out.data, out.size);
            size_t n = w->engine->transport == TW_DATAGRAM || out.size < limit ? out.size : limit;
            if (!n)
                break;
            if (w->coap)
                remember_asked(&w->asked, out.data, out.size);
            w->engine->accepted(&w->state, w->now, link, n);
            if (limit != SIZE_MAX)
                break;
        }
        if (w->doomed_links >> link & 1)
            close_link(w, link);
    }
}

static void pass_time(struct world *w, tw_time duration) {
    tw_time end = w->now + duration;
    for (int i = 0; i < 64 && w->engine->deadline(&w->state) <= end; i++) {
        tw_time due = w->engine->deadline(&w->state);
        if (due > w->now)
            w->now = due;
        w->engine->on_time(&w->state, w->now);
        take_output(w, SIZE_MAX);
        require(w->engine->deadline(&w->state) > w->now);
    }
    w->now = end;
}

/* One step: an operation and its argument come from the next two bytes. A link that is closed is
 * opened first, unless a step without input is marked. Returns bytes used. */
static size_t step(struct world *w, const uint8_t *data, size_t size) {
    uint8_t argument = data[1], link = 0;
    bool closed = (data[0] & 15) < FIRST_INPUT && data[0] & STAYS_CLOSED;
    if (w->config.role == TW_ROLE_SERVE && w->engine->transport == TW_STREAM)
        link = data[0] >> 4 & 3;
    if (!(w->open_links >> link & 1) && !closed)
        open_link(w, link);
    if (w->engine->idle)
        w->engine->idle(&w->state);
    switch (data[0] & 15) {
    case 0: {
        uint32_t length = 2 + argument * 6u;
        struct tw_message message = {
            .seq = ++w->seq, .size = length, .created_us = w->now, .sent_us = w->now};
        w->engine->publish(&w->state, w->now, &message);
        return 2;
    }
    case 1:
        pass_time(w, TW_MS(argument * argument * 8u));
        return 2;
    case 2:
        if (w->open_links >> link & 1)
            close_link(w, link);
        return 2;
    case 3:
        take_output(w, argument);
        return 2;
    case 4:
        w->engine->finish(&w->state, w->now);
        take_output(w, SIZE_MAX);
        return 2;
    case 5:
        take_output(w, SIZE_MAX);
        return 2;
    default: {
        size_t length = argument < size - 2 ? argument : size - 2;
        /* A copy of exactly this size, so that the sanitizer sees every byte read beyond it. */
        uint8_t *copy = malloc(length ? length : 1);
        require(copy != NULL);
        memcpy(copy, data + 2, length);
        if (w->coap)
            make_answer(&w->asked, data[0], copy, length);
        struct tw_peer from = {PEER + (data[0] >> 6), w->config.port}; /* one of four hosts */
        w->engine->on_bytes(&w->state, w->now, link, &from, copy, length);
        free(copy);
        if ((data[0] & 15) != 6) /* 6: the network is blocked */
            take_output(w, SIZE_MAX);
        return 2 + length;
    }
    }
}

/* A configuration, parsed when it is asked for first. */
static const struct tw_config *parsed(const char *const *configs, size_t index) {
    static struct tw_config kept[16];
    static bool known[sizeof kept / sizeof *kept];
    char key[32];
    require(index < sizeof kept / sizeof *kept);
    if (!known[index]) {
        tw_config_defaults(&kept[index]);
        known[index] = tw_config_parse(&kept[index], configs[index], key, sizeof key);
        require(known[index]);
    }
    return &kept[index];
}

int drive(const char *const *configs, size_t count, const uint8_t *data, size_t size) {
    static struct world w;
    if (size < 3)
        return 0;
    memset(&w, 0, sizeof w);
    w.config = *parsed(configs, data[0] % count);
    w.engine = tw_engine_find(w.config.proto);
    require(w.engine != NULL);
    w.coap = !strcmp(w.config.proto, "coap") || !strcmp(w.config.proto, "oscore");
    w.config.peer = PEER;
    w.config.port = w.config.port ? w.config.port : w.engine->port;
    w.host = (struct tw_host){.ctx = &w, .event = on_event, .payload = on_payload, .make = on_make};
    tw_random_seed(&w.random, 1);
    w.now = TW_SECONDS(1);
    struct tw_setup setup = {.config = &w.config, .host = &w.host, .random = &w.random};
    require(w.engine->init(&w.state, &setup) == NULL);
    data++, size--;
    while (size >= 2) {
        size_t used = step(&w, data, size);
        data += used;
        size -= used;
    }
    return 0;
}
