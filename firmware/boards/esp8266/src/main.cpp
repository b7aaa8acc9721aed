// The ESP8266 board. It announces itself until a configuration line comes over the serial port,
// then runs the application on lwIP's raw API. lwIP and the application share one thread: lwIP's
// callbacks run while loop() is not running.
#include <Arduino.h>
#include <umm_malloc/umm_malloc.h>
#include <umm_malloc/umm_malloc_cfg.h>

#include "serial_config.hpp"
#include "serial_log.hpp"
#include "wifi_station.hpp"

extern "C" {
#include "core/app.h"
#include "net/net.h"
#include "user_interface.h"
}

namespace {

constexpr uint32_t kAnnounceMs = 1000;

serial_config::Line line; // outlives the application
tw_app *app;
uint32_t heap_bytes;   // free before the application started
uint32_t announced_ms; // last announcement

tw_time now_us(void *) {
    return micros64();
}

void log_line(void *, const char *text, size_t size) {
    serial_log::write(text, size);
}

void read_resources(void *, tw_resources *out) {
    out->heap_bytes = heap_bytes;
    out->heap_used = heap_bytes - ESP.getFreeHeap();
#ifdef UMM_STATS_FULL
    out->heap_free_min = umm_free_heap_size_min();
#endif
    out->stack_free_min = ESP.getFreeContStack();
}

const char *reset_reason() {
    switch (ESP.getResetInfoPtr()->reason) {
    case REASON_DEFAULT_RST:
        return "power_on";
    case REASON_EXCEPTION_RST:
        return "exception";
    case REASON_WDT_RST:
        return "hardware_watchdog";
    case REASON_SOFT_WDT_RST:
        return "watchdog";
    case REASON_SOFT_RESTART:
        return "restart";
    case REASON_DEEP_SLEEP_AWAKE:
        return "deep_sleep";
    case REASON_EXT_SYS_RST:
        return "external";
    default:
        return "unknown";
    }
}

tw_board make_board() {
    tw_board board{};
    board.now_us = now_us;
    board.log = log_line;
    board.open = tw_net_open;
    board.send = tw_net_send;
    board.close = tw_net_close;
    board.unacked = tw_net_unacked;
    board.resources = read_resources;
    return board;
}

const tw_board board = make_board();

// A host that opens the port late must not take the log of an earlier run for this one: before its
// nonce there is only this line.
void announce() {
    static const char text[] = "{\"t\":0,\"nonce\":\"\",\"ev\":\"ready\",\"build\":\"esp8266\"}";
    if (millis() - announced_ms < kAnnounceMs)
        return;
    announced_ms = millis();
    serial_log::write(text, sizeof text - 1);
}

void start_application() {
    app = tw_app_start(&board, line.words, reset_reason(), "esp8266");
    if (!tw_app_config(app))
        return;
    tw_net_start(app);
    wifi_station::start(line.ssid, line.password, *tw_app_config(app));
}

} // namespace

void setup() {
    serial_log::start();
    heap_bytes = ESP.getFreeHeap();
}

void loop() {
    if (!app) {
        announce();
        if (serial_config::poll(line))
            start_application();
    } else if (tw_app_config(app)) {
        if (uint32_t address = wifi_station::new_address())
            tw_app_up(app, address);
        tw_net_poll();
        tw_secure_poll(app);
    }
    serial_log::drain();
}
