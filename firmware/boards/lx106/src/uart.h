/*
 * The serial port, which carries the log. Output only.
 */
#ifndef UART_H
#define UART_H

#include <stddef.h>

void uart_start(void);
/* Blocks while the transmitter is full. */
void uart_write(const char *text, size_t size);

#endif
