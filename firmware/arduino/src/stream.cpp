#include "Stream.h"

#include "Arduino.h"

void Stream::setTimeout(unsigned long timeout_ms) {
    _timeout = timeout_ms;
}

int Stream::timed(int (Stream::*next)()) {
    _startMillis = millis();
    do {
        const int octet = (this->*next)();
        if (octet >= 0)
            return octet;
#if THINWIRE_ARDUINO_CORE_3
        if (!_timeout)
            return -1;
#endif
        yield();
    } while (millis() - _startMillis < _timeout);
    return -1;
}

int Stream::timedRead() {
    return timed(&Stream::read);
}

int Stream::timedPeek() {
    return timed(&Stream::peek);
}

int Stream::peekNextDigit(bool point) {
    for (;;) {
        const int octet = timedPeek();
        if (octet < 0 || octet == '-' || isDigit(octet) || (point && octet == '.'))
            return octet;
        read();
    }
}

bool Stream::findUntil(const char *target, const char *terminator) {
    return findUntil(target, strlen(target), terminator, strlen(terminator));
}

bool Stream::findUntil(const char *target, size_t target_size, const char *terminator,
                       size_t terminator_size) {
    if (!*target)
        return true;
    size_t found = 0, ended = 0;
    for (int octet; (octet = timedRead()) > 0;) {
        if (octet != target[found])
            found = 0;
        if (octet == target[found] && ++found >= target_size)
            return true;
        if (!terminator_size)
            continue;
        ended = octet == terminator[ended] ? ended + 1 : 0;
        if (ended >= terminator_size)
            return false;
    }
    return false;
}

long Stream::parseInt(char skipped) {
    int octet = peekNextDigit();
    if (octet < 0)
        return 0;
    bool negative = false;
    long value = 0;
    do {
        if (octet == '-')
            negative = true;
        else if (octet != skipped && isDigit(octet))
            value = value * 10 + octet - '0';
        read();
        octet = timedPeek();
    } while (isDigit(octet) || octet == skipped);
    return negative ? -value : value;
}

float Stream::parseFloat(char skipped) {
    int octet = peekNextDigit(THINWIRE_ARDUINO_CORE_3);
    if (octet < 0)
        return 0;
    bool negative = false, behind_point = false;
    long value = 0;
    float scale = 1;
    do {
        if (octet == '-')
            negative = true;
        else if (octet == '.')
            behind_point = true;
        else if (octet != skipped && isDigit(octet)) {
            value = value * 10 + octet - '0';
            if (behind_point)
                scale *= 0.1f;
        }
        read();
        octet = timedPeek();
    } while (isDigit(octet) || octet == '.' || octet == skipped);
    return static_cast<float>(negative ? -value : value) * scale;
}

size_t Stream::readBytes(char *out, size_t size) {
    size_t count = 0;
    for (int octet; count < size && (octet = timedRead()) >= 0; count++)
        out[count] = static_cast<char>(octet);
    return count;
}

size_t Stream::readBytesUntil(char terminator, char *out, size_t size) {
    size_t count = 0;
    for (int octet; count < size && (octet = timedRead()) >= 0 && octet != terminator; count++)
        out[count] = static_cast<char>(octet);
    return count;
}

String Stream::readString() {
    String text;
    for (int octet; (octet = timedRead()) >= 0;)
        text += static_cast<char>(octet);
    return text;
}

String Stream::readStringUntil(char terminator) {
    String text;
    for (int octet; (octet = timedRead()) >= 0 && octet != terminator;)
        text += static_cast<char>(octet);
    return text;
}

#if THINWIRE_ARDUINO_CORE_3
int Stream::read(uint8_t *out, size_t size) {
    size_t count = 0;
    for (int octet; count < size && available() && (octet = read()) >= 0; count++)
        out[count] = static_cast<uint8_t>(octet);
    return static_cast<int>(count);
}
#endif
