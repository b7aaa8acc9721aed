// Pins and random numbers.
#include "Arduino.h"

namespace {

constexpr unsigned kPins = 17;
uint8_t levels[kPins];

bool seeded;

long below(uint32_t drawn, long limit) {
    return limit ? static_cast<long>(drawn % static_cast<unsigned long>(limit)) : 0;
}

} // namespace

extern "C" {

void pinMode(uint8_t pin, uint8_t mode) {
    if (pin < kPins)
        levels[pin] = mode == INPUT_PULLUP;
}

void digitalWrite(uint8_t pin, uint8_t level) {
    if (pin < kPins)
        levels[pin] = level != LOW;
}

int digitalRead(uint8_t pin) {
    return pin < kPins ? levels[pin] : LOW;
}

} // extern "C"

// Nothing but the register until a seed was given.
long random(long limit) {
    return limit ? below(seeded ? static_cast<uint32_t>(rand()) : RANDOM_REG32, limit) : 0;
}

long random(long from, long limit) {
    return from >= limit ? from : random(limit - from) + from;
}

void randomSeed(unsigned long seed) {
    if (!seed)
        return;
    srand(static_cast<unsigned>(seed));
    seeded = true;
}

long secureRandom(long limit) {
    return below(limit ? RANDOM_REG32 : 0, limit);
}

long secureRandom(long from, long limit) {
    return from >= limit ? from : secureRandom(limit - from) + from;
}

long map(long value, long from_low, long from_high, long to_low, long to_high) {
    const long divisor = from_high - from_low, dividend = to_high - to_low;
#if THINWIRE_ARDUINO_CORE_3
    return ((value - from_low) * dividend + divisor / 2) / divisor + to_low;
#else
    return divisor ? (value - from_low) * dividend / divisor + to_low : -1;
#endif
}
