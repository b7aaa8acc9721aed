/* Clock, random numbers, address and heap. */
#include "system.h"

#include <assert.h>
#include <string.h>
#include <sys/time.h>

#include "clock.h"
#include "core/util/random.h"
#include "crash.h"
#include "esp_system.h"
#include "heap.h"

/* A stream of its own, so that a library's draws do not shift those of lwIP. */
#define STREAM 0x52544F53u /* "RTOS" */

static struct tw_random generator;
static uint8_t address[6];

void rtos_system_start(const struct tw_config *config) {
    tw_random_seed(&generator, config->seed ^ STREAM);
    memcpy(address, config->mac, sizeof address);
}

uint32_t esp_random(void) {
    return tw_random_next(&generator);
}

esp_err_t esp_read_mac(uint8_t *mac, esp_mac_type_t type) {
    (void)type;
    memcpy(mac, address, sizeof address);
    return ESP_OK;
}

uint32_t esp_get_free_heap_size(void) {
    struct heap_use use = heap_use();
    return use.total_bytes - use.used_bytes;
}

/* Since the start: the SDK's clock has no other time, either, before SNTP. */
int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    uint64_t us = clock_us();
    time->tv_sec = (time_t)(us / 1000000u);
    time->tv_usec = (suseconds_t)(us % 1000000u);
    return 0;
}

/* A failed assertion of a library: the C library's would print it, and there is no serial port. */
void __assert_func(const char *file, int line, const char *function, const char *condition) {
    (void)function, (void)condition;
    crash(RESET_ASSERT, file, (uint32_t)line);
}
