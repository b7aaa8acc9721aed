// The SDK's functions that the core's files call, with the board's in their place.
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define os_memcpy memcpy

typedef void os_timer_func_t(void *argument);
typedef struct {
    os_timer_func_t *call;
    void *argument;
} os_timer_t;

#ifdef __cplusplus
extern "C" {
#endif

void os_timer_setfn(os_timer_t *timer, os_timer_func_t *call, void *argument);
void os_timer_arm(os_timer_t *timer, uint32_t ms, bool repeat);
void os_timer_disarm(os_timer_t *timer);
void os_delay_us(uint32_t us);

#ifdef __cplusplus
}
#endif
