/*
 * Drives one engine through a life that the fuzzer writes: input in pieces of any size, messages to
 * publish, time passing, output taken in part, connections lost and made anew. Fails on what no
 * engine may do: endless output, a deadline that on_time does not move, events out of bounds.
 */
#ifndef DRIVE_H
#define DRIVE_H

#include <stddef.h>
#include <stdint.h>

/* The first byte of `data` chooses among the `count` configurations. Returns 0. */
int drive(const char *const *configs, size_t count, const uint8_t *data, size_t size);

/* The whole of a fuzzer. */
#define FUZZ(...)                                                                                  \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);                                  \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {                                 \
        static const char *const configs[] = {__VA_ARGS__};                                        \
        return drive(configs, sizeof configs / sizeof *configs, data, size);                       \
    }

#endif
