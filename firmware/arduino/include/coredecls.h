// The sketch's place between the system's tasks.
#pragma once

#include "core_esp8266_features.h"

#ifdef __cplusplus
extern "C" {
#endif

// The sketch goes on as soon as the system has nothing else to do.
void esp_schedule(void);
// The system works until the sketch is scheduled; nothing where the system calls it.
void esp_yield(void);

#ifdef __cplusplus
}
#endif

#if THINWIRE_ARDUINO_CORE_3
#ifdef __cplusplus
extern "C" {
#endif
bool can_yield(void);
// What esp_yield was before release 3; esp_yield now schedules the sketch, too.
void esp_suspend(void);
void esp_delay(unsigned long ms);
#ifdef __cplusplus
}

// Waits at most `timeout_ms` milliseconds, while `blocked()` holds whenever the sketch goes on.
template <typename T> void esp_delay(uint32_t timeout_ms, T &&blocked) {
    const uint32_t start_ms = millis();
    for (uint32_t passed_ms; (passed_ms = millis() - start_ms) < timeout_ms;) {
        esp_delay(static_cast<unsigned long>(timeout_ms - passed_ms));
        if (!blocked())
            return;
    }
}
#endif
#endif
