// A UDP socket. Copies share it.
#pragma once

#include "Udp.h"

#define UDP_TX_PACKET_MAX_SIZE 8192

namespace thinwire {
class Socket;
}

class WiFiUDP : public UDP {
public:
    WiFiUDP();
    WiFiUDP(const WiFiUDP &other);
    WiFiUDP &operator=(const WiFiUDP &other);
    virtual ~WiFiUDP();
    operator bool() const { return socket_ != nullptr; }

    // Receives at `port`. 1, or 0 where it is taken.
    uint8_t begin(uint16_t port) override;
    uint8_t beginMulticast(IPAddress interface, IPAddress group, uint16_t port);
    void stop() override;

    // What is written between beginPacket and endPacket leaves as one datagram.
    int beginPacket(IPAddress address, uint16_t port) override;
    int beginPacket(const char *host, uint16_t port) override;
    virtual int beginPacketMulticast(IPAddress group, uint16_t port, IPAddress interface,
                                     int ttl = 1);
    int endPacket() override;
    size_t write(uint8_t octet) override;
    size_t write(const uint8_t *data, size_t size) override;
    using Print::write;

    // Goes on to the next datagram that came, if any; returns its size. The one before is gone.
    int parsePacket() override;
    // Bytes of the datagram that are not read. The first one that came counts before parsePacket.
    int available() override;
    int read() override;
    int read(unsigned char *out, size_t size) override;
    int read(char *out, size_t size) override {
        return read(reinterpret_cast<unsigned char *>(out), size);
    }
    int peek() override;
    void flush() override;
    IPAddress remoteIP() override;
    uint16_t remotePort() override;
#if THINWIRE_ARDUINO_CORE_3
    IPAddress destinationIP() const;
    uint16_t localPort() const;
#else
    IPAddress destinationIP();
    uint16_t localPort();
#endif
    static void stopAll();
    static void stopAllExcept(WiFiUDP *kept);

private:
    thinwire::Socket &socket();

    thinwire::Socket *socket_ = nullptr;
    WiFiUDP *next_; // of all that exist
};
