/*
 * Driver of the OpenCores Ethernet MAC ("open_eth"): frames in, frames out.
 */
#ifndef ETH_H
#define ETH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ETH_FRAME_MAX 1514u

struct eth_counters {
    uint32_t received;
    uint32_t sent;
    uint32_t missed; /* times the receiver had no free buffer */
};

/* Starts the MAC with address `mac` and receives at once. */
void eth_start(const uint8_t mac[6]);
/* Stops receiving and sending for good. */
void eth_stop(void);
/* True when an interrupt has announced frames; cleared by eth_acknowledge. */
bool eth_waiting(void);
void eth_acknowledge(void);
/* The oldest frame received, without checksum, and its size; NULL when there is none. It stays
 * valid until eth_release. */
const uint8_t *eth_frame(size_t *size);
void eth_release(void);
/* A buffer of ETH_FRAME_MAX bytes to write a frame into, and its transmission. Frames shorter than
 * 60 bytes are padded with zeros. */
uint8_t *eth_transmit_buffer(void);
void eth_transmit(size_t size);
struct eth_counters eth_counters(void);

/* From the interrupt. */
void eth_interrupt(void);

#endif
