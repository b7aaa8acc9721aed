// The network. In the laboratory the station has joined, with the addresses of the trial, before
// setup() is called: begin() has nothing to do, and no call of this class takes time.
#pragma once

#include "Arduino.h"
#include "IPAddress.h"
#include "WiFiClient.h"
#include "WiFiClientSecure.h"
#include "WiFiServer.h"
#include "WiFiUdp.h"

enum wl_status_t {
    WL_NO_SHIELD = 255,
    WL_IDLE_STATUS = 0,
    WL_NO_SSID_AVAIL = 1,
    WL_SCAN_COMPLETED = 2,
    WL_CONNECTED = 3,
    WL_CONNECT_FAILED = 4,
    WL_CONNECTION_LOST = 5,
#if THINWIRE_ARDUINO_CORE_3
    WL_WRONG_PASSWORD = 6,
    WL_DISCONNECTED = 7
#else
    WL_DISCONNECTED = 6
#endif
};
enum WiFiMode_t { WIFI_OFF = 0, WIFI_STA = 1, WIFI_AP = 2, WIFI_AP_STA = 3 };
enum WiFiSleepType_t { WIFI_NONE_SLEEP = 0, WIFI_LIGHT_SLEEP = 1, WIFI_MODEM_SLEEP = 2 };

class ESP8266WiFiClass {
public:
    wl_status_t begin() { return status(); }
    wl_status_t begin(const char *ssid, const char *passphrase = nullptr, int32_t channel = 0,
                      const uint8_t *bssid = nullptr, bool connect = true);
    wl_status_t begin(const String &ssid, const String &passphrase = emptyString,
                      int32_t channel = 0, const uint8_t *bssid = nullptr, bool connect = true) {
        return begin(ssid.c_str(), passphrase.c_str(), channel, bssid, connect);
    }
    wl_status_t status() { return WL_CONNECTED; }
    bool isConnected() { return true; }
    int8_t waitForConnectResult(unsigned long timeout_ms = 60000) {
        (void)timeout_ms;
        return static_cast<int8_t>(status());
    }
    bool mode(WiFiMode_t mode) { return mode == WIFI_STA; } // the one that there is
    WiFiMode_t getMode() { return WIFI_STA; }
    THINWIRE_OF_CLASS void persistent(bool) {}
    bool setAutoConnect(bool) { return true; }
    bool setAutoReconnect(bool) { return true; }
    // The trial's parameters decide when the radio sleeps.
    bool setSleepMode(WiFiSleepType_t, uint8_t = 0) { return true; }

    IPAddress localIP();
    IPAddress subnetMask();
    IPAddress gatewayIP();
    String macAddress();
    uint8_t *macAddress(uint8_t *out);
    // Addresses in dotted decimal only: the laboratory has no DNS.
    int hostByName(const char *name, IPAddress &out);
    int hostByName(const char *name, IPAddress &out, uint32_t timeout_ms);
};

extern ESP8266WiFiClass WiFi;
