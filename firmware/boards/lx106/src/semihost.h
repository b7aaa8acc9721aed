/*
 * The output of the log: the emulator writes it to its standard output (qemu-system-xtensa
 * -semihosting). One instruction writes a whole line, where a serial port needs one for each byte.
 */
#ifndef SEMIHOST_H
#define SEMIHOST_H

#include <stddef.h>

/* Writes all of it before it returns. Needs hardly any stack, so that a crash can use it. */
void semihost_write(const char *text, size_t size);

#endif
