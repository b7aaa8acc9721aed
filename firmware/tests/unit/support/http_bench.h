/* What the tests of the HTTP server share. */
#ifndef HTTP_BENCH_H
#define HTTP_BENCH_H

#include "bench.h"

#define HOST "Host: board\r\n"

static inline void serve(struct bench *b, const char *config) {
    char text[256];
    bench_join(text, "proto=http role=serve topic=a payload_bytes=6 ", config);
    bench_start(b, text);
    bench_expect_event(b, TW_EVENT_CONNECTED);
}

static inline void expect_status(const char *request, size_t size, const char *status) {
    struct bench b;
    uint8_t data[2048];
    serve(&b, "");
    bench_feed(&b, request, size);
    size_t got = bench_take(&b, data, sizeof data - 1);
    data[got] = 0;
    assert_memory_equal(data, "HTTP/1.1 ", 9);
    assert_memory_equal(data + 9, status, 3);
}

#define EXPECT_STATUS(request, status) expect_status((request), sizeof(request) - 1, (status))

#endif
