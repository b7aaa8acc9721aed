/*
 * Drives one engine through a life that the fuzzer writes: input in pieces of any size, messages to
 * publish, time passing, output taken in part, connections lost and made anew. Fails on what no
 * engine may do: endless output, a deadline that on_time does not move, events out of bounds.
 */
#ifndef DRIVE_H
#define DRIVE_H

#include "mutate.h"

/* The first byte of `data` chooses among the `count` configurations. Returns 0. */
int drive(const char *const *configs, size_t count, const uint8_t *data, size_t size);

/* The whole of a fuzzer: what repairs its packets, and its configurations. */
#define FUZZ(repair, ...)                                                                          \
    size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);    \
    size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {   \
        return mutate(data, size, max_size, seed, repair);                                         \
    }                                                                                              \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);                                  \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {                                 \
        static const char *const configs[] = {__VA_ARGS__};                                        \
        return drive(configs, sizeof configs / sizeof *configs, data, size);                       \
    }

#endif
