#include "eth.h"

#include <string.h>

#include "cpu.h"
#include "xtfpga.h"

/* Registers of the MAC, and their bits. */
enum {
    MODER = 0x00,
    INT_SOURCE = 0x04,
    INT_MASK = 0x08,
    TX_BD_NUM = 0x20,
    MAC_ADDR0 = 0x40,
    MAC_ADDR1 = 0x44,
    HASH0 = 0x48,
    HASH1 = 0x4C
};

#define MODER_RXEN 0x0001u
#define MODER_TXEN 0x0002u
#define MODER_RESET 0x0800u
#define MODER_CRCEN 0x2000u

#define INT_TXB 0x01u
#define INT_RXB 0x04u
#define INT_BUSY 0x10u
#define INT_ALL 0x7Fu

/* Buffer descriptors: length in the upper half, flags in the lower. */
#define BD_OWNED_BY_MAC 0x8000u /* transmit: ready; receive: empty */
#define BD_INTERRUPT 0x4000u
#define BD_WRAP 0x2000u
#define BD_TX_CRC 0x0800u

#define TX_BUFFERS 2u
#define RX_BUFFERS 8u
#define BUFFER_BYTES 1536u
#define CHECKSUM_BYTES 4u
#define FRAME_MIN 60u

_Static_assert((TX_BUFFERS + RX_BUFFERS) * BUFFER_BYTES <= 16384u, "the MAC has 16 KiB");

static struct eth_counters counters;
static uint32_t tx_next, rx_next;
static volatile bool waiting;
static bool line_cleared;

static volatile uint32_t *reg(uint32_t offset) {
    return &XTFPGA_REG(XTFPGA_ETH + offset);
}

static volatile uint32_t *descriptor(uint32_t buffer) {
    return &XTFPGA_REG(XTFPGA_ETH_BD + 8u * buffer);
}

static uint8_t *buffer(uint32_t number) {
    return (uint8_t *)(XTFPGA_ETH_RAM + number * BUFFER_BYTES);
}

static uint32_t wrap_flag(uint32_t number, uint32_t count) {
    return number == count - 1u ? BD_WRAP : 0;
}

static void give_to_receiver(uint32_t number) {
    *descriptor(TX_BUFFERS + number) =
        BD_OWNED_BY_MAC | BD_INTERRUPT | wrap_flag(number, RX_BUFFERS);
}

void eth_start(const uint8_t mac[6]) {
    *reg(MODER) = MODER_RESET;
    *reg(MODER) = 0;
    *reg(TX_BD_NUM) = TX_BUFFERS;
    *reg(MAC_ADDR0) =
        (uint32_t)mac[2] << 24 | (uint32_t)mac[3] << 16 | (uint32_t)mac[4] << 8 | mac[5];
    *reg(MAC_ADDR1) = (uint32_t)mac[0] << 8 | mac[1];
    *reg(HASH0) = 0xFFFFFFFFu; /* all multicast; lwIP filters by the groups it joined */
    *reg(HASH1) = 0xFFFFFFFFu;
    for (uint32_t i = 0; i < TX_BUFFERS; i++) {
        descriptor(i)[1] = (uint32_t)buffer(i);
        descriptor(i)[0] = wrap_flag(i, TX_BUFFERS);
    }
    for (uint32_t i = 0; i < RX_BUFFERS; i++) {
        descriptor(TX_BUFFERS + i)[1] = (uint32_t)buffer(TX_BUFFERS + i);
        give_to_receiver(i);
    }
    *reg(INT_SOURCE) = INT_ALL;
    *reg(INT_MASK) = INT_RXB | INT_BUSY | INT_TXB;
    *reg(MODER) = MODER_CRCEN | MODER_TXEN | MODER_RXEN;
}

void eth_stop(void) {
    *reg(MODER) = 0;
    *reg(INT_MASK) = 0;
    waiting = false;
}

void eth_interrupt(void) {
    *reg(INT_MASK) = 0; /* the event loop serves it and opens the mask again */
    waiting = true;
}

bool eth_waiting(void) {
    return waiting;
}

void eth_acknowledge(void) {
    uint32_t ps = cpu_lock();
    uint32_t source = *reg(INT_SOURCE);
    if (source & INT_BUSY)
        counters.missed++;
    *reg(INT_SOURCE) = source; /* before the ring is read: a frame after this raises it anew */
    waiting = false;
    *reg(INT_MASK) = INT_RXB | INT_BUSY;
    cpu_unlock(ps);
}

const uint8_t *eth_frame(size_t *size) {
    uint32_t status = *descriptor(TX_BUFFERS + rx_next);
    if (status & BD_OWNED_BY_MAC)
        return NULL;
    uint32_t length = status >> 16;
    *size = length > CHECKSUM_BYTES ? length - CHECKSUM_BYTES : 0;
    return buffer(TX_BUFFERS + rx_next);
}

void eth_release(void) {
    counters.received++;
    give_to_receiver(rx_next);
    rx_next = (rx_next + 1u) % RX_BUFFERS;
}

uint8_t *eth_transmit_buffer(void) {
    while (*descriptor(tx_next) & BD_OWNED_BY_MAC) {
    }
    return buffer(tx_next);
}

/* QEMU's model clears INT_SOURCE on a reset without lowering the interrupt line, and drives the
 * line only when INT_SOURCE changes between zero and not zero. A frame that was waiting at the
 * reset therefore leaves the line high for ever. So the first transmission raises an interrupt and
 * clears it at once: the line follows 0, 1, 0. */
static void clear_interrupt_line(void) {
    line_cleared = true;
    *reg(INT_SOURCE) = INT_TXB;
    *reg(INT_MASK) = INT_RXB | INT_BUSY;
}

void eth_transmit(size_t size) {
    if (size < FRAME_MIN) { /* the model's own padding counts a checksum it does not send */
        memset(buffer(tx_next) + size, 0, FRAME_MIN - size);
        size = FRAME_MIN;
    }
    uint32_t flags = BD_OWNED_BY_MAC | BD_TX_CRC | wrap_flag(tx_next, TX_BUFFERS);
    if (!line_cleared)
        flags |= BD_INTERRUPT;
    *descriptor(tx_next) = (uint32_t)size << 16 | flags;
    if (!line_cleared)
        clear_interrupt_line();
    tx_next = (tx_next + 1u) % TX_BUFFERS;
    counters.sent++;
}

struct eth_counters eth_counters(void) {
    return counters;
}
