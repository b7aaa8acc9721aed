#include "IPAddress.h"

#include <string.h>

#include "Arduino.h"

#if THINWIRE_ARDUINO_CORE_3
const IPAddress INADDR_NONE(255, 255, 255, 255);
#else
const IPAddress INADDR_NONE(0, 0, 0, 0);
#endif

IPAddress::IPAddress(uint8_t first, uint8_t second, uint8_t third, uint8_t fourth) {
    const uint8_t octets[] = {first, second, third, fourth};
    *this = octets;
}

IPAddress &IPAddress::operator=(const uint8_t *octets) {
    memcpy(&address_, octets, sizeof address_);
    return *this;
}

bool IPAddress::fromString(const char *text) {
    uint8_t octets[4] = {};
    int index = 0;
    unsigned value = 0;
    for (;; text++) {
        if (isDigit(*text)) {
            value = value * 10 + static_cast<unsigned>(*text - '0');
            if (value > 255)
                return false;
            continue;
        }
        octets[index] = static_cast<uint8_t>(value);
        if (!*text)
            break;
        if (*text != '.' || ++index > 3)
            return false;
        value = 0;
    }
    if (index != 3)
        return false;
    *this = octets;
    return true;
}

size_t IPAddress::printTo(Print &out) const {
    size_t size = 0;
    for (int i = 0; i < 4; i++) {
        if (i)
            size += out.print('.');
        size += out.print((*this)[i], DEC);
    }
    return size;
}

String IPAddress::toString() const {
    char text[sizeof "255.255.255.255"];
    snprintf(text, sizeof text, "%u.%u.%u.%u", (*this)[0], (*this)[1], (*this)[2], (*this)[3]);
    return text;
}
