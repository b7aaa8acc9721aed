// The configuration line, as it comes over the serial port.
#pragma once

#include "radio.hpp"

namespace serial_config {

// What the board itself needs of the line, and the rest for the application.
struct Line {
    char ssid[33];
    char password[64];
    radio::Settings radio;
    char words[768]; // without those
};

// Reads what has arrived into `line`, the same one until it is whole: true then. A line that does
// not fit ends in the word line_too_long, which the application refuses.
bool poll(Line &line);

} // namespace serial_config
