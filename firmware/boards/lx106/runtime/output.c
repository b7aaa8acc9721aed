#include "output.h"

#include <stdio.h>

#include "log.h"
#include "semihost.h"
#include "thinwire/device.h"

/* One way out for a whole line: a call of the emulator for each character would take its time. */
static char line[DEVICE_LINE_BYTES];
static size_t length;

static void write_out(void) {
    semihost_write(line, length);
    length = 0;
}

static int put(char character, FILE *file) {
    (void)file;
    line[length++] = character;
    if (character == '\n' || length == sizeof line)
        write_out();
    return (unsigned char)character;
}

static int flush(FILE *file) {
    (void)file;
    write_out();
    return 0;
}

static FILE output = FDEV_SETUP_STREAM(put, NULL, flush, _FDEV_SETUP_WRITE);
FILE *const stdin = &output;
FILE *const stdout = &output;
FILE *const stderr = &output;

void output_flush(void) {
    if (length)
        put('\n', &output);
}

/* ---- events ---- */

void device_event(const char *name) {
    output_flush();
    log_begin(name);
}

void device_event_number(const char *key, uint32_t value) {
    log_number(key, value);
}

/* Appends `character` as JSON holds it (RFC 8259, section 7). */
static char *escape(char *at, unsigned char character) {
    static const char digits[] = "0123456789abcdef";
    if (character == '"' || character == '\\')
        *at++ = '\\';
    if (character >= ' ') {
        *at++ = (char)character;
        return at;
    }
    *at++ = '\\', *at++ = 'u', *at++ = '0', *at++ = '0';
    *at++ = digits[character >> 4], *at++ = digits[character & 15];
    return at;
}

void device_event_text(const char *key, const char *value) {
    char text[DEVICE_LINE_BYTES], *at = text;
    while (*value && at + 7 <= text + sizeof text)
        at = escape(at, (unsigned char)*value++);
    *at = 0;
    log_text(key, text);
}

void device_event_end(void) {
    log_end();
}
