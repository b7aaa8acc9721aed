/*
 * Faults on request, for the tests: the word fault=NAME:MS of the configuration line makes the
 * board commit NAME MS milliseconds after boot. Names: null_store, unaligned, divide, stack, heap,
 * watchdog, assert, deaf.
 */
#ifndef FAULT_H
#define FAULT_H

#include <stdint.h>

/* Removes the word from `text`, which a reset does not restore, so the fault happens once. An
 * unknown name is left in place for the application to report. */
void fault_take(char *text);
/* Commits the fault when it is due. Returns the time at which it is due, or UINT64_MAX. */
uint64_t fault_poll(uint64_t now_us);

#endif
