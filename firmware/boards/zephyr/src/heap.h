/*
 * mbedTLS takes its memory from Zephyr's heap, as the stack's buffers of variable size do: a board
 * has no other on every C library, and the log states how full this one is.
 */
#ifndef HEAP_H
#define HEAP_H

#include <stddef.h>

void *k_calloc(size_t count, size_t size);
void k_free(void *memory);

#define MBEDTLS_PLATFORM_MEMORY
#define MBEDTLS_PLATFORM_CALLOC_MACRO k_calloc
#define MBEDTLS_PLATFORM_FREE_MACRO k_free

#endif
