/*
 * An AMQP client on the bench, and what a server sends it, frame by frame; long tables are replaced
 * by short ones.
 */
#ifndef AMQP_BENCH_H
#define AMQP_BENCH_H

#include "bench.h"

#define END 0xce
#define START                                                                                      \
    1, 0, 0, 0, 0, 0, 24, 0, 10, 0, 10, 0, 9, 0, 0, 0, 0, 0, 0, 0, 5, 'P', 'L', 'A', 'I', 'N', 0,  \
        0, 0, 0, 0, END
#define TUNE 1, 0, 0, 0, 0, 0, 12, 0, 10, 0, 30, 0x07, 0xff, 0, 2, 0, 0, 0, 60, END
#define OPEN_OK 1, 0, 0, 0, 0, 0, 5, 0, 10, 0, 41, 0, END
#define CHANNEL_OPEN_OK 1, 0, 1, 0, 0, 0, 8, 0, 20, 0, 11, 0, 0, 0, 0, END
#define DECLARE_OK 1, 0, 1, 0, 0, 0, 15, 0, 50, 0, 11, 2, 't', 'w', 0, 0, 0, 0, 0, 0, 0, 0, END
#define SELECT_OK 1, 0, 1, 0, 0, 0, 4, 0, 85, 0, 11, END
#define QOS_OK 1, 0, 1, 0, 0, 0, 4, 0, 60, 0, 11, END
#define CONSUME_OK 1, 0, 1, 0, 0, 0, 7, 0, 60, 0, 21, 2, 't', 'w', END
#define ACK(tag, multiple)                                                                         \
    1, 0, 1, 0, 0, 0, 13, 0, 60, 0, 80, 0, 0, 0, 0, 0, 0, 0, tag, multiple, END
#define DELIVER(tag)                                                                               \
    1, 0, 1, 0, 0, 0, 20, 0, 60, 0, 60, 2, 't', 'w', 0, 0, 0, 0, 0, 0, 0, tag, 0, 0, 2, 't', 'w',  \
        END
/* Close of a connection or a channel: 320, no text, no method. */
#define CLOSE(channel, class, method)                                                              \
    1, 0, channel, 0, 0, 0, 11, 0, class, 0, method, 1, 0x40, 0, 0, 0, 0, 0, END
#define HEADER(size) 2, 0, 1, 0, 0, 0, 14, 0, 60, 0, 0, 0, 0, 0, 0, 0, 0, 0, size, 0, 0, END

static inline void connect_with(struct bench *b, const char *config) {
    char text[256];
    bench_join(text, "proto=amqp ", config);
    bench_start(b, text);
    FEED(b, START);
    FEED(b, TUNE);
    FEED(b, OPEN_OK);
    FEED(b, CHANNEL_OPEN_OK);
    FEED(b, DECLARE_OK);
    bench_skip(b);
}

static inline void publisher(struct bench *b, const char *config) {
    connect_with(b, config);
    FEED(b, SELECT_OK);
    bench_skip(b);
    bench_expect_event(b, TW_EVENT_CONNECTED);
}

static inline void consumer(struct bench *b, const char *config) {
    char text[256];
    bench_join(text, "role=subscribe ", config);
    connect_with(b, text);
    FEED(b, QOS_OK, CONSUME_OK);
    bench_skip(b);
    bench_expect_event(b, TW_EVENT_CONNECTED);
}

#endif
