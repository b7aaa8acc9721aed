/*
 * The random numbers of a run, all from its seed: xoroshiro64** by Blackman and Vigna, 32-bit
 * arithmetic only. Not for secrets.
 */
#ifndef TW_RANDOM_H
#define TW_RANDOM_H

#include <stdint.h>

struct tw_random {
    uint32_t s[2];
};

void tw_random_seed(struct tw_random *random, uint32_t seed);
uint32_t tw_random_next(struct tw_random *random);
/* Uniform in [0, bound); bound > 0. The bias of the multiplication, below bound / 2^32, is
 * accepted. */
uint32_t tw_random_below(struct tw_random *random, uint32_t bound);

#endif
