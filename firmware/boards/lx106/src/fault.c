#include "fault.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "cpu.h"
#include "log.h"
#include "lwip/opt.h"

#include "lwip/debug.h"

#define WORD "fault="

#define DEAF_US 300000u

static void null_store(void) {
    *(volatile uint32_t *)0 = 1;
}

static void unaligned(void) {
    uint32_t value;
    __asm__ volatile("l32i %0, %1, 0" : "=a"(value) : "a"(0x3FFE8001u));
}

static void divide(void) {
    volatile uint32_t dividend = 1000, zero = 0;
    dividend = dividend / zero;
}

static uint32_t recurse(volatile uint32_t depth) {
    volatile uint32_t local[8] = {depth};
    return depth ? recurse(depth + 1u) + local[0] : 0;
}

static void stack(void) {
    recurse(1);
}

/* Leaks until nothing is left, down to the smallest block; also what is freed later.
 */
static void heap(void) {
    for (size_t size = 4096; size; size /= 2)
        while (malloc(size)) {
        }
}

static void watchdog(void) {
    for (;;) {
    }
}

static void failed_assertion(void) {
    LWIP_ASSERT("on request", 0);
}

/* A crash in the middle of a line of the log. */
static void half_line(void) {
    log_begin("half");
    null_store();
}

/* A crash with frames waiting in the Ethernet controller, and its interrupt line high. */
static void deaf(void) {
    cpu_lock();
    uint64_t end_us = clock_us() + DEAF_US;
    while (clock_us() < end_us) {
    }
    failed_assertion();
}

static const struct fault {
    const char *name;
    void (*commit)(void);
    bool lasting; /* committed in each pass of the event loop */
} faults[] = {
    {"null_store", null_store, false},
    {"unaligned", unaligned, false},
    {"divide", divide, false},
    {"stack", stack, false},
    {"heap", heap, true},
    {"watchdog", watchdog, false},
    {"assert", failed_assertion, false},
    {"deaf", deaf, false},
    {"half_line", half_line, false},
};

static const struct fault *chosen;
static uint64_t due_us;

void fault_take(char *text) {
    char *word = strstr(text, WORD);
    if (!word)
        return;
    char *name = word + strlen(WORD);
    size_t name_size = strcspn(name, ": ");
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (strlen(faults[i].name) == name_size && !memcmp(faults[i].name, name, name_size))
            chosen = &faults[i];
    if (!chosen)
        return;
    if (name[name_size] == ':')
        due_us = strtoul(name + name_size + 1, NULL, 10) * 1000ull;
    memset(word, ' ', strcspn(word, " "));
}

uint64_t fault_poll(uint64_t now_us) {
    if (!chosen)
        return UINT64_MAX;
    if (now_us < due_us)
        return due_us;
    const struct fault *now = chosen;
    if (!now->lasting)
        chosen = NULL;
    now->commit();
    return UINT64_MAX;
}
