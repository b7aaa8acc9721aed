/*
 * The way out for the log: the emulator writes what it is given to its standard output
 * (qemu-system-xtensa -semihosting). One instruction takes a whole line, where a serial port would
 * take each byte.
 */
#ifndef SEMIHOST_H
#define SEMIHOST_H

#include <stddef.h>

/* Writes all of it before it returns. Needs no stack to speak of, so that a crash can use it. */
void semihost_write(const char *text, size_t size);

#endif
