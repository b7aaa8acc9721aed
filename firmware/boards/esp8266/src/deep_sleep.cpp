#include "deep_sleep.hpp"

#ifdef TW_DEEP_SLEEP

#include <Arduino.h>
#include <ESP8266WiFi.h>

#include <algorithm>
#include <cstring>

#include "kept_run.h"
#include "serial_log.hpp"

extern "C" {
#include "core/app/app.h"
#include "spi_flash.h"
#include "user_interface.h"

extern uint32_t _EEPROM_start; // of the linker script; the image has no EEPROM
}

namespace {

static_assert(KEPT_RUN_STATE_BYTES == TW_RUN_BYTES, "the run's own size");
static_assert(KEPT_RUN_BYTES % sizeof(uint32_t) == 0 && KEPT_RUN_BYTES <= 32 * sizeof(uint32_t),
              "whole words, before those of a TLS session");

constexpr uint32_t kFlashBegin = 0x40200000; // where the CPU sees flash
constexpr uint64_t kLeastUs = 1000;          // 0 would be a sleep without an end

// As it lies in flash.
struct Kept {
    uint8_t head[KEPT_LINE_HEAD_BYTES];
    serial_config::Line line;
};
constexpr size_t kKeptBytes = (sizeof(Kept) + 3) / 4 * 4;
static_assert(kKeptBytes <= SPI_FLASH_SEC_SIZE, "a sector of flash");

uint32_t line_checksum;
kept_run kept; // of this start
bool woken;

uint32_t sector_address() {
    return reinterpret_cast<uint32_t>(&_EEPROM_start) - kFlashBegin;
}

const uint8_t *bytes(const serial_config::Line &line) {
    return reinterpret_cast<const uint8_t *>(&line);
}

void write_run(const uint8_t memory[KEPT_RUN_BYTES]) {
    uint32_t words[KEPT_RUN_BYTES / sizeof(uint32_t)];
    memcpy(words, memory, sizeof words);
    ESP.rtcUserMemoryWrite(0, words, sizeof words);
}

bool read_run() {
    uint32_t words[KEPT_RUN_BYTES / sizeof(uint32_t)];
    if (!ESP.rtcUserMemoryRead(0, words, sizeof words))
        return false;
    uint8_t memory[KEPT_RUN_BYTES];
    memcpy(memory, words, sizeof memory);
    return kept_run_unseal(memory, line_checksum, &kept);
}

// Reads the head and the line, if flash has them.
bool read_line(serial_config::Line &line) {
    uint8_t head[KEPT_LINE_HEAD_BYTES];
    return ESP.flashRead(sector_address(), head, sizeof head) &&
           ESP.flashRead(sector_address() + sizeof head, reinterpret_cast<uint8_t *>(&line),
                         sizeof line) &&
           kept_line_unseal(head, bytes(line), sizeof line, &line_checksum);
}

} // namespace

bool deep_sleep::wake(serial_config::Line &line) {
    const uint8_t none[KEPT_RUN_BYTES] = {};
    bool has_line = read_line(line);
    woken = has_line && ESP.getResetInfoPtr()->reason == REASON_DEEP_SLEEP_AWAKE && read_run();
    write_run(none); // a crash is no wake-up
    if (woken)
        return true;
    kept = {};
    line = {};
    if (has_line)
        forget();
    return false;
}

void deep_sleep::keep(const serial_config::Line &line) {
    uint8_t head[KEPT_LINE_HEAD_BYTES];
    kept_line_seal(head, bytes(line), sizeof line);
    forget();
    ESP.flashWrite(sector_address(), head, sizeof head);
    ESP.flashWrite(sector_address() + sizeof head, bytes(line), sizeof line);
    line_checksum = kept_checksum(bytes(line), sizeof line);
}

void deep_sleep::forget() {
    ESP.flashEraseSector(sector_address() / SPI_FLASH_SEC_SIZE);
}

uint64_t deep_sleep::begun_us() {
    return kept.until;
}

deep_sleep::AccessPoint deep_sleep::last_access_point() {
    AccessPoint found{};
    found.channel = kept.channel;
    memcpy(found.bssid, kept.bssid, sizeof found.bssid);
    return found;
}

extern "C" bool tw_board_woken(void *run, size_t size) {
    if (woken)
        memcpy(run, kept.state, size);
    return woken;
}

// As ESP.deepSleepInstant(): the application has waited for its last segments to be answered, and
// ESP.deepSleep() would wait for some 100 ms more.
extern "C" void tw_board_sleep(tw_time until, const void *run, size_t size) {
    while (!serial_log::flush())
        serial_log::drain();
    tw_time now = deep_sleep::begun_us() + micros64();
    uint64_t pause = std::max<uint64_t>(until > now ? until - now : 0, kLeastUs);
    pause = std::min(pause, ESP.deepSleepMax());
    kept_run next{};
    next.until = now + pause;
    if (WiFi.status() == WL_CONNECTED) {
        next.channel = static_cast<uint8_t>(WiFi.channel());
        memcpy(next.bssid, WiFi.BSSID(), sizeof next.bssid);
    } else {
        next.channel = kept.channel;
        memcpy(next.bssid, kept.bssid, sizeof next.bssid);
    }
    memcpy(next.state, run, size);
    uint8_t memory[KEPT_RUN_BYTES];
    kept_run_seal(memory, line_checksum, &next);
    write_run(memory);
    for (;;)
        ESP.deepSleepInstant(pause);
}

#endif
