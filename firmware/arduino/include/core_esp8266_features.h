// Clocks and waiting; what the core says about itself to libraries.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core_version.h"

#define CORE_HAS_LIBB64
#define CORE_HAS_CXA_GUARD

#ifdef __cplusplus
extern "C" {
#endif

// Since the board started; the first two modulo 2^32.
unsigned long millis(void);
unsigned long micros(void);
uint64_t micros64(void);
// Lets the network and timers work for `ms` milliseconds.
void delay(unsigned long ms);
// Only waits.
void delayMicroseconds(unsigned int us);

#ifdef __cplusplus
}
#endif
