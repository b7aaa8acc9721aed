// TLS is not part of this API: connecting fails. For libraries that name these classes.
#pragma once

#include "WiFiClient.h"

#if THINWIRE_ARDUINO_CORE_3
#define wificlientbearssl_h // libraries ask which TLS the core has

namespace BearSSL {

class X509List {
public:
    explicit X509List(const char *) {}
};

class PrivateKey {
public:
    explicit PrivateKey(const char *) {}
};
#endif

class WiFiClientSecure : public WiFiClient {
public:
    using WiFiClient::connect;
    int connect(IPAddress, uint16_t) override { return 0; }
    int connect(const char *, uint16_t) override { return 0; }
#if THINWIRE_ARDUINO_CORE_3
    bool setFingerprint(const uint8_t *) { return true; }
    bool setFingerprint(const char *) { return true; }
    void setTrustAnchors(const X509List *) {}
    void setClientRSACert(const X509List *, const PrivateKey *) {}
    void setInsecure() {}
#else
    bool verify(const char *, const char *) { return false; }
#endif
};

#if THINWIRE_ARDUINO_CORE_3
} // namespace BearSSL

using BearSSL::WiFiClientSecure;
#endif
