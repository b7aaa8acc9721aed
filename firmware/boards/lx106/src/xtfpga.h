/*
 * The devices of QEMU's lx60-nommu board, which stands in for the ESP8266's peripherals.
 */
#ifndef XTFPGA_H
#define XTFPGA_H

#include <stdint.h>

#define XTFPGA_REG(address) (*(volatile uint32_t *)(address))

#define XTFPGA_IO 0x90000000u
#define XTFPGA_CLOCK_HZ XTFPGA_REG(XTFPGA_IO + 0x0D020004u)
#define XTFPGA_RESET XTFPGA_REG(XTFPGA_IO + 0x0D020010u)
#define XTFPGA_RESET_KEY 0xDEADu

#define XTFPGA_ETH (XTFPGA_IO + 0x0D030000u)     /* OpenCores Ethernet MAC */
#define XTFPGA_ETH_BD (XTFPGA_IO + 0x0D030400u)  /* its buffer descriptors */
#define XTFPGA_ETH_RAM (XTFPGA_IO + 0x0D800000u) /* its 16 KiB of buffers */

/* Where the ESP8266 has the user part of its RTC memory; RAM here. Both survive a reset. */
#define XTFPGA_RTC_RAM ((volatile uint32_t *)0x60001200u)
#define XTFPGA_RTC_BYTES 512u

/* Interrupt numbers of the core. */
#define XTFPGA_INTERRUPT_ETH (1u << 1)
#define XTFPGA_INTERRUPT_TIMER (1u << 6)

#endif
