#include "heap.h"

#include <errno.h>
#include <malloc.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "crash.h"

extern uint8_t __heap_start[], __heap_end[];

/* picolibc keeps the size of a block in the word before it. */
#define BLOCK_HEADER_BYTES sizeof(size_t)

static uint8_t *heap_break = __heap_start;
static uint32_t used, used_max, failures;
static uint64_t starved_since_us; /* 0: the last request was served */

/* The C library's allocator grows the heap through this. */
void *sbrk(ptrdiff_t increment) {
    if (increment > __heap_end - heap_break || increment < __heap_start - heap_break) {
        errno = ENOMEM;
        return (void *)-1;
    }
    uint8_t *old = heap_break;
    heap_break += increment;
    return old;
}

/* The linker sends every call of malloc and its kin here (--wrap). */
void *__real_malloc(size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

static uint32_t bytes_of(void *block) {
    return block ? malloc_usable_size(block) + BLOCK_HEADER_BYTES : 0;
}

static void *account(void *block) {
    if (block) {
        starved_since_us = 0;
        used += bytes_of(block);
        if (used > used_max)
            used_max = used;
    } else {
        failures++;
        if (!starved_since_us)
            starved_since_us = clock_us();
    }
    return block;
}

void *__wrap_malloc(size_t size) {
    return account(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return account(NULL);
    void *block = __wrap_malloc(bytes);
    if (block)
        memset(block, 0, bytes);
    return block;
}

/* Always moves the block: the C library's realloc would grow it in place without being counted. */
void *__wrap_realloc(void *block, size_t size) {
    void *moved = __wrap_malloc(size);
    if (moved && block) {
        size_t old_size = malloc_usable_size(block);
        memcpy(moved, block, old_size < size ? old_size : size);
        __wrap_free(block);
    }
    return moved;
}

void __wrap_free(void *block) {
    used -= bytes_of(block);
    __real_free(block);
}

struct heap_use heap_use(void) {
    uint32_t total = (uint32_t)(__heap_end - __heap_start);
    return (struct heap_use){
        .total_bytes = total,
        .used_bytes = used,
        .free_min_bytes = total - used_max,
        .failures = failures,
    };
}

bool heap_empty(void) {
    return starved_since_us != 0;
}

void heap_check(void) {
    if (starved_since_us && clock_us() - starved_since_us >= HEAP_STARVED_US)
        crash(RESET_HEAP_EXHAUSTED, "no memory", 0);
}
