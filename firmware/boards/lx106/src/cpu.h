/*
 * Special registers and instructions of the LX106 core (Xtensa, call0 ABI).
 */
#ifndef CPU_H
#define CPU_H

#include <stdint.h>

/* PS: user mode, exceptions enabled, interrupt level 0 and 15. */
#define CPU_PS_OPEN 0x20u
#define CPU_PS_LOCKED 0x2Fu

/* Cycles since reset, modulo 2^32. */
static inline uint32_t cpu_cycles(void) {
    uint32_t value;
    __asm__ volatile("rsr.ccount %0" : "=a"(value));
    return value;
}

/* The timer interrupt rises when the cycle counter reaches `cycles`; writing also lowers it. */
static inline void cpu_set_timer(uint32_t cycles) {
    __asm__ volatile("wsr.ccompare0 %0\n\tesync" : : "a"(cycles) : "memory");
}

static inline uint32_t cpu_pending_interrupts(void) {
    uint32_t pending, enabled;
    __asm__ volatile("rsr.interrupt %0" : "=a"(pending));
    __asm__ volatile("rsr.intenable %0" : "=a"(enabled));
    return pending & enabled;
}

static inline void cpu_enable_interrupts(uint32_t mask) {
    __asm__ volatile("wsr.intenable %0\n\trsync" : : "a"(mask) : "memory");
}

/* Masks interrupts; returns the PS to pass to cpu_unlock. */
static inline uint32_t cpu_lock(void) {
    uint32_t ps;
    __asm__ volatile("rsil %0, 15" : "=a"(ps) : : "memory");
    return ps;
}

static inline void cpu_unlock(uint32_t ps) {
    __asm__ volatile("wsr.ps %0\n\trsync" : : "a"(ps) : "memory");
}

/* Opens interrupts and stops the clock until one arrives, in one instruction: none can be missed
 * between the test for work and the wait. */
static inline void cpu_wait(void) {
    __asm__ volatile("waiti 0" : : : "memory");
}

/* Raises a debug exception on any store to the 64 bytes at `address` (a multiple of 64). */
static inline void cpu_watch_stores(uint32_t address) {
    const uint32_t stores_64_bytes = 0x80000000u;
    __asm__ volatile("wsr.dbreaka0 %0\n\twsr.dbreakc0 %1\n\tisync"
                     :
                     : "a"(address), "a"(stores_64_bytes)
                     : "memory");
}

#endif
