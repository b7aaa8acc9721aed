/* Knock: a message is a datagram, and nothing is added to it or comes back. */
#ifndef TW_KNOCK_H
#define TW_KNOCK_H

#include "core/engine.h"

struct tw_knock {
    const struct tw_host *host;
    bool open;
    bool pending; /* `message` waits to leave */
    struct tw_message message;
    uint8_t datagram[TW_SEGMENT_MAX];
};

extern const struct tw_engine tw_knock_engine;

#endif
