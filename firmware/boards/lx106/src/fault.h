/*
 * Faults on request, for the tests: the word fault=NAME:MS of the configuration line makes the
 * board commit NAME MS milliseconds after boot. Names: null_store, unaligned, divide, stack, heap,
 * watchdog, assert, deaf.
 */
#ifndef FAULT_H
#define FAULT_H

#include <stdint.h>

/* Takes the word out of `text`, which lies where a reset does not restore it: the fault happens
 * once. An unknown name is left in place, and the application reports it. */
void fault_take(char *text);
/* Commits the fault when it is due. Returns the time when it will be, or UINT64_MAX. */
uint64_t fault_poll(uint64_t now_us);

#endif
