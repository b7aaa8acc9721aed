// An IPv4 address: four octets in network order.
#pragma once

#include <stdint.h>

#include "Printable.h"
#include "WString.h"

struct ip4_addr; // lwIP's

class IPAddress : public Printable {
public:
    IPAddress() = default;
    IPAddress(uint8_t first, uint8_t second, uint8_t third, uint8_t fourth);
    // The octets as they lie in memory: the first in the lowest byte.
    IPAddress(uint32_t octets) : address_(octets) {}
    IPAddress(unsigned long octets) : address_(static_cast<uint32_t>(octets)) {}
    IPAddress(int octets) : address_(static_cast<uint32_t>(octets)) {}
    IPAddress(const uint8_t *octets) { *this = octets; }
    IPAddress(const ip4_addr &address);

    // Dotted decimal; false, and no change, where it is none.
    bool fromString(const char *text);
    bool fromString(const String &text) { return fromString(text.c_str()); }
    static bool isValid(const char *text) { return IPAddress().fromString(text); }
    static bool isValid(const String &text) { return isValid(text.c_str()); }

    operator uint32_t() const { return address_; }
    bool isSet() const { return address_ != 0; }
    operator bool() const { return isSet(); }
    const uint32_t &v4() const { return address_; }
    uint32_t &v4() { return address_; }
    bool isV4() const { return true; }

    bool operator==(const IPAddress &other) const { return address_ == other.address_; }
    bool operator!=(const IPAddress &other) const { return address_ != other.address_; }
    bool operator==(uint32_t octets) const { return address_ == octets; }
    bool operator!=(uint32_t octets) const { return address_ != octets; }
    bool operator==(const uint8_t *octets) const { return *this == IPAddress(octets); }
    uint8_t operator[](int index) const { return octets()[index]; }
    uint8_t &operator[](int index) { return raw_address()[index]; }
    IPAddress &operator=(const uint8_t *octets);
    IPAddress &operator=(uint32_t octets) {
        address_ = octets;
        return *this;
    }

    size_t printTo(Print &out) const override;
    String toString() const;
    void clear() { address_ = 0; }

private:
    friend class Client;
    friend class UDP;

    uint8_t *raw_address() { return reinterpret_cast<uint8_t *>(&address_); }
    const uint8_t *octets() const { return reinterpret_cast<const uint8_t *>(&address_); }

    uint32_t address_ = 0;
};

extern const IPAddress INADDR_NONE; // 255.255.255.255 (INADDR_ANY is lwIP's macro, too)
