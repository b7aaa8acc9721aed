#include "serial_log.hpp"

#include <Arduino.h>
#include <coredecls.h>

namespace {

#ifndef TW_LOG_BYTES
#define TW_LOG_BYTES 4096 // some 20 lines; the port sends them in 44 ms
#endif
constexpr size_t kBytes = TW_LOG_BYTES;
constexpr size_t kReceived = 1024; // a whole configuration line: the core's own 256 last 2.8 ms
char buffer[kBytes];
size_t first, used;

void put(char byte) {
    if (used == kBytes) {
        Serial.write(buffer[first]); // waits
        first = (first + 1) % kBytes;
        used--;
    }
    buffer[(first + used) % kBytes] = byte;
    used++;
}

} // namespace

void serial_log::start() {
    Serial.setRxBufferSize(kReceived);
    Serial.begin(kBaud);
    Serial.println(); // ends what the boot ROM printed at its own speed
}

void serial_log::write(const char *line, size_t size) {
    for (size_t i = 0; i < size; i++)
        put(line[i]);
    put('\n');
    esp_schedule();
}

void serial_log::drain() {
    for (int room = Serial.availableForWrite(); room > 0 && used > 0; room--) {
        Serial.write(buffer[first]);
        first = (first + 1) % kBytes;
        used--;
    }
}

bool serial_log::flush() {
    if (used)
        return false;
    Serial.flush();
    return true;
}
