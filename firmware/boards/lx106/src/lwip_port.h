/*
 * What lwIP needs from the board: a clock, random numbers, an exit on failed assertions, and the
 * TCP limits in force.
 */
#ifndef LWIP_PORT_H
#define LWIP_PORT_H

#include <stdint.h>

/* The largest receive window: what ESP8266 boards announce at MSS 1440 (KU Leuven's captures). */
#define LWIP_PORT_WINDOW_MAX 5744u

/* Call before lwip_init: `seed` starts lwIP's random numbers (ports, sequence numbers), `mss` sets
 * window and send buffer. */
void lwip_port_start(uint32_t seed, uint16_t mss);

#endif
