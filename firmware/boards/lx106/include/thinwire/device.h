/*
 * A firmware of your own on the LX106 board: what it finds beside lwIP and the C library.
 *
 * The firmware has a `main`, as any program. It starts when the network is up, with the arguments
 * of the trial (argv[0] is "firmware"). lwIP's raw API (lwip/tcp.h, lwip/udp.h, lwip/altcp.h) is
 * used directly; there are no threads, so lwIP's callbacks run within device_wait and device_delay
 * only, never beside the firmware. When `main` returns or calls exit, the run has ended, with that
 * status; lwIP goes on, so that open connections end in order.
 *
 * A firmware that computes for 3.2 s without waiting is reset by the watchdog, as on the chip.
 */
#ifndef THINWIRE_DEVICE_H
#define THINWIRE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "lwip/ip_addr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the trial ---- */

struct device_trial {
    const char *id;    /* the device's name */
    const char *topic; /* the topic, or path without its first slash, that the servers expect */
    ip_addr_t server;
    uint16_t port; /* the server's */
    uint32_t seed; /* of all random numbers; never 0 */
};

const struct device_trial *device_trial(void);
/* The next random number of a sequence that follows from the seed. */
uint32_t device_random(void);

/* ---- time ---- */

#define DEVICE_FOREVER UINT64_MAX

/* Microseconds since the board's start. */
uint64_t device_time_us(void);
/* Sleeps until something has happened that a callback of lwIP may have noticed, at the latest until
 * `until_us` on the clock of device_time_us. May return early: call it in a loop that tests for
 * what is waited for. */
void device_wait(uint64_t until_us);
/* Sleeps for this time; callbacks run meanwhile. */
void device_delay(uint64_t duration_us);
/* Feeds the watchdog: for a long computation that is no endless loop. */
void device_alive(void);

/* ---- memory ---- */

struct device_memory {
    uint32_t heap_bytes;     /* size of the heap */
    uint32_t heap_used;      /* bytes, now */
    uint32_t heap_free_min;  /* bytes, low-water mark */
    uint32_t heap_failures;  /* requests that found no memory */
    uint32_t stack_free_min; /* bytes, low-water mark */
};

struct device_memory device_memory(void);

/* ---- log ---- */

/* Text goes to the log by printf and its kin, line by line; what is longer than DEVICE_LINE_BYTES
 * is written in pieces. Without floating point, unless the image is linked with
 * -DPICOLIBC_DOUBLE_PRINTF_SCANF. */
#define DEVICE_LINE_BYTES 256

/* An event is one line of JSON, with the time, the trial's nonce and `name`: device_event opens it,
 * device_event_end closes it, between them any number of members. Keys must need no escapes. The
 * board itself writes boot, up, stat, crash and end. */
void device_event(const char *name);
void device_event_number(const char *key, uint32_t value);
void device_event_text(const char *key, const char *value);
void device_event_end(void);

#ifdef __cplusplus
}
#endif

#endif
