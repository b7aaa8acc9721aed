/*
 * The address of the last lease, in RTC memory, which outlives a reset but not a loss of power.
 */
#ifndef LEASE_H
#define LEASE_H

#include <stdint.h>

void lease_keep(uint32_t address);
/* The address kept last; 0 if there is none. */
uint32_t lease_recall(void);

#endif
