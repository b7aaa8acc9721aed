// Text and numbers to where bytes can be written. Each call writes at once: what a stream makes of
// the pieces, a network sees.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "Printable.h"
#include "WString.h"
#include "core_version.h"

#define DEC 10
#define HEX 16
#define OCT 8
#define BIN 2

class Print {
public:
    virtual size_t write(uint8_t octet) = 0;
    virtual size_t write(const uint8_t *data, size_t size);
    size_t write(const char *text) {
        return text ? write(reinterpret_cast<const uint8_t *>(text), strlen_P(text)) : 0;
    }
    size_t write(const char *data, size_t size) {
        return write(reinterpret_cast<const uint8_t *>(data), size);
    }
    // write(0) is a byte, not a null pointer.
    size_t write(short octet) { return write(static_cast<uint8_t>(octet)); }
    size_t write(unsigned short octet) { return write(static_cast<uint8_t>(octet)); }
    size_t write(int octet) { return write(static_cast<uint8_t>(octet)); }
    size_t write(unsigned int octet) { return write(static_cast<uint8_t>(octet)); }
    size_t write(long octet) { return write(static_cast<uint8_t>(octet)); }
    size_t write(unsigned long octet) { return write(static_cast<uint8_t>(octet)); }
    size_t write(char octet) { return write(static_cast<uint8_t>(octet)); }
    size_t write(int8_t octet) { return write(static_cast<uint8_t>(octet)); }

    int getWriteError() { return write_error_; }
    void clearWriteError() { write_error_ = 0; }
#if THINWIRE_ARDUINO_CORE_3
    virtual int availableForWrite() { return 0; }
    virtual void flush() {}
#endif

    size_t printf(const char *format, ...) __attribute__((format(printf, 2, 3)));
    size_t printf_P(PGM_P format, ...) __attribute__((format(printf, 2, 3)));
    size_t print(const __FlashStringHelper *text);
    size_t print(const String &text);
    size_t print(const char text[]);
    size_t print(char character);
    size_t print(unsigned char number, int base = DEC);
    size_t print(int number, int base = DEC);
    size_t print(unsigned int number, int base = DEC);
    size_t print(long number, int base = DEC);
    size_t print(unsigned long number, int base = DEC);
    size_t print(long long number, int base = DEC);
    size_t print(unsigned long long number, int base = DEC);
    size_t print(double number, int digits = 2);
    size_t print(const Printable &object);

    size_t println();
    size_t println(const __FlashStringHelper *text) { return print(text) + println(); }
    size_t println(const String &text) { return print(text) + println(); }
    size_t println(const char text[]) { return print(text) + println(); }
    size_t println(char character) { return print(character) + println(); }
    size_t println(unsigned char number, int base = DEC) { return print(number, base) + println(); }
    size_t println(int number, int base = DEC) { return print(number, base) + println(); }
    size_t println(unsigned int number, int base = DEC) { return print(number, base) + println(); }
    size_t println(long number, int base = DEC) { return print(number, base) + println(); }
    size_t println(unsigned long number, int base = DEC) { return print(number, base) + println(); }
    size_t println(long long number, int base = DEC) { return print(number, base) + println(); }
    size_t println(unsigned long long number, int base = DEC) {
        return print(number, base) + println();
    }
    size_t println(double number, int digits = 2) { return print(number, digits) + println(); }
    size_t println(const Printable &object) { return print(object) + println(); }

protected:
    void setWriteError(int error = 1) { write_error_ = error; }

private:
    int write_error_ = 0;
};
