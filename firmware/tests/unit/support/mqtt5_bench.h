/* What the tests of MQTT 5 share: connected, and connected again. */
#ifndef MQTT5_BENCH_H
#define MQTT5_BENCH_H

#include "bench.h"

#define CONNACK5 0x20, 0x03, 0x00, 0x00, 0x00
#define CONNACK5_RESUMED 0x20, 0x03, 0x01, 0x00, 0x00
#define SUBACK5 0x90, 0x04, 0x00, 0x01, 0x00, 0x02

/* A device with id "tw" and topic "t" that has sent its CONNECT. */
static inline void open_with(struct bench *b, const char *config) {
    char text[256];
    bench_join(text, "proto=mqtt5 topic=t ", config);
    bench_start(b, text);
    bench_skip(b);
}

static inline void connect_with(struct bench *b, const char *config) {
    open_with(b, config);
    FEED(b, CONNACK5);
    bench_expect_event(b, TW_EVENT_CONNECTED);
}

static inline void subscribe_with(struct bench *b, const char *config) {
    open_with(b, config);
    FEED(b, CONNACK5);
    bench_skip(b); /* SUBSCRIBE */
    FEED(b, SUBACK5);
    bench_expect_event(b, TW_EVENT_CONNECTED);
}

static inline void reopen(struct bench *b) {
    bench_close(b);
    bench_open(b, 0);
    bench_skip(b);
}

/* The connection has ended with this word in the log, and with DISCONNECT and this code. */
static inline void expect_refusal(struct bench *b, uint8_t code, const char *reason) {
    assert_string_equal(bench_expect_event(b, TW_EVENT_CLOSE)->reason, reason);
    EXPECT(b, 0xe0, 0x01, code);
    bench_expect_silence(b);
    bench_expect_no_event(b);
}

#endif
