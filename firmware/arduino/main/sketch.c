/*
 * A sketch of the user's own as the firmware of a trial (boards/lx106/include/thinwire/device.h).
 */
#include <stdio.h>

#include "arduino_random.h"
#include "sketch.h"
#include "system.h"
#include "thinwire/device.h"

void system_wait(uint64_t until_us) {
    device_wait(until_us);
}

void system_log(const char *text, size_t size) {
    fwrite(text, 1, size, stdout);
}

int main(int argc, char **argv) {
    (void)argc, (void)argv;
    arduino_random_seed(device_trial()->seed);
    sketch_run(NULL);
}
