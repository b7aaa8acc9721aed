#ifndef RTOS_SYSTEM_H
#define RTOS_SYSTEM_H

#include "core/config.h"

/* Once: the random numbers and the address of the trial. */
void rtos_system_start(const struct tw_config *config);

#endif
