#include "stdlib_noniso.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include <algorithm>
#include <limits>

namespace {

char *text(unsigned long long number, bool negative, unsigned base, char *out) {
    char *end = out;
    do
        *end++ = "0123456789abcdefghijklmnopqrstuvwxyz"[number % base];
    while (number /= base);
    if (negative)
        *end++ = '-';
    *end = 0;
    std::reverse(out, end);
    return out;
}

bool known(int base, char *out) {
    *out = 0;
    return base >= 2 && base <= 36;
}

} // namespace

extern "C" {

char *ltoa(long number, char *out, int base) {
    if (!known(base, out))
        return out;
    const bool negative = base == 10 && number < 0;
    const unsigned long bits = static_cast<unsigned long>(number);
    return text(negative ? 0 - bits : bits, negative, static_cast<unsigned>(base), out);
}

char *ultoa(unsigned long number, char *out, int base) {
    return known(base, out) ? text(number, false, static_cast<unsigned>(base), out) : out;
}

char *itoa(int number, char *out, int base) {
    return base == 10 ? ltoa(number, out, base) : ultoa(static_cast<unsigned>(number), out, base);
}

char *utoa(unsigned int number, char *out, int base) {
    return ultoa(number, out, base);
}

// Digit by digit, without printf, which an image may have without floating point. Halves are
// rounded up, where printf rounds what the binary number is: 0.125 is 0.13.
char *dtostrf(double number, signed char width, unsigned char decimals, char *out) {
    if (isnan(number) || isinf(number))
        return strcpy(out, isnan(number) ? "nan" : "inf");
    double half = 0.5, unit = 1;
    for (unsigned i = 0; i < decimals; i++)
        half /= 10;
    double left = fabs(number) + half;
    left *= 1 + std::numeric_limits<double>::epsilon(); // 0.15 is a little less in binary
    int digits = 1;
    for (; left >= unit * 10; digits++)
        unit *= 10;
    char *at = out;
    const int size = (number < 0) + digits + (decimals ? 1 + decimals : 0);
    for (int blanks = width - size; blanks > 0; blanks--)
        *at++ = ' ';
    if (number < 0)
        *at++ = '-';
    left /= unit;
    for (int i = 0; i < digits + decimals; i++) {
        if (i == digits)
            *at++ = '.';
        const int digit = std::min(static_cast<int>(left), 9);
        *at++ = static_cast<char>('0' + digit);
        left = (left - digit) * 10;
    }
    for (int blanks = -width - size; blanks > 0; blanks--)
        *at++ = ' ';
    *at = 0;
    return out;
}

} // extern "C"
