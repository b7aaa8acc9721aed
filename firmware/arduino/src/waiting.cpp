// Time and waiting.
#include "Arduino.h"
#include "coredecls.h"
#include "system.h"

namespace {

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

} // extern "C"
