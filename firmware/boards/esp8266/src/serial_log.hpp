// The log on the serial port. Lines are written from lwIP's callbacks, too, and a line takes about
// a millisecond on the wire: they wait in a buffer until the main loop has time for them.
#pragma once

#include <cstddef>

namespace serial_log {

// Fast enough for ten messages a second with room to spare.
constexpr unsigned long kBaud = 921600;

void start();
// Appends one line, and ends a pause of the main loop (esp_delay). When the buffer is full, waits
// for the port.
void write(const char *line, size_t size);
// Sends what the port takes without waiting.
void drain();
// Waits until the port has sent what it took, a millisecond or two; false while lines are left.
bool flush();

} // namespace serial_log
