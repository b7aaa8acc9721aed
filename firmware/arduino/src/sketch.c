#include "sketch.h"

#include "Arduino.h"
#include "system.h"

/* After loop() the sketch pauses for this long, or until a frame comes in: a loop that only looks
 * at clocks would otherwise keep the emulator busy for every microsecond of the trial. */
#define PAUSE_US 1000u

extern void (*const __constructors_start[])(void);
extern void (*const __constructors_end[])(void);

/* The order of the chip's core: the last constructor first. */
static void construct(void) {
    for (void (*const *each)(void) = __constructors_end; each != __constructors_start;)
        (*--each)();
}

void sketch_run(uint64_t (*due)(void)) {
    system_start();
    construct();
    setup();
    for (;;) {
        loop();
        uint64_t next = system_now_us() + PAUSE_US, wanted = due ? due() : 0;
        system_rest(next < wanted ? wanted : next);
    }
}
