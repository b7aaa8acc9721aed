// Functions that several adapters use.
#pragma once

#include <Arduino.h>
#include <IPAddress.h>

#include "libraries/adapter.h"
#ifdef THINWIRE_ARDUINO_CORE
#include "system.h"
#endif

namespace arduino {

inline tw_time now_us() {
    return micros64();
}

#ifdef THINWIRE_ARDUINO_CORE // the board lx106
inline tw_library_waits counted_waits() {
    const system_waits waits = system_waited();
    return {waits.count, waits.us, waits.frames_us};
}
constexpr tw_library_waits (*waits)() = counted_waits;
#else
constexpr tw_library_waits (*waits)() = nullptr;
#endif

inline IPAddress peer(const tw_config *config) {
    const uint32_t address = config->peer;
    return IPAddress(address >> 24, address >> 16 & 255, address >> 8 & 255, address & 255);
}

// MQTT: answers of a closed loop have a separate topic (docs/firmware.md).
struct Topics {
    char publish[sizeof tw_config::topic + 5];
    char subscribe[sizeof tw_config::topic + 5]; // empty: none
};

inline Topics topics(const tw_config *config) {
    const bool echo = config->role == TW_ROLE_ECHO;
    Topics made = {};
    snprintf(made.publish, sizeof made.publish, "%s%s", config->topic, echo ? "/echo" : "");
    if (echo || config->pace == TW_PACE_ANSWER)
        snprintf(made.subscribe, sizeof made.subscribe, "%s%s", config->topic, echo ? "" : "/echo");
    return made;
}

} // namespace arduino
