/*
 * Drives one engine by commands on standard input, on a clock that only the commands move: for the
 * tests of hil/tests/reports. Each command is a line; its reports follow, then a line with a dot.
 *
 *   config WORDS                   builds the engine; "refused KEY" when it cannot be
 *   open LINK | close LINK         the transport of the link comes up, or is gone
 *   feed LINK ADDRESS PORT [HEX]   input; address and port in decimal, 0: the configured peer's
 *   publish SEQ SIZE               "publish RESULT"
 *   wait MICROSECONDS [ROOM]       takes the output, now and at each deadline on the way
 *   take LINK [ROOM]               takes output, at most ROOM bytes; a datagram leaves as a whole
 *   finish                         ends the session in the protocol's own way
 *
 * Reports, beside those above, with times in microseconds and - for what is empty:
 *
 *   sent TIME LINK ADDRESS PORT HEX
 *   event TIME LINK TYPE SEQ LAST OFFSET REASON HEX
 *
 * What an engine may never do ends the program with status 3 and a line on standard error.
 */
#define _POSIX_C_SOURCE 200809L

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/app/registry.h"
#include "core/app/workload.h"
#include "core/config.h"
#include "core/engine.h"
#include "core/util/bytes.h"
#include "core/util/random.h"

#define OUTPUT_LIMIT 10000 /* pieces of output that one command may cause on a link */

struct driver {
    const struct tw_engine *engine;
    union tw_engine_state state;
    struct tw_config config;
    struct tw_host host;
    struct tw_random random;
    tw_time now;
    uint32_t made;
    bool open[TW_LINKS];
};

static void require(bool condition, const char *what) {
    if (condition)
        return;
    fprintf(stderr, "drive: %s\n", what);
    exit(3);
}

static void print_hex(const uint8_t *data, size_t size) {
    if (!size)
        putchar('-');
    for (size_t i = 0; i < size; i++)
        printf("%02x", data[i]);
    putchar('\n');
}

/* Reads pairs of hexadecimal digits in place of their text; returns the bytes. */
static size_t read_hex(char *text) {
    size_t size = 0;
    for (; tw_hex_digit(text[2 * size]) >= 0; size++) {
        require(tw_hex_digit(text[2 * size + 1]) >= 0, "odd hexadecimal digits");
        text[size] = (char)(tw_hex_digit(text[2 * size]) << 4 | tw_hex_digit(text[2 * size + 1]));
    }
    return size;
}

/* ---- what the engine asks of the application ---- */

static const char *type_name(enum tw_event_type type) {
    switch (type) {
    case TW_EVENT_CONNECTED:
        return "connected";
    case TW_EVENT_ACKED:
        return "acked";
    case TW_EVENT_FAILED:
        return "failed";
    case TW_EVENT_RETRANSMITTED:
        return "retransmitted";
    case TW_EVENT_RECEIVED:
        return "received";
    case TW_EVENT_SERVED:
        return "served";
    case TW_EVENT_CLOSE:
        return "close";
    case TW_EVENT_ERROR:
        return "error";
    }
    return "unknown";
}

static void on_event(void *ctx, const struct tw_event *event) {
    struct driver *d = ctx;
    require(event->link < TW_LINKS, "an event of no link");
    printf("event %" PRIu64 " %u %s %" PRIu32 " %d %zu %s ", d->now, event->link,
           type_name(event->type), event->message.seq, event->last, event->offset,
           event->reason ? event->reason : "-");
    print_hex(event->data, event->size);
}

static void on_payload(void *ctx, const struct tw_message *message, size_t offset, uint8_t *out,
                       size_t size) {
    struct driver *d = ctx;
    require(offset + size <= message->size, "payload bytes beyond the message");
    tw_payload_write(d->config.id, message, offset, out, size);
}

static void on_make(void *ctx, tw_time now, struct tw_message *message) {
    struct driver *d = ctx;
    *message = (struct tw_message){
        .seq = ++d->made, .size = d->config.payload_bytes, .created_us = now, .sent_us = now};
}

/* ---- commands ---- */

/* Takes output of the link, at most `room` bytes. */
static void take(struct driver *d, uint8_t link, size_t room) {
    struct tw_output out;
    for (int pieces = 0; d->engine->output(&d->state, d->now, link, &out); pieces++) {
        require(out.size > 0 && pieces < OUTPUT_LIMIT, "output without end");
        bool whole = d->engine->transport == TW_DATAGRAM;
        size_t size = out.size <= room ? out.size : whole ? 0 : room;
        if (!size)
            return;
        printf("sent %" PRIu64 " %u %" PRIu32 " %u ", d->now, link, out.to.address, out.to.port);
        print_hex(out.data, size);
        d->engine->accepted(&d->state, d->now, link, size);
        room -= size;
    }
}

static void take_all(struct driver *d, size_t room) {
    for (uint8_t link = 0; link < TW_LINKS; link++)
        if (d->open[link])
            take(d, link, room);
}

static void do_wait(struct driver *d, tw_time duration, size_t room) {
    tw_time end = d->now + duration;
    take_all(d, room);
    while (d->engine->deadline(&d->state) <= end) {
        tw_time due = d->engine->deadline(&d->state);
        if (due > d->now)
            d->now = due;
        d->engine->on_time(&d->state, d->now);
        take_all(d, room);
        require(d->engine->deadline(&d->state) > d->now, "a deadline that does not move");
    }
    d->now = end;
}

static void configure(struct driver *d, const char *words) {
    char key[32];
    memset(d, 0, sizeof *d);
    d->now = TW_SECONDS(1);
    tw_config_defaults(&d->config);
    if (!tw_config_parse(&d->config, words, key, sizeof key)) {
        printf("refused %s\n", key);
        return;
    }
    d->engine = tw_engine_find(d->config.proto);
    if (!d->engine) {
        puts("refused proto");
        return;
    }
    if (!d->config.port)
        d->config.port = d->engine->port;
    d->host = (struct tw_host){.ctx = d, .event = on_event, .payload = on_payload, .make = on_make};
    tw_random_seed(&d->random, d->config.seed);
    struct tw_setup setup = {.config = &d->config, .host = &d->host, .random = &d->random};
    const char *refused = d->engine->init(&d->state, &setup);
    if (refused)
        printf("refused %s\n", refused);
}

/* A copy of exactly the input's size, so that the sanitizer sees every byte read beyond it. */
static void feed(struct driver *d, uint8_t link, struct tw_peer from, char *hex) {
    size_t size = read_hex(hex);
    uint8_t *copy = malloc(size ? size : 1);
    require(copy != NULL, "no memory");
    memcpy(copy, hex, size);
    if (!from.address)
        from.address = d->config.peer;
    if (!from.port)
        from.port = d->config.port;
    d->engine->on_bytes(&d->state, d->now, link, &from, copy, size);
    free(copy);
}

static void publish(struct driver *d, uint32_t seq, uint32_t size) {
    static const char *const results[] = {"published", "busy", "offline", "unwanted",
                                          "unsupported"};
    struct tw_message message = {.seq = seq, .size = size, .created_us = d->now, .sent_us = d->now};
    printf("publish %s\n", results[d->engine->publish(&d->state, d->now, &message)]);
}

static uint64_t number(char **text, uint64_t absent) {
    char *end;
    uint64_t value = strtoull(*text, &end, 10);
    if (end == *text)
        return absent;
    *text = end + (*end == ' ');
    return value;
}

static uint8_t link_number(char **text) {
    uint64_t link = number(text, 0);
    require(link < TW_LINKS, "no such link");
    return (uint8_t)link;
}

static void obey(struct driver *d, const char *command, char *words) {
    uint8_t link;
    require(d->engine != NULL, "the first command is not config");
    if (!strcmp(command, "open")) {
        link = link_number(&words);
        d->open[link] = true;
        d->engine->on_open(&d->state, d->now, link);
    } else if (!strcmp(command, "close")) {
        link = link_number(&words);
        d->open[link] = false;
        d->engine->on_close(&d->state, d->now, link);
    } else if (!strcmp(command, "feed")) {
        link = link_number(&words);
        struct tw_peer from = {.address = (uint32_t)number(&words, 0)};
        from.port = (uint16_t)number(&words, 0);
        feed(d, link, from, words);
    } else if (!strcmp(command, "publish")) {
        uint32_t seq = (uint32_t)number(&words, 0);
        publish(d, seq, (uint32_t)number(&words, 0));
    } else if (!strcmp(command, "wait")) {
        tw_time duration = number(&words, 0);
        do_wait(d, duration, number(&words, SIZE_MAX));
    } else if (!strcmp(command, "take")) {
        link = link_number(&words);
        take(d, link, number(&words, SIZE_MAX));
    } else if (!strcmp(command, "finish")) {
        d->engine->finish(&d->state, d->now);
    } else {
        require(false, "unknown command");
    }
}

int main(void) {
    static struct driver driver;
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        line[strcspn(line, "\n")] = 0;
        char *words = line + strcspn(line, " ");
        if (*words)
            *words++ = 0;
        if (!strcmp(line, "config"))
            configure(&driver, words);
        else
            obey(&driver, line, words);
        puts(".");
        fflush(stdout);
    }
    free(line);
    return 0;
}
