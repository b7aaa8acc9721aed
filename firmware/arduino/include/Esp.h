// What the core says of the chip.
#pragma once

#include <stdint.h>

#include "core_version.h"

// Functions of the class in release 3, of the object before.
#if THINWIRE_ARDUINO_CORE_3
#define THINWIRE_OF_CLASS static
#else
#define THINWIRE_OF_CLASS
#endif

class EspClass {
public:
    THINWIRE_OF_CLASS uint32_t getFreeHeap();
    THINWIRE_OF_CLASS uint32_t getCycleCount();
    THINWIRE_OF_CLASS uint8_t getCpuFreqMHz() { return 80; }
    THINWIRE_OF_CLASS uint32_t getChipId(); // the last three octets of the MAC address
    // Bytes of the sketch's stack that were never used.
    THINWIRE_OF_CLASS uint32_t getFreeContStack();
    THINWIRE_OF_CLASS void wdtFeed();
    THINWIRE_OF_CLASS void restart() __attribute__((noreturn));
    THINWIRE_OF_CLASS void reset() __attribute__((noreturn)) { restart(); }
};

extern EspClass ESP;
