/*
 * The heap: the C library's allocator over the RAM that the image leaves free, with an account of
 * its use. lwIP takes its packets, segments and control blocks from here, as on the chip.
 */
#ifndef HEAP_H
#define HEAP_H

#include <stdbool.h>
#include <stdint.h>

struct heap_use {
    uint32_t total_bytes;
    uint32_t used_bytes;     /* in allocated blocks, with their headers */
    uint32_t free_min_bytes; /* the least that was ever free */
    uint32_t failures;       /* requests that found no memory */
};

struct heap_use heap_use(void);

/* A device without memory is deaf and cannot repair itself: crashes when every request failed for
 * HEAP_STARVED_US. Call it from the event loop. */
#define HEAP_STARVED_US 10000000u
void heap_check(void);
/* True when the last request found no memory. */
bool heap_empty(void);

#endif
