// SPDX-License-Identifier: GPL-2.0
/*
 * What programs inside call to know the time, in their own memory: the lab's clock stands still
 * while a program computes, so lab.c writes it beside this page whenever one goes on, and a look
 * needs no system call. Takes the place of arch/x86/um/vdso/um_vdso.c.
 */
#define DISABLE_BRANCH_PROFILING

#include <asm/unistd.h>
#include <linux/getcpu.h>
#include <linux/time.h>

#include "lab_clock.h"

int __vdso_clock_gettime(clockid_t clock, struct __kernel_old_timespec *ts);
int __vdso_gettimeofday(struct __kernel_old_timeval *tv, struct timezone *tz);
__kernel_old_time_t __vdso_time(__kernel_old_time_t *t);
unsigned long __vdso_next_event(void);
long __vdso_getcpu(unsigned int *cpu, unsigned int *node, struct getcpu_cache *unused);

static long ask(long number, const void *first, const void *second) {
    long result;

    asm volatile("syscall"
                 : "=a"(result)
                 : "0"(number), "D"(first), "S"(second)
                 : "rcx", "r11", "memory");
    return result;
}

static const volatile struct lab_clock *clock_page(void) {
    unsigned long here;

    asm("lea 0(%%rip), %0" : "=r"(here));
    return (void *)((here & ~(LAB_PAGE - 1)) - LAB_CLOCK_BELOW);
}

/*
 * Nanoseconds, or 0: ask the kernel, so that time passes for one who waits for it by looking. Its
 * own looks a process counts in a page of its own.
 */
static unsigned long look(clockid_t which) {
    const volatile struct lab_clock *shown = clock_page();
    volatile struct lab_looks *looks = (void *)((unsigned long)shown + LAB_PAGE);
    unsigned long now = shown->monotonic_ns;

    if (looks->at_ns != now) {
        looks->at_ns = now;
        looks->count = 0;
    }
    if (++looks->count > LAB_MOST_LOOKS)
        return 0;
    switch (which) {
    case CLOCK_MONOTONIC:
        return now;
    case CLOCK_REALTIME:
        return shown->real_ns;
    default:
        return 0;
    }
}

int __vdso_clock_gettime(clockid_t clock, struct __kernel_old_timespec *ts) {
    unsigned long ns = look(clock);

    if (!ns)
        return ask(__NR_clock_gettime, (void *)(long)clock, ts);
    ts->tv_sec = ns / NSEC_PER_SEC;
    ts->tv_nsec = ns % NSEC_PER_SEC;
    return 0;
}
int clock_gettime(clockid_t, struct __kernel_old_timespec *)
    __attribute__((weak, alias("__vdso_clock_gettime")));

int __vdso_gettimeofday(struct __kernel_old_timeval *tv, struct timezone *tz) {
    unsigned long ns = tz ? 0 : look(CLOCK_REALTIME);

    if (!ns)
        return ask(__NR_gettimeofday, tv, tz);
    tv->tv_sec = ns / NSEC_PER_SEC;
    tv->tv_usec = ns % NSEC_PER_SEC / NSEC_PER_USEC;
    return 0;
}
int gettimeofday(struct __kernel_old_timeval *, struct timezone *)
    __attribute__((weak, alias("__vdso_gettimeofday")));

__kernel_old_time_t __vdso_time(__kernel_old_time_t *t) {
    unsigned long ns = look(CLOCK_REALTIME);

    if (!ns)
        return ask(__NR_time, t, 0);
    if (t)
        *t = ns / NSEC_PER_SEC;
    return ns / NSEC_PER_SEC;
}
__kernel_old_time_t time(__kernel_old_time_t *t) __attribute__((weak, alias("__vdso_time")));

/* In ns of CLOCK_MONOTONIC; see struct lab_clock. */
unsigned long __vdso_next_event(void) {
    return clock_page()->next_event_ns;
}

/* There is one processor. */
long __vdso_getcpu(unsigned int *cpu, unsigned int *node, struct getcpu_cache *unused) {
    if (cpu)
        *cpu = 0;
    if (node)
        *node = 0;
    return 0;
}
long getcpu(unsigned int *cpu, unsigned int *node, struct getcpu_cache *tcache)
    __attribute__((weak, alias("__vdso_getcpu")));
