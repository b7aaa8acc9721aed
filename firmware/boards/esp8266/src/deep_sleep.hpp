// Deep sleep: GPIO16, wired to RST, resets the chip when its sleep ends. The board goes on with the
// trial that it slept in, without the serial port: RTC memory keeps the run, flash keeps the
// configuration line, which does not fit there. In builds with TW_DEEP_SLEEP; in others no start is
// a wake-up.
#pragma once

#include <cstdint>

#include "serial_config.hpp"

namespace deep_sleep {

// The access point that the board was a station of; channel 0: none is known.
struct AccessPoint {
    uint8_t channel;
    uint8_t bssid[6];
};

#ifdef TW_DEEP_SLEEP

// True where this start is a wake-up from the deep sleep of a trial, whose line is then in `line`.
// Otherwise nothing is left of an earlier trial, not even its password.
bool wake(serial_config::Line &line);
// Keeps the line of a trial that will sleep: once, since flash wears.
void keep(const serial_config::Line &line);
// Removes the line, once the trial has ended.
void forget();
// The board's time at which this start began, in us: 0 after a start that is no wake-up.
uint64_t begun_us();
AccessPoint last_access_point();

#else

inline bool wake(serial_config::Line &) {
    return false;
}
inline void keep(const serial_config::Line &) {}
inline void forget() {}
inline uint64_t begun_us() {
    return 0;
}
inline AccessPoint last_access_point() {
    return {};
}

#endif

} // namespace deep_sleep
