/*
 * The board with a library for Arduino in the engines' place: boards/lx106/src/main.c starts it,
 * and the application runs in the sketch's loop, as it does on the chip
 * (boards/esp8266/src/main.cpp).
 */
#include "Arduino.h"
#include "arduino_random.h"
#include "clock.h"
#include "fault.h"
#include "heap.h"
#include "idle.h"
#include "lwip/timeouts.h"
#include "net/net.h"
#include "semihost.h"
#include "sketch.h"
#include "stack.h"
#include "system.h"

static struct tw_app *application;
static tw_time next;

void system_wait(uint64_t until_us) {
    uint32_t sleep_ms = sys_timeouts_sleeptime();
    if (sleep_ms != SYS_TIMEOUTS_SLEEPTIME_INFINITE)
        until_us = tw_earlier(until_us, clock_us() + TW_MS(sleep_ms));
    idle_until(tw_earlier(until_us, fault_poll(clock_us())));
    system_frames();
    sys_check_timeouts();
    heap_check();
    stack_check();
}

void system_log(const char *text, size_t size) {
    semihost_write(text, size);
}

void setup(void) {}

void loop(void) {
    next = tw_earlier(tw_net_poll(clock_us()), tw_secure_poll(application));
}

static uint64_t due(void) {
    return next;
}

void run(struct tw_app *app) __attribute__((noreturn));
void run(struct tw_app *app) {
    application = app;
    arduino_random_seed(tw_app_config(app)->seed);
    sketch_run(due);
}
