// The serial port: what is written to it is the board's log. Nothing comes in.
#pragma once

#include "Stream.h"

enum SerialConfig { SERIAL_8N1 = 0x1c };

class HardwareSerial : public Stream {
public:
    void begin(unsigned long baud) { (void)baud; }
    void begin(unsigned long baud, SerialConfig config) { (void)baud, (void)config; }
    void end() {}
    void setDebugOutput(bool on) { (void)on; }
    int available() override { return 0; }
    int read() override { return -1; }
    int peek() override { return -1; }
    size_t write(uint8_t octet) override;
    size_t write(const uint8_t *data, size_t size) override;
    void flush()
#if THINWIRE_ARDUINO_CORE_3
        override
#endif
    {
    }
    using Print::write;
    operator bool() const { return true; }
};

extern HardwareSerial Serial;
