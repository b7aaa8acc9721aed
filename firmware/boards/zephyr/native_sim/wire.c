/*
 * The part of wire.h that is compiled with the host's headers, as a model of native_sim's hardware.
 *
 * Simulated time jumps from event to event. Left to itself (-rt) the simulator sleeps at each tick
 * of the system, 10,000 or more times a second, and sees a frame when the system polls for it. So
 * it runs as fast as it can (-no-rt), and this model holds it back: its event comes after all
 * others of an instant, when the processor idles, and lets the host's time pass until the next
 * interrupt is due or a frame comes, to the microsecond.
 */
#define _GNU_SOURCE /* ppoll, struct ifreq */
#include "wire.h"

#include <fcntl.h>
#include <irq_ctrl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <nsi_hw_scheduler.h>
#include <nsi_hws_models_if.h>
#include <nsi_tracing.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* At most so long at once: a processor that waits in a loop (k_busy_wait) is not asked for when. */
#define LONGEST_US 10000u

/* After the interrupt controller's, 900. */
#define LAST_OF_AN_INSTANT 950

int64_t hwtimer_get_pending_silent_ticks(void); /* native_sim's timer_model.c */

static int tap = -1;
static uint64_t tick;    /* us */
static uint64_t began;   /* the host's clock at simulated time zero, us */
static bool frame_waits; /* and the interrupt for it is due at event_time */
static uint64_t event_time = NSI_NEVER;

static uint64_t host_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

/* Simulated time as it should be. */
static uint64_t world_us(void) {
    return host_us() - began;
}

/* When the processor will be interrupted if no frame comes. Ticks at which nothing is due are
 * silent. */
static uint64_t next_interrupt(uint64_t now) {
    event_time = NSI_NEVER;
    nsi_hws_find_next_event();
    uint64_t due = nsi_hws_get_next_event_time(), limit = now + LONGEST_US;
    uint64_t silent = (uint64_t)hwtimer_get_pending_silent_ticks();
    if (due >= limit || silent >= LONGEST_US / tick)
        return limit;
    due += silent * tick;
    return due < limit ? due : limit;
}

/* Wait until a frame is there (true), or simulated time should be `due`. */
static bool wait_until(uint64_t due) {
    struct pollfd wait = {.fd = tap, .events = POLLIN};
    uint64_t now = world_us(), rest = due > now ? due - now : 0;
    struct timespec timeout = {.tv_sec = (time_t)(rest / 1000000u),
                               .tv_nsec = (long)(rest % 1000000u) * 1000};
    return ppoll(&wait, 1, &timeout, NULL) > 0;
}

static void processor_idles(void) {
    uint64_t now = nsi_hws_get_time();
    if (frame_waits) {
        frame_waits = false;
        hw_irq_ctrl_set_irq(WIRE_IRQ);
        return; /* to come again at this instant, once the processor idles anew */
    }
    uint64_t due = next_interrupt(now);
    frame_waits = wait_until(due);
    uint64_t world = frame_waits ? world_us() : due;
    event_time = world < now ? now : world < due ? world : due;
}

NSI_HW_EVENT(event_time, processor_idles, LAST_OF_AN_INSTANT);

void wire_open(const char *name, unsigned int tick_us) {
    struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI};
    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
    tap = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (tap < 0 || ioctl(tap, TUNSETIFF, &request) < 0)
        nsi_print_error_and_exit("cannot open the TAP %s\n", name);
    tick = tick_us;
    event_time = nsi_hws_get_time();
    began = host_us() - event_time;
    nsi_hws_find_next_event();
}

long wire_read(void *frame, unsigned long size) {
    return read(tap, frame, size);
}

int wire_write(const void *frame, unsigned long size) {
    return write(tap, frame, size) == (ssize_t)size ? 0 : -1;
}
