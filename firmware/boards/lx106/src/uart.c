#include "uart.h"

#include "xtfpga.h"

/* 16550 registers. */
enum { DATA = 0, INTERRUPT_ENABLE = 1, FIFO_CONTROL = 2, LINE_CONTROL = 3, LINE_STATUS = 5 };

#define FIFO_ENABLE_AND_CLEAR 0x07u
#define LINE_8N1 0x03u
#define STATUS_TRANSMIT_EMPTY 0x20u

static volatile uint32_t *reg(uint32_t number) {
    return &XTFPGA_REG(XTFPGA_UART + 4u * number);
}

void uart_start(void) {
    *reg(INTERRUPT_ENABLE) = 0;
    *reg(FIFO_CONTROL) = FIFO_ENABLE_AND_CLEAR;
    *reg(LINE_CONTROL) = LINE_8N1;
}

void uart_write(const char *text, size_t size) {
    for (size_t i = 0; i < size; i++) {
        while (!(*reg(LINE_STATUS) & STATUS_TRANSMIT_EMPTY)) {
        }
        *reg(DATA) = (uint8_t)text[i];
    }
}
