// The SDK's clock.
#pragma once
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Microseconds since the start, modulo 2^32.
uint32_t system_get_time(void);

#ifdef __cplusplus
}
#endif
