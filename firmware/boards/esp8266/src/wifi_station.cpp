#include "wifi_station.hpp"

#include <ESP8266WiFi.h>

#include <cstring>

extern "C" {
#include "core/config.h"
#include "user_interface.h"
}

namespace {

bool was_up;

IPAddress from_host_order(uint32_t address) {
    return IPAddress(address >> 24, address >> 16 & 255, address >> 8 & 255, address & 255);
}

uint32_t to_host_order(const IPAddress &address) {
    return static_cast<uint32_t>(address[0]) << 24 | static_cast<uint32_t>(address[1]) << 16 |
           static_cast<uint32_t>(address[2]) << 8 | address[3];
}

} // namespace

void wifi_station::off() {
    WiFi.persistent(false);
    WiFi.mode(WIFI_OFF);
}

void wifi_station::start(const char *ssid, const char *password, const radio::Settings &radio,
                         const tw_config &config, const deep_sleep::AccessPoint &known) {
    WiFi.persistent(false); // a trial leaves nothing in the SDK's part of the flash
    WiFi.mode(WIFI_STA);
    uint8_t mac[sizeof config.mac];
    memcpy(mac, config.mac, sizeof mac);
    wifi_set_macaddr(STATION_IF, mac);
    WiFi.setAutoReconnect(true);
    radio::set(radio, config.modem_sleep);
    if (config.ip)
        WiFi.config(from_host_order(config.ip), from_host_order(config.gw),
                    from_host_order(config.mask));
    if (known.channel)
        WiFi.begin(ssid, password, known.channel, known.bssid);
    else
        WiFi.begin(ssid, password);
}

uint32_t wifi_station::new_address() {
    bool up = WiFi.status() == WL_CONNECTED;
    bool risen = up && !was_up;
    was_up = up;
    return risen ? to_host_order(WiFi.localIP()) : 0;
}
