#include "console.h"

#include <string.h>
#include <zephyr/device.h>
#include <zephyr/drivers/uart.h>
#include <zephyr/kernel.h>

#ifdef CONFIG_BOARD_NATIVE_SIM
#include <nsi_host_trampolines.h>
#define STANDARD_OUTPUT 1
#endif

/* Shorter than a character at 921600 baud, so that a port without a FIFO loses none. */
#define POLL_US 10

#define IDLE_US 1000000

/* The end of a line that does not fit: a word that the application refuses. */
#define TOO_LONG " line_too_long"

static const struct device *const port = DEVICE_DT_GET(DT_CHOSEN(zephyr_console));

void console_read_line(char *line, size_t size, void (*idle)(void)) {
    size_t used = 0;
    uint32_t idle_us = 0;
    for (;;) {
        unsigned char byte;
        if (uart_poll_in(port, &byte) != 0) {
            k_busy_wait(POLL_US);
            idle_us += POLL_US;
            if (idle_us >= IDLE_US) {
                idle_us = 0;
                idle();
            }
            continue;
        }
        if (byte == '\n' && used) {
            line[used] = 0;
            return;
        }
        if (byte < ' ')
            continue;
        if (used < size - 1)
            line[used++] = (char)byte;
        else /* the beginning, which has the nonce, stays */
            memcpy(line + used + 1 - sizeof TOO_LONG, TOO_LONG, sizeof TOO_LONG);
    }
}

void console_write_line(const char *line, size_t size) {
#ifdef CONFIG_BOARD_NATIVE_SIM /* a system call for each character would be slow */
    nsi_host_write(STANDARD_OUTPUT, (char *)line, size);
    nsi_host_write(STANDARD_OUTPUT, "\n", 1);
#else
    for (size_t i = 0; i < size; i++)
        uart_poll_out(port, (unsigned char)line[i]);
    uart_poll_out(port, '\n');
#endif
}
