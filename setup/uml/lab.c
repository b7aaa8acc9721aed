// SPDX-License-Identifier: GPL-2.0
/*
 * The lab's own part of User-Mode Linux: what a system call costs in virtual time, the clock that
 * programs see in their memory (vdso.c), and where the host finds the name of the process that
 * runs. Copied to arch/um/kernel by setup/uml/edit.py.
 */
#include <linux/delay.h>
#include <linux/gfp.h>
#include <linux/hrtimer.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/stat.h>
#include <linux/time-internal.h>
#include <linux/timekeeping.h>

#include "../../../kernel/time/tick-internal.h"

#include "lab_clock.h"

void lab_syscall(void);
void lab_show_clock(void);
struct vm_area_struct *lab_map_clock(struct mm_struct *mm, unsigned long vdso);

/* lab_syscall_ns=N on the command line. */
static unsigned long syscall_ns = 1000;

static int __init set_syscall_ns(char *text) {
    return kstrtoul(text, 0, &syscall_ns) == 0;
}
__setup("lab_syscall_ns=", set_syscall_ns);

/* Read from outside, at its symbol's address: the place of the name in what cpu_tasks points to. */
const unsigned long lab_name_offset __used = offsetof(struct task_struct, comm);

void lab_syscall(void) {
    if (time_travel_mode == TT_MODE_INFCPU && syscall_ns)
        time_travel_ndelay(syscall_ns);
}

/* The clock's page is everybody's, to read; that of the looks becomes a process's own when it
   counts the first one. */
static struct page *clock_page[2], *looks_page[2]; /* a page each, and an end */
static struct lab_clock *shown;

static int __init make_clock(void) {
    clock_page[0] = alloc_page(GFP_KERNEL | __GFP_ZERO);
    looks_page[0] = alloc_page(GFP_KERNEL | __GFP_ZERO);
    if (!clock_page[0] || !looks_page[0])
        return -ENOMEM;
    shown = page_address(clock_page[0]);
    return 0;
}
core_initcall(make_clock);

struct vm_area_struct *lab_map_clock(struct mm_struct *mm, unsigned long vdso) {
    static const struct vm_special_mapping clock = {.name = "[vvar]", .pages = clock_page};
    static const struct vm_special_mapping looks = {.name = "[looks]", .pages = looks_page};
    unsigned long at = vdso - LAB_CLOCK_BELOW;
    struct vm_area_struct *vma =
        _install_special_mapping(mm, at, LAB_PAGE, VM_READ | VM_MAYREAD, &clock);
    if (IS_ERR(vma))
        return vma;
    return _install_special_mapping(mm, at + LAB_PAGE, LAB_PAGE,
                                    VM_READ | VM_WRITE | VM_MAYREAD | VM_MAYWRITE, &looks);
}

/* The first timer but the tick, which only counts, when all others sleep. */
static u64 next_event(void) {
    unsigned long flags;
    u64 jiffy_timer;

    if (nr_running() > 1 || hrtimer_resolution == LOW_RES_NSEC)
        return 0;
    local_irq_save(flags);
    jiffy_timer = get_next_timer_interrupt(jiffies, tick_next_period - TICK_NSEC);
    local_irq_restore(flags);
    return min(jiffy_timer, hrtimer_next_event_without(&tick_get_tick_sched(0)->sched_timer));
}

/* Before a program goes on; while it runs no time passes. */
void lab_show_clock(void) {
    if (!shown)
        return;
    shown->monotonic_ns = ktime_get_ns();
    shown->real_ns = ktime_get_real_ns();
    shown->next_event_ns = next_event();
}
