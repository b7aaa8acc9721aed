#include "ESP8266WiFi.h"

#include "addresses.hpp"
#include "lwip/netif.h"

ESP8266WiFiClass WiFi;

IPAddress::IPAddress(const ip4_addr &address) : address_(address.addr) {}

wl_status_t ESP8266WiFiClass::begin(const char *, const char *, int32_t, const uint8_t *, bool) {
    return status();
}

IPAddress ESP8266WiFiClass::localIP() {
    return thinwire::from_lwip(netif_default->ip_addr);
}

IPAddress ESP8266WiFiClass::subnetMask() {
    return thinwire::from_lwip(netif_default->netmask);
}

IPAddress ESP8266WiFiClass::gatewayIP() {
    return thinwire::from_lwip(netif_default->gw);
}

uint8_t *ESP8266WiFiClass::macAddress(uint8_t *out) {
    memcpy(out, netif_default->hwaddr, NETIF_MAX_HWADDR_LEN);
    return out;
}

String ESP8266WiFiClass::macAddress() {
    const u8_t *mac = netif_default->hwaddr;
    char text[sizeof "00:00:00:00:00:00"];
    snprintf(text, sizeof text, "%02X:%02X:%02X:%02X:%02X:%02X", mac[0], mac[1], mac[2], mac[3],
             mac[4], mac[5]);
    return text;
}

int ESP8266WiFiClass::hostByName(const char *name, IPAddress &out) {
    return out.fromString(name);
}

int ESP8266WiFiClass::hostByName(const char *name, IPAddress &out, uint32_t) {
    return hostByName(name, out);
}
