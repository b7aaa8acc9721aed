#include "random.h"

static uint32_t rotate(uint32_t x, unsigned k) {
    return x << k | x >> (32 - k);
}

/* One output of splitmix32, which spreads small seeds over the whole state. */
static uint32_t splitmix(uint32_t *state) {
    uint32_t z = *state += 0x9E3779B9u;
    z = (z ^ z >> 16) * 0x85EBCA6Bu;
    z = (z ^ z >> 13) * 0xC2B2AE35u;
    return z ^ z >> 16;
}

void tw_random_seed(struct tw_random *random, uint32_t seed) {
    random->s[0] = splitmix(&seed);
    random->s[1] = splitmix(&seed) | 1u; /* the state must not be all zero */
}

uint32_t tw_random_next(struct tw_random *random) {
    uint32_t a = random->s[0], b = random->s[1] ^ a;
    uint32_t result = rotate(a * 0x9E3779BBu, 5) * 5;
    random->s[0] = rotate(a, 26) ^ b ^ b << 9;
    random->s[1] = rotate(b, 13);
    return result;
}

uint32_t tw_random_below(struct tw_random *random, uint32_t bound) {
    return (uint32_t)((uint64_t)tw_random_next(random) * bound >> 32);
}
