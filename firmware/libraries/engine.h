/*
 * A library that replaces the engines: the application (core/app/app.h) runs it like an engine, so
 * that configuration, schedule, reconnection and log are the same and only the library differs.
 * Unlike an engine it does its own I/O and blocks: `publish` and `on_time` last as long as the
 * library's calls.
 *
 * A build for a library defines TW_LIBRARY, the protocol that it speaks: mqtt, coap or websocket.
 * Its TW_ENGINES_HEADER names this file.
 */
#ifndef TW_LIBRARIES_ENGINE_H
#define TW_LIBRARIES_ENGINE_H

#include "core/app/log.h"
#include "core/engine.h"
#include "core/util/inflight.h"

enum tw_library_step {
    TW_LIBRARY_AWAY,
    TW_LIBRARY_CONNECTING,
    TW_LIBRARY_WAITING, /* for the library that calls back */
    TW_LIBRARY_FAILED,  /* connecting failed; reported in the next step, with its time */
    TW_LIBRARY_FRESH,   /* connected, not yet reported */
    TW_LIBRARY_UP
};

struct tw_library {
    const struct tw_config *config;
    const struct tw_host *host;
    enum tw_library_step step;
    uint16_t next_tag;
    struct tw_inflight inflight;
    uint8_t payload[TW_SEGMENT_MAX];
};

extern const struct tw_engine tw_library_engine;

/* The times of the last exchange of a closed loop (docs/firmware.md): publish_rtt_us and loop_us,
 * and where the board knows, how often and how long the sketch waited in between. */
void tw_library_log_exchange(struct tw_log *log);

/* The registry's list (core/app/registry.h): this one. */
#define TW_ENGINES(E) E(library, library)

#endif
