#include "idle.h"

#include <stdbool.h>

#include "clock.h"
#include "cpu.h"
#include "crash.h"
#include "eth.h"
#include "xtfpga.h"

#define IN_IRAM __attribute__((section(".iram.text")))

static volatile bool waiting;

static void watchdog_feed(void) {
    cpu_set_timer(cpu_cycles() + clock_cycles(WATCHDOG_US));
}

void idle_alive(void) {
    watchdog_feed();
}

void idle_start(void) {
    watchdog_feed();
    cpu_enable_interrupts(XTFPGA_INTERRUPT_ETH | XTFPGA_INTERRUPT_TIMER);
    cpu_unlock(CPU_PS_OPEN);
}

void idle_until(uint64_t deadline_us) {
    watchdog_feed();
    uint32_t ps = cpu_lock();
    uint64_t now_us = clock_us();
    if (!eth_waiting() && now_us < deadline_us) {
        uint64_t left_us = deadline_us - now_us;
        uint32_t sleep_us =
            left_us < CLOCK_LONGEST_SLEEP_US ? (uint32_t)left_us : CLOCK_LONGEST_SLEEP_US;
        uint32_t alarm = cpu_cycles() + clock_cycles(sleep_us);
        cpu_set_timer(alarm);
        waiting = true;
        /* An alarm that was set too late for its time rings after a full turn of the counter. */
        if ((int32_t)(alarm - cpu_cycles()) > 0)
            cpu_wait();
        /* In this order: after a frame has ended the wait, the alarm may still fire until the timer
         * is the watchdog's again, and must not be mistaken for the watchdog. */
        watchdog_feed();
        waiting = false;
    }
    cpu_unlock(ps);
}

IN_IRAM void interrupt_dispatch(const struct crash_frame *frame) {
    uint32_t pending = cpu_pending_interrupts();
    if (pending & XTFPGA_INTERRUPT_TIMER) {
        if (!waiting)
            crash_interrupted(RESET_WATCHDOG, frame);
        cpu_set_timer(cpu_cycles() - 1u); /* lowers the line; next match after a full turn */
    }
    if (pending & XTFPGA_INTERRUPT_ETH)
        eth_interrupt();
}
