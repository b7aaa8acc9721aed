/* What the sketch reads where the chip has its register of random numbers. */
#include "core/util/random.h"
#include "arduino_random.h"

/* A stream of its own, so that the sketch's draws do not shift those of lwIP. */
#define STREAM 0x41726475u /* "Ardu" */

static struct tw_random generator;

void arduino_random_seed(uint32_t seed) {
    tw_random_seed(&generator, seed ^ STREAM);
}

uint32_t thinwire_random(void) {
    return tw_random_next(&generator);
}
