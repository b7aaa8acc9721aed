// A TCP connection. Copies share it; it closes with the last one.
#pragma once

#ifdef THINWIRE_CORE_CLIENT // the ESP8266 core's own (docs/try-arduino.md)
#include THINWIRE_CORE_CLIENT
#else

#include <memory>

#include "Client.h"

#define WIFICLIENT_MAX_PACKET_SIZE 1460
#define WIFICLIENT_MAX_FLUSH_WAIT_MS 300

namespace thinwire {
class Connection;
}

class WiFiClient : public Client {
public:
    WiFiClient();
    explicit WiFiClient(thinwire::Connection *connection);
    WiFiClient(const WiFiClient &other);
    WiFiClient &operator=(const WiFiClient &other);
    virtual ~WiFiClient();

    // 1, or 0 where the peer refused or the timeout (setTimeout) passed.
    int connect(IPAddress address, uint16_t port) override;
    int connect(const char *host, uint16_t port) override;
#if THINWIRE_ARDUINO_CORE_3
    virtual int connect(const String &host, uint16_t port);
#else
    virtual int connect(const String host, uint16_t port);
#endif
    // lwIP's state of the connection: 0 closed, 4 established.
    virtual uint8_t status();
    uint8_t connected() override;
    operator bool() override;

    // Returns when the stack has taken all bytes, or none for the timeout.
    size_t write(uint8_t octet) override;
    size_t write(const uint8_t *data, size_t size) override;
    virtual size_t write_P(PGM_P data, size_t size);
    size_t write(Stream &from);
    using Print::write;
#if THINWIRE_ARDUINO_CORE_3
    int availableForWrite() override;
#else
    size_t availableForWrite();
#endif

    int available() override;
    int read() override;
    int read(uint8_t *out, size_t size) override;
#if THINWIRE_ARDUINO_CORE_3
    int read(char *out, size_t size) { return read(reinterpret_cast<uint8_t *>(out), size); }
#endif
    int peek() override;
    virtual size_t peekBytes(uint8_t *out, size_t size);
    size_t peekBytes(char *out, size_t size) {
        return peekBytes(reinterpret_cast<uint8_t *>(out), size);
    }

#if THINWIRE_ARDUINO_CORE_3
    void flush() override { flush(0); }
    void stop() override { stop(0); }
    // Wait for acknowledgements, at most `most_ms` without progress (0: 300 ms); false: in vain.
    bool flush(unsigned int most_ms);
    bool stop(unsigned int most_ms);
    void abort();
    static void setDefaultNoDelay(bool no_delay);
    static bool getDefaultNoDelay();
    static void setDefaultSync(bool sync);
    static bool getDefaultSync();
    bool getNoDelay() const;
    // With sync, write waits for acknowledgements.
    void setSync(bool sync);
    bool getSync() const;
#else
    void flush() override;
    void stop() override;
    bool getNoDelay();
#endif
    void setNoDelay(bool no_delay);

    virtual IPAddress remoteIP();
    virtual uint16_t remotePort();
    virtual IPAddress localIP();
    virtual uint16_t localPort();
    // Connections made from now on have this port, the next one, and so on; 0: any.
    static void setLocalPortStart(uint16_t port);
    static void stopAll();
    static void stopAllExcept(WiFiClient *kept);

    // TCP's keep-alive; off unless all three are positive.
    void keepAlive(uint16_t idle_s = 7200, uint16_t interval_s = 75, uint8_t count = 9);
    bool isKeepAliveEnabled() const;
    uint16_t getKeepAliveIdle() const;
    uint16_t getKeepAliveInterval() const;
    uint8_t getKeepAliveCount() const;
    void disableKeepAlive() { keepAlive(0, 0, 0); }

private:
    void share(thinwire::Connection *connection);

    thinwire::Connection *connection_ = nullptr;
    WiFiClient *next_; // of all that exist
};

#endif
