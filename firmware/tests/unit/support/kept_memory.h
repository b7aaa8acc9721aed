/* The memory that outlives a restart, of an engine of OSCORE on the bench. */
#ifndef KEPT_MEMORY_H
#define KEPT_MEMORY_H

#include "oscore_bench.h"

static uint8_t memory[TW_OSCORE_RECORD_BYTES];
static unsigned kept; /* how often it was written; 0: it holds nothing */

static inline bool recall(void *ctx, void *out, size_t size) {
    (void)ctx;
    memcpy(out, memory, size);
    return kept;
}

static inline void keep(void *ctx, const void *data, size_t size) {
    (void)ctx;
    assert_int_equal(size, sizeof memory);
    memcpy(memory, data, size);
    kept++;
}

/* Starts the engine of an initialized bench again, with what the memory holds. */
static inline void restart_with_memory(struct bench *b) {
    struct tw_setup setup = {.config = &b->config, .host = &b->host, .random = &b->random};
    b->host.recall = recall;
    b->host.keep = keep;
    memset(&b->state, 0, sizeof b->state);
    assert_null(b->engine->init(&b->state, &setup));
}

#endif
