#include "Print.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>

#include "stdlib_noniso.h"

namespace {

size_t print_formatted(Print &out, const char *format, va_list values) {
    char room[64]; // longer text takes memory
    va_list again;
    va_copy(again, values);
    const int wanted = vsnprintf(room, sizeof room, format, values);
    size_t size = wanted > 0 ? static_cast<size_t>(wanted) : 0;
    char *made = room;
    if (size >= sizeof room) {
        made = static_cast<char *>(malloc(size + 1));
        if (made)
            vsnprintf(made, size + 1, format, again);
        else
            size = 0;
    }
    va_end(again);
    size = size ? out.write(reinterpret_cast<const uint8_t *>(made), size) : 0;
    if (made != room)
        free(made);
    return size;
}

size_t print_digits(Print &out, unsigned long long number, int base) {
    char digits[8 * sizeof number + 1];
    char *at = digits + sizeof digits;
    const unsigned radix = base < 2 || base > 36 ? 10 : static_cast<unsigned>(base);
    *--at = 0;
    do
        *--at = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[number % radix];
    while (number /= radix);
    return out.write(at);
}

// A sign is written by itself, and in base 10 only; other bases show the two's complement.
template <typename Signed, typename Unsigned>
size_t print_signed(Print &out, Signed number, int base) {
    const Unsigned bits = static_cast<Unsigned>(number);
    if (base != 10 || number >= 0)
        return print_digits(out, bits, base);
    const size_t sign = out.print('-');
    return sign + print_digits(out, 0 - bits, base);
}

} // namespace

size_t Print::write(const uint8_t *data, size_t size) {
    size_t written = 0;
    while (size--) {
        const size_t taken = write(pgm_read_byte(data++));
#if THINWIRE_ARDUINO_CORE_3
        if (!taken)
            break;
#endif
        written += taken;
    }
    return written;
}

size_t Print::printf(const char *format, ...) {
    va_list values;
    va_start(values, format);
    const size_t size = print_formatted(*this, format, values);
    va_end(values);
    return size;
}

size_t Print::printf_P(PGM_P format, ...) {
    va_list values;
    va_start(values, format);
    const size_t size = print_formatted(*this, String(FPSTR(format)).c_str(), values);
    va_end(values);
    return size;
}

// Release 3 writes pieces of 128 bytes, the releases before byte by byte.
size_t Print::print(const __FlashStringHelper *text) {
    PGM_P at = reinterpret_cast<PGM_P>(text);
    size_t written = 0;
#if THINWIRE_ARDUINO_CORE_3
    char piece[128];
    for (size_t left = strlen_P(at), size; left; left -= size, at += size) {
        memcpy_P(piece, at, std::min(left, sizeof piece));
        size = write(piece, std::min(left, sizeof piece));
        written += size;
        if (!size)
            break;
    }
#else
    while (const uint8_t octet = pgm_read_byte(at++))
        written += write(octet);
#endif
    return written;
}

size_t Print::print(const String &text) {
    return write(text.c_str(), text.length());
}

size_t Print::print(const char text[]) {
    return write(text);
}

size_t Print::print(char character) {
    return write(character);
}

size_t Print::print(unsigned char number, int base) {
    return print(static_cast<unsigned long>(number), base);
}

size_t Print::print(int number, int base) {
    return print(static_cast<long>(number), base);
}

size_t Print::print(unsigned int number, int base) {
    return print(static_cast<unsigned long>(number), base);
}

size_t Print::print(long number, int base) {
    return print_signed<long, unsigned long>(*this, number, base);
}

size_t Print::print(unsigned long number, int base) {
    return base ? print_digits(*this, number, base) : write(number);
}

size_t Print::print(long long number, int base) {
    return print_signed<long long, unsigned long long>(*this, number, base);
}

size_t Print::print(unsigned long long number, int base) {
    return base ? print_digits(*this, number, base) : write(static_cast<uint8_t>(number));
}

size_t Print::print(double number, int digits) {
    char text[64];
    return write(dtostrf(number, 0, static_cast<unsigned char>(digits), text));
}

size_t Print::print(const Printable &object) {
    return object.printTo(*this);
}

size_t Print::println() {
    return print("\r\n");
}
