/* An MQTT-SN client on the bench, connected to a gateway that the test plays. */
#ifndef MQTTSN_BENCH_H
#define MQTTSN_BENCH_H

#include "bench.h"

static inline void start(struct bench *b, const char *config) {
    char text[256];
    bench_join(text, "proto=mqttsn id=tw keepalive_s=60 ", config);
    bench_start(b, text);
}

/* Answers CONNECT; leaves what follows to the test. */
static inline void connect_with(struct bench *b, const char *config) {
    start(b, config);
    bench_skip(b);
    FEED(b, 3, 0x05, 0); /* CONNACK accepted */
}

/* A publisher with predefined topic 5, ready to publish. */
static inline void publisher(struct bench *b, const char *config) {
    char text[256];
    bench_join(text, "topic_type=predefined topic_id=5 ", config);
    connect_with(b, text);
    bench_expect_event(b, TW_EVENT_CONNECTED);
    bench_expect_silence(b);
}

/* A subscriber to predefined topic 5, whose subscription the gateway granted. */
static inline void subscriber(struct bench *b, const char *config) {
    char text[256];
    bench_join(text, "role=subscribe topic_type=predefined topic_id=5 ", config);
    connect_with(b, text);
    bench_skip(b);
    FEED(b, 8, 0x13, 0x00, 0x00, 0x00, 0x00, 0x02, 0);
    bench_expect_event(b, TW_EVENT_CONNECTED);
}

#endif
