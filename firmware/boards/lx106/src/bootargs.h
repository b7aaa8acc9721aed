/*
 * The configuration line: QEMU's -append text, which its loader stores in a list of tagged records.
 */
#ifndef BOOTARGS_H
#define BOOTARGS_H

#include <stdint.h>

/* The text, or "" when there is none. It is outside the chip's RAM and remains valid. */
char *bootargs_text(const uint32_t *records);

#endif
