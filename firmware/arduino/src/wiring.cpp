// Time, waiting, pins and random numbers.
#include "Arduino.h"
#include "coredecls.h"
#include "system.h"

namespace {

constexpr unsigned kPins = 17;
uint8_t levels[kPins];

bool seeded;

long below(uint32_t drawn, long limit) {
    return limit ? static_cast<long>(drawn % static_cast<unsigned long>(limit)) : 0;
}

void suspend_for(unsigned long ms) {
    if (ms)
        system_alarm(system_now_us() + ms * 1000ull);
    else
        system_schedule();
    system_suspend();
    system_alarm(UINT64_MAX);
}

} // namespace

extern "C" {

unsigned long millis(void) {
    return static_cast<unsigned long>(system_now_us() / 1000);
}

unsigned long micros(void) {
    return static_cast<unsigned long>(system_now_us());
}

uint64_t micros64(void) {
    return system_now_us();
}

void esp_schedule(void) {
    system_schedule();
}

#if THINWIRE_ARDUINO_CORE_3
void esp_yield(void) {
    system_schedule();
    system_suspend();
}

void esp_suspend(void) {
    system_suspend();
}

void esp_delay(unsigned long ms) {
    suspend_for(ms);
}

bool can_yield(void) {
    return system_in_sketch();
}

// Whoever schedules the sketch does not end its delay; a delay of 0 does not yield.
void delay(unsigned long ms) {
    esp_delay(static_cast<uint32_t>(ms), [] { return true; });
}
#else
void esp_yield(void) {
    system_suspend();
}

// Whatever schedules the sketch ends its delay, too: connecting relies on it.
void delay(unsigned long ms) {
    suspend_for(ms);
}
#endif

void delayMicroseconds(unsigned int us) {
    const uint64_t until = system_now_us() + us;
    while (system_now_us() < until) {
    }
}

// The chip panics where the system yields.
void yield(void) {
    if (!system_in_sketch())
        abort();
    system_schedule();
    system_suspend();
}

void optimistic_yield(uint32_t interval_us) {
    if (system_in_sketch() && system_now_us() - system_resumed_us() > interval_us)
        yield();
}

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
