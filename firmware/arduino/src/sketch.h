#ifndef SKETCH_H
#define SKETCH_H

#include <stdint.h>

/* Runs setup(), and loop() again and again. lwIP and the interface are up. `due` says, after each
 * loop(), when the next one is wanted at the latest, unless a frame comes in; NULL: soon. */
void sketch_run(uint64_t (*due)(void)) __attribute__((noreturn));

#endif
