// The configuration line received over the serial port.
#pragma once

#include "radio.hpp"

namespace serial_config {

// The words of the line for the board itself, and the rest for the application.
struct Line {
    char ssid[33];
    char password[64];
    radio::Settings radio;
    char words[768]; // without those
};

// Appends the received bytes to `line`, which must be the same until it is complete; returns true
// then. A line that does not fit ends in the word line_too_long, which the application refuses.
bool poll(Line &line);

} // namespace serial_config
