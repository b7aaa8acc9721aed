// SPDX-License-Identifier: GPL-2.0
/*
 * The lab's own part of User-Mode Linux: what a system call costs in virtual time, and where the
 * host finds the name of the process that runs. Copied to arch/um/kernel by setup/uml/edit.py.
 */
#include <linux/delay.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/time-internal.h>

void lab_syscall(void);

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
