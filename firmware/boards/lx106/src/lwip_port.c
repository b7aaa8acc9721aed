#include "lwip_port.h"

#include "clock.h"
#include "core/util/random.h"
#include "crash.h"
#include "heap.h"
#include "lwip/opt.h"
#include "lwip/sys.h"

uint16_t lwip_port_window_bytes, lwip_port_send_bytes;

/* A separate stream, so that lwIP's draws do not shift those of the application. */
#define STREAM 0x6C774950u /* "lwIP" */

static struct tw_random generator;

void lwip_port_start(uint32_t seed, uint16_t mss) {
    uint32_t window = 4u * mss;
    lwip_port_window_bytes =
        (uint16_t)(window < LWIP_PORT_WINDOW_MAX ? window : LWIP_PORT_WINDOW_MAX);
    lwip_port_send_bytes = (uint16_t)(2u * mss);
    tw_random_seed(&generator, seed ^ STREAM);
}

uint32_t lwip_port_random(void) {
    return tw_random_next(&generator);
}

void lwip_port_assert_failed(const char *file, uint32_t line) {
    /* lwIP asserts that it got memory for its timers: it cannot go on without them. */
    crash(heap_empty() ? RESET_HEAP_EXHAUSTED : RESET_ASSERT, file, line);
}

u32_t sys_now(void) {
    return clock_ms();
}
