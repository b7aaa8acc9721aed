// Datagrams.
#pragma once

#include "IPAddress.h"
#include "Stream.h"

class UDP : public Stream {
public:
    virtual ~UDP() = default;
    virtual uint8_t begin(uint16_t port) = 0;
    virtual void stop() = 0;
    virtual int beginPacket(IPAddress address, uint16_t port) = 0;
    virtual int beginPacket(const char *host, uint16_t port) = 0;
    virtual int endPacket() = 0;
    size_t write(uint8_t octet) override = 0;
    size_t write(const uint8_t *data, size_t size) override = 0;
    virtual int parsePacket() = 0;
    int available() override = 0;
    int read() override = 0;
    virtual int read(unsigned char *out, size_t size) = 0;
    virtual int read(char *out, size_t size) = 0;
    int peek() override = 0;
    virtual void flush() = 0;
    virtual IPAddress remoteIP() = 0;
    virtual uint16_t remotePort() = 0;

protected:
    uint8_t *rawIPAddress(IPAddress &address) { return address.raw_address(); }
};
