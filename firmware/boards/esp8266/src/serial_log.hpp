// The log on the serial port. lwIP's callbacks write lines, too, and a line takes about a
// millisecond on the wire, so lines wait in a buffer until the main loop sends them.
#pragma once

#include <cstddef>

namespace serial_log {

// Fast enough for ten messages a second with room to spare.
constexpr unsigned long kBaud = 921600;

void start();
// Appends one line, and ends a pause of the main loop (esp_delay). When the buffer is full, waits
// for the port.
void write(const char *line, size_t size);
// Sends what the port accepts without waiting.
void drain();
// Waits a millisecond or two until the port has sent its bytes; returns false while lines are left.
bool flush();

} // namespace serial_log
