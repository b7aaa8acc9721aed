#ifndef ARDUINO_RANDOM_H
#define ARDUINO_RANDOM_H

#include <stdint.h>

/* Once, with the seed of the trial. */
void arduino_random_seed(uint32_t seed);
uint32_t thinwire_random(void);

#endif
