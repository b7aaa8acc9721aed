/*
 * The heap: the C library's allocator over the RAM that the image leaves free, with statistics of
 * its use. lwIP allocates packets, segments and control blocks here, as on the chip.
 */
#ifndef HEAP_H
#define HEAP_H

#include <stdbool.h>
#include <stdint.h>

struct heap_use {
    uint32_t total_bytes;
    uint32_t used_bytes;     /* in allocated blocks, with their headers */
    uint32_t free_min_bytes; /* the minimum ever free */
    uint32_t failures;       /* requests that failed */
};

struct heap_use heap_use(void);

/* Crashes when every request has failed for HEAP_STARVED_US, since a device without memory cannot
 * receive or recover. Call it from the event loop. */
#define HEAP_STARVED_US 10000000u
void heap_check(void);
/* True when the last request failed. */
bool heap_empty(void);

#endif
