#include "log.h"

#include <stdbool.h>
#include <string.h>

#include "clock.h"
#include "semihost.h"

static const char *run_nonce = "";
static bool line_open;

static void put(const char *text) {
    semihost_write(text, strlen(text));
}

static void put_decimal(uint64_t value) {
    char digits[20];
    size_t at = sizeof digits;
    do {
        uint64_t tenth = value / 10u;
        digits[--at] = (char)('0' + (int)(value - tenth * 10u));
        value = tenth;
    } while (value);
    semihost_write(digits + at, sizeof digits - at);
}

static void put_hex(uint32_t value) {
    char digits[8];
    for (int i = 7; i >= 0; i--, value >>= 4)
        digits[i] = "0123456789abcdef"[value & 15u];
    put("\"");
    semihost_write(digits, sizeof digits);
    put("\"");
}

static void put_key(const char *key) {
    put(",\"");
    put(key);
    put("\":");
}

void log_set_nonce(const char *nonce) {
    run_nonce = nonce;
}

void log_begin(const char *event) {
    if (line_open) /* a crash in the middle of a line: what follows is a line of its own */
        put("\n");
    line_open = true;
    put("{\"t\":");
    put_decimal(clock_us());
    log_text("nonce", run_nonce);
    log_text("ev", event);
}

void log_number(const char *key, uint32_t value) {
    put_key(key);
    put_decimal(value);
}

void log_hex(const char *key, uint32_t value) {
    put_key(key);
    put_hex(value);
}

void log_text(const char *key, const char *value) {
    put_key(key);
    put("\"");
    put(value);
    put("\"");
}

void log_words(const char *key, const uint32_t *words, uint32_t count) {
    put_key(key);
    put("[");
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            put(",");
        put_hex(words[i]);
    }
    put("]");
}

void log_end(void) {
    put("}\n");
    line_open = false;
}
