// The Wi-Fi station: joins the access point, keeps its address, sleeps or not.
#pragma once

#include "deep_sleep.hpp"
#include "radio.hpp"

struct tw_config;

namespace wifi_station {

// Keeps the radio silent until a trial begins: the SDK would join the network of an earlier one.
void off();

// Starts to join, under the MAC address of `config`. Uses the addresses of `config`, or DHCP where
// it has none; its modem_sleep decides whether the radio sleeps between beacons. `known`: the
// access point that it joins without a scan of the channels; its channel 0: none.
void start(const char *ssid, const char *password, const radio::Settings &radio,
           const tw_config &config, const deep_sleep::AccessPoint &known);

// The station's address (10.0.0.1 is 0x0A000001) once after each time it got one, otherwise 0.
uint32_t new_address();

} // namespace wifi_station
