// The configuration line, as it comes over the serial port.
#pragma once

#include "radio.hpp"

namespace serial_config {

// What the board itself needs of the line, and the rest for the application.
struct Line {
    char ssid[33];
    char password[64];
    radio::Settings radio;
    char words[512]; // without those
};

// Reads what has arrived. True once a whole line is there; `line` is complete then.
bool poll(Line &line);

} // namespace serial_config
