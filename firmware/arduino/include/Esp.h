// What the core says of the chip.
#pragma once

#include <stdint.h>

class EspClass {
public:
    uint32_t getFreeHeap();
    uint32_t getCycleCount();
    uint8_t getCpuFreqMHz() { return 80; }
    uint32_t getChipId(); // the last three octets of the MAC address
    // Bytes of the sketch's stack that were never used.
    uint32_t getFreeContStack();
    void wdtFeed();
    void restart() __attribute__((noreturn));
    void reset() __attribute__((noreturn)) { restart(); }
};

extern EspClass ESP;
