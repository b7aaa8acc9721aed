/* What the tests of MQTT share: connected, and connected again. */
#ifndef MQTT_BENCH_H
#define MQTT_BENCH_H

#include "bench.h"

#define CONNACK_NEW 0x20, 0x02, 0x00, 0x00
#define CONNACK_RESUMED 0x20, 0x02, 0x01, 0x00

static inline void reconnect(struct bench *b, bool resumed) {
    uint8_t connect[128];
    bench_close(b);
    bench_open(b, 0);
    bench_take(b, connect, sizeof connect);
    FEED(b, 0x20, 0x02, resumed, 0x00);
}

#endif
