/*
 * lwIP's view of the compiler and the board.
 */
#ifndef ARCH_CC_H
#define ARCH_CC_H

#include <stdint.h>

void lwip_port_assert_failed(const char *file, uint32_t line) __attribute__((noreturn));
uint32_t lwip_port_random(void);

/* lwIP's messages would take 5 KiB of RAM; file and line say as much. */
#define LWIP_PLATFORM_ASSERT(message) lwip_port_assert_failed(__FILE_NAME__, __LINE__)
#define LWIP_RAND() lwip_port_random()

#endif
