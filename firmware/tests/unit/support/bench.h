/*
 * A test bench for one engine: plays the application and the network, keeps a clock that only the
 * test moves, records events, and compares output byte by byte.
 */
#ifndef BENCH_H
#define BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/app/registry.h"
#include "core/config.h"
#include "core/engine.h"
#include "core/util/random.h"

#define BENCH_EVENTS 64
#define BENCH_TEXT 2048

struct bench {
    const struct tw_engine *engine;
    union tw_engine_state state;
    struct tw_config config;
    struct tw_host host;
    struct tw_random random;
    tw_time now;
    uint32_t made; /* messages made for requests */
    struct tw_event events[BENCH_EVENTS];
    size_t event_count, event_next;
    char received[BENCH_TEXT]; /* payload bytes of the message being received */
    size_t received_size;
};

/* Builds the engine that `config` names (proto=...) and brings link 0 up. */
void bench_start(struct bench *b, const char *config);
/* The same after deep sleep, which the session of before has survived. */
void bench_wake(struct bench *b, const char *config);
/* As bench_start without opening the link; returns what init returned. */
const char *bench_init(struct bench *b, const char *config);
void bench_open(struct bench *b, uint8_t link);
void bench_close(struct bench *b);
/* Gives the engine input on link 0, from the configured peer unless bench_feed_from is used. */
void bench_feed(struct bench *b, const void *data, size_t size);
void bench_feed_on(struct bench *b, uint8_t link, const void *data, size_t size);
void bench_feed_from(struct bench *b, uint32_t address, uint16_t port, const void *data,
                     size_t size);
enum tw_publish bench_publish(struct bench *b, uint32_t seq, uint32_t size);
/* Moves the clock to the engine's deadline (which must be) and lets it act. */
void bench_sleep(struct bench *b);
/* Moves the clock, letting the engine act at each deadline on the way. */
void bench_wait(struct bench *b, tw_time duration);

/* The next output must be exactly these bytes (a stream may hold more behind them); takes them. */
void bench_expect(struct bench *b, const void *data, size_t size);
void bench_expect_on(struct bench *b, uint8_t link, const void *data, size_t size);
/* Takes the next output whatever it is: a datagram, or all of a stream's; returns its size. */
size_t bench_take(struct bench *b, uint8_t *data, size_t room);
size_t bench_take_on(struct bench *b, uint8_t link, uint8_t *data, size_t room);
/* Takes it without a look. */
void bench_skip(struct bench *b);
/* The same of a network that takes `most` bytes of a stream at a time, as many times as `pieces`.
 */
size_t bench_take_slowly(struct bench *b, uint8_t *data, size_t room, size_t most, size_t pieces);
/* The payload of message `seq` as bench_publish gives it. */
void bench_payload(struct bench *b, uint32_t seq, uint32_t size, uint8_t *out);
void bench_expect_silence(struct bench *b);
/* The next event must be of this type; returns it. */
const struct tw_event *bench_expect_event(struct bench *b, enum tw_event_type type);
void bench_expect_no_event(struct bench *b);
/* The next event must be the end of a message with this text. */
void bench_expect_received(struct bench *b, const char *text);
/* The next event must be `type` for message `seq`, with `reason` (NULL: none). */
void bench_expect_message(struct bench *b, enum tw_event_type type, uint32_t seq,
                          const char *reason);

/* Both texts in one, at most 255 characters. */
void bench_join(char out[256], const char *first, const char *second);

#define BYTES(...) ((const uint8_t[]){__VA_ARGS__}), sizeof((const uint8_t[]){__VA_ARGS__})
#define TEXT(literal) (literal), (sizeof(literal) - 1)
#define EXPECT(bench, ...) bench_expect((bench), BYTES(__VA_ARGS__))
#define FEED(bench, ...) bench_feed((bench), BYTES(__VA_ARGS__))

#endif
