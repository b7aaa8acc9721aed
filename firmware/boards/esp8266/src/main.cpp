// The ESP8266 board. It announces itself until a configuration line comes over the serial port, or
// goes on with the trial that it slept in, and runs the application on lwIP's raw API. lwIP and the
// application share one thread: lwIP's callbacks run while loop() is not running.
#include <Arduino.h>
#include <ESP8266WiFi.h>
#include <coredecls.h>
#include <umm_malloc/umm_malloc.h>
#include <umm_malloc/umm_malloc_cfg.h>

#include <algorithm>

#include "acquire.hpp"
#include "deep_sleep.hpp"
#include "radio.hpp"
#include "serial_config.hpp"
#include "serial_log.hpp"
#include "wifi_station.hpp"

extern "C" {
#include "core/app/app.h"
#include "core/config.h"
#include "libraries/adapter.h"
#include "net/net.h"
#include "secure/resumption_record.h"
#include "secure/secure.h"
#include "user_interface.h"
}

namespace {

constexpr uint32_t kAnnounceMs = 1000;
constexpr uint32_t kRestMs = 100; // at most, in light sleep

// The library that speaks the protocol, with its release; empty for our own engines.
const char *library() {
#ifdef TW_LIBRARY
    return tw_adapter.name;
#else
    return "";
#endif
}

serial_config::Line line; // must outlive the application
tw_app *app;
uint32_t heap_bytes;   // free before the application started
uint32_t announced_ms; // last announcement
bool woken;            // this start is a wake-up from deep sleep
bool keeps_line;       // flash has the line of this trial

tw_time now_us(void *) {
    return deep_sleep::begun_us() + micros64();
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

// The generator is fed by the radio's noise (Esp.cpp of the Arduino core, which cites Espressif's
// reference manual of the ESP32): with the radio off its numbers only look random.
bool read_entropy(uint8_t *out, size_t size) {
    if (WiFi.getMode() == WIFI_OFF)
        return false;
    ESP.random(out, size);
    return true;
}

// A handshake computes for longer than the watchdog's timeout.
void feed_watchdog() {
    ESP.wdtFeed();
}

const struct tw_secure_board own{read_entropy, feed_watchdog};

// RTC memory, which outlives a reset and deep sleep, but no loss of power. From the 32nd word on:
// an update may overwrite the words before it (eboot_command.h of the Arduino core). An image keeps
// either a session of TLS or what an engine keeps.
constexpr uint32_t kKeptWord = 32;

template <size_t Bytes> bool recall(uint8_t *out) {
    uint32_t words[Bytes / sizeof(uint32_t)];
    if (!ESP.rtcUserMemoryRead(kKeptWord, words, sizeof words))
        return false;
    memcpy(out, words, sizeof words);
    return true;
}

template <size_t Bytes> void keep(const uint8_t *data) {
    uint32_t words[Bytes / sizeof(uint32_t)];
    static_assert(sizeof words == Bytes, "RTC memory is written in words");
    memcpy(words, data, sizeof words);
    ESP.rtcUserMemoryWrite(kKeptWord, words, sizeof words);
}

// A host that opens the port late must not mistake the log of an earlier run, another board or
// another image for this one: before its nonce there is only this line.
void announce() {
    if (announced_ms && millis() - announced_ms < kAnnounceMs)
        return;
    announced_ms = millis();
    uint8_t mac[6];
    WiFi.macAddress(mac);
    char text[288];
    int size = snprintf(text, sizeof text,
                        "{\"t\":%llu,\"nonce\":\"\",\"ev\":\"ready\",\"build\":\"esp8266\","
                        "\"library\":\"%s\",\"chip\":\"%02x:%02x:%02x:%02x:%02x:%02x\","
                        "\"image\":\"%s\",\"reset\":\"%s\"}",
                        now_us(nullptr), library(), mac[0], mac[1], mac[2], mac[3], mac[4], mac[5],
                        ESP.getSketchMD5().c_str(), reset_reason());
    serial_log::write(text, static_cast<size_t>(size));
}

// The radio's settings in force, once it has joined the network.
void tell_radio(const tw_config &config) {
    char set[128], text[224];
    radio::describe(line.radio, set, sizeof set);
    int size = snprintf(text, sizeof text, "{\"t\":%llu,\"nonce\":\"%s\",\"ev\":\"radio\",%s}",
                        now_us(nullptr), config.nonce, set);
    serial_log::write(text, static_cast<size_t>(size));
}

// The radio is about to be on.
void tell_joining(const tw_config &config, bool scans) {
    char text[128];
    int size =
        snprintf(text, sizeof text, "{\"t\":%llu,\"nonce\":\"%s\",\"ev\":\"joining\",\"scan\":%s}",
                 now_us(nullptr), config.nonce, scans ? "true" : "false");
    serial_log::write(text, static_cast<size_t>(size));
}

// The SDK stops the CPU only while the sketch waits, and with it the serial port. What an lwIP
// callback logs ends the pause.
void rest(tw_time due) {
    tw_time now = now_us(nullptr);
    if (!radio::sleeps_light() || due <= now || !serial_log::flush())
        return;
    tw_time pause_ms = (due - now) / 1000;
    if (pause_ms)
        esp_delay(pause_ms < kRestMs ? static_cast<uint32_t>(pause_ms) : kRestMs);
}

// The line of a trial that sleeps deeply, until the trial ends.
void keep_line(const tw_config &config) {
#ifdef TW_DEEP_SLEEP
    if (config.deep_sleep && !woken)
        deep_sleep::keep(line);
    keeps_line = config.deep_sleep;
#else
    (void)config;
#endif
}

void start_application() {
    app = tw_app_start(tw_secure_board(&board, &own), line.words, reset_reason(), "esp8266");
    const tw_config *config = tw_app_config(app);
    if (!config)
        return;
    keep_line(*config);
    tw_net_start(app);
    acquire::start(app);
    deep_sleep::AccessPoint known{};
    if (line.radio.join_cached)
        known = deep_sleep::last_access_point();
    tell_joining(*config, !known.channel);
    wifi_station::start(line.ssid, line.password, line.radio, *config, known);
}

} // namespace

extern "C" bool tw_board_recall(uint8_t out[TW_RESUMPTION_BYTES]) {
    return recall<TW_RESUMPTION_BYTES>(out);
}

extern "C" void tw_board_keep(const uint8_t data[TW_RESUMPTION_BYTES]) {
    keep<TW_RESUMPTION_BYTES>(data);
}

extern "C" bool tw_board_recall_engine(uint8_t out[TW_KEPT_BYTES]) {
    return recall<TW_KEPT_BYTES>(out);
}

extern "C" void tw_board_keep_engine(const uint8_t data[TW_KEPT_BYTES]) {
    keep<TW_KEPT_BYTES>(data);
}

extern "C" bool tw_board_random(uint8_t *out, size_t size) {
    return read_entropy(out, size);
}

void setup() {
    serial_log::start();
    woken = deep_sleep::wake(line);
    if (!woken)
        wifi_station::off();
    heap_bytes = ESP.getFreeHeap();
    if (woken)
        start_application();
}

void loop() {
    tw_time due = 0;
    if (!app) {
        announce();
        if (serial_config::poll(line))
            start_application();
    } else if (tw_app_config(app)) {
        if (uint32_t address = acquire::poll(wifi_station::new_address())) {
            tw_app_up(app, address);
            tell_radio(*tw_app_config(app));
        }
        due = std::min(tw_net_poll(now_us(nullptr)), tw_secure_poll(app));
        if (keeps_line && tw_app_ended(app)) {
            keeps_line = false;
            deep_sleep::forget();
        }
    }
    serial_log::drain();
    rest(due);
}
