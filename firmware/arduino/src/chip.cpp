// The classes ESP and Serial.
#include "Esp.h"
#include "HardwareSerial.h"

#include "lwip/netif.h"
#include "system.h"

EspClass ESP;
HardwareSerial Serial;

uint32_t EspClass::getFreeHeap() {
    return system_heap_free();
}

// Of the chip's 80 MHz: an instruction takes two cycles of them, and one of the emulated counter.
uint32_t EspClass::getCycleCount() {
    return 2 * system_cycles();
}

uint32_t EspClass::getChipId() {
    const u8_t *mac = netif_default->hwaddr;
    return static_cast<uint32_t>(mac[3] << 16 | mac[4] << 8 | mac[5]);
}

uint32_t EspClass::getFreeContStack() {
    return system_stack_free_min();
}

void EspClass::wdtFeed() {
    system_alive();
}

void EspClass::restart() {
    system_restart();
}

size_t HardwareSerial::write(uint8_t octet) {
    return write(&octet, 1);
}

size_t HardwareSerial::write(const uint8_t *data, size_t size) {
    system_log(reinterpret_cast<const char *>(data), size);
    return size;
}
