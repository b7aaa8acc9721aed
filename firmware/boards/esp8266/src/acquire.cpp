#include "acquire.hpp"

#include <Arduino.h>
#include <ESP8266WiFi.h>

#include <time.h>

extern "C" {
#include "core/app/acquired.h"
#include "core/app/app.h"
#include "lwip/apps/sntp.h"
#include "lwip/def.h"
#include "lwip/dns.h"
}

#ifdef TW_DHCP

namespace {

constexpr uint32_t kAskAgainMs = 1000;  // after DNS has given up a name: the next question
constexpr time_t kSetFrom = 1546300800; // 2019-01-01: without an answer the clock counts from 1970

enum class Step { address, ask_name, name, ask_again, ask_time, time, done };

tw_app *application;
WiFiEventHandler on_linked;
Step step;
uint32_t own_address, asked_ms;
volatile bool answered;
ip_addr_t found;

void on_found(const char *, const ip_addr_t *address, void *) {
    if (address)
        found = *address;
    answered = true;
}

uint32_t host_order(const ip_addr_t &address) {
    return lwip_ntohl(ip4_addr_get_u32(ip_2_ip4(&address)));
}

Step after_name(const tw_config &config) {
    return config.time_server[0] ? Step::ask_time : Step::done;
}

Step take_address(const tw_config &config) {
    if (config.dhcp)
        tw_app_leased(application, own_address, false);
    else if (config.dns) {
        ip_addr_t server = IPADDR4_INIT(lwip_htonl(config.dns));
        dns_setserver(0, &server);
    }
    return config.peer_name[0] ? Step::ask_name : after_name(config);
}

Step ask_name(const tw_config &config) {
    ip_addr_set_zero(&found);
    answered = false;
    if (dns_gethostbyname(config.peer_name, &found, on_found, nullptr) != ERR_INPROGRESS)
        answered = true;
    return Step::name;
}

Step take_name(const tw_config &config) {
    if (!answered)
        return Step::name;
    if (!ip_addr_isany_val(found)) {
        tw_app_resolved(application, host_order(found));
        return after_name(config);
    }
    tw_app_unresolved(application, config.peer_name);
    asked_ms = millis();
    return Step::ask_again;
}

Step ask_time(const tw_config &config) {
    sntp_setoperatingmode(SNTP_OPMODE_POLL);
    sntp_setservername(0, const_cast<char *>(config.time_server));
    sntp_init();
    return Step::time;
}

Step take_time() {
    time_t now = time(nullptr);
    if (now < kSetFrom)
        return Step::time;
    tw_app_clock_set(application, static_cast<uint32_t>(now));
    return Step::done;
}

Step next(const tw_config &config) {
    switch (step) {
    case Step::address:
        return own_address ? take_address(config) : step;
    case Step::ask_name:
        return ask_name(config);
    case Step::name:
        return take_name(config);
    case Step::ask_again:
        return millis() - asked_ms < kAskAgainMs ? step : Step::ask_name;
    case Step::ask_time:
        return ask_time(config);
    case Step::time:
        return take_time();
    default:
        return step;
    }
}

} // namespace

void acquire::start(tw_app *app) {
    application = app;
    step = Step::address;
    on_linked = WiFi.onStationModeConnected([](const WiFiEventStationModeConnected &) {
        if (step == Step::address) // not after an outage
            tw_app_linked(application);
    });
}

uint32_t acquire::poll(uint32_t address) {
    if (step == Step::done)
        return address;
    if (address)
        own_address = address;
    for (Step before = Step::done; before != step;) {
        before = step;
        step = next(*tw_app_config(application));
    }
    return step == Step::done ? own_address : 0;
}

#else

void acquire::start(tw_app *) {}

uint32_t acquire::poll(uint32_t address) {
    return address;
}

#endif
