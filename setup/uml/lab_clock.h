/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two pages below the vDSO's: the clock, one page for all, and each process's own count of its
 * looks. lab.c maps and writes them, vdso.c reads them.
 */
#ifndef LAB_CLOCK_H
#define LAB_CLOCK_H

#define LAB_PAGE 4096UL
#define LAB_CLOCK_BELOW (2 * LAB_PAGE)
/* So often a process learns one time before it pays for asking. */
#define LAB_MOST_LOOKS 100

struct lab_clock {
    unsigned long monotonic_ns;
    unsigned long real_ns;
    /* Before it nothing happens, unless somebody makes a system call; 0 if others can go on now. */
    unsigned long next_event_ns;
};

struct lab_looks {
    unsigned long at_ns;
    unsigned long count;
};

#endif
