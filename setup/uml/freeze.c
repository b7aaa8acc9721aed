// SPDX-License-Identifier: GPL-2.0
/*
 * A machine whose servers run waits here, when it is about to mount its trial's folder, and is
 * copied for each trial (serve.c): lab_freeze=FD on the command line, a listening socket. A copy
 * goes on with the same memory, so its trial has the same bytes as after a boot of its own. Copied
 * to arch/um/kernel by setup/uml/edit.py.
 */
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>

#include <as-layout.h>
#include <asm/mmu_context.h>
#include <asm/tlbflush.h>
#include <kern_util.h>
#include <os.h>
#include <skas.h>
#include <stub-data.h>

void lab_freeze(void);
void lab_serve(void *listener);

extern bool lab_booted;

static int listener = -1;

static int __init set_listener(char *text) {
    return kstrtoint(text, 0, &listener) == 0;
}
__setup("lab_freeze=", set_listener);

/* Lets the pages of an address space be mapped anew, from the copied memory. */
static void renew(struct mm_struct *mm, unsigned long at, unsigned long end) {
    um_tlb_mark_sync(mm, at, end);
    while (at < end) {
        p4d_t *p4d = p4d_offset(pgd_offset(mm, at), at); /* the same entry: there are four levels */
        pud_t *pud;
        pmd_t *pmd;
        pte_t *pte;

        if (!p4d_present(*p4d)) {
            at = pgd_addr_end(at, end);
        } else if (pud = pud_offset(p4d, at), !pud_present(*pud)) {
            at = pud_addr_end(at, end);
        } else if (pmd = pmd_offset(pud, at), !pmd_present(*pmd)) {
            at = pmd_addr_end(at, end);
        } else {
            pte = pte_offset_kernel(pmd, at);
            if (pte_present(*pte))
                *pte = pte_mkneedsync(*pte);
            at += PAGE_SIZE;
        }
    }
}

/* Replaces the host's process of an address space, which stays with the frozen machine. */
static void renew_process(struct mm_struct *mm) {
    struct mm_id *id = &mm->context.id;

    memset((void *)id->stack, 0, STUB_DATA_PAGES * PAGE_SIZE);
    id->syscall_data_len = id->syscall_fd_num = 0;
    if (using_seccomp)
        os_close_file(id->sock);
    if (start_userspace(id))
        panic("lab: the copy of a machine cannot start its processes");
    renew(mm, 0, STUB_START);
}

/* Whether a thread before `last` has this address space. */
static bool known(struct mm_struct *mm, struct task_struct *last) {
    struct task_struct *process, *thread;

    for_each_process_thread(process, thread) {
        if (thread == last)
            return false;
        if (thread->mm == mm)
            return true;
    }
    return false;
}

/* The servers are the laboratory's own: no foreign program, whose processor would be masked
   (lab_cpu.c), runs before the trial. */
static void renew_processes(void) {
    struct task_struct *process, *thread;

    rcu_read_lock();
    for_each_process_thread(process, thread) {
        if (thread->mm && !known(thread->mm, thread))
            renew_process(thread->mm);
    }
    rcu_read_unlock();
}

void lab_freeze(void) {
    lab_booted = true;
    if (listener < 0)
        return;
    initial_thread_cb(lab_serve, &listener);
    listener = -1;
    renew(&init_mm, VMALLOC_START, VMALLOC_END);
    um_tlb_sync(&init_mm);
    renew_processes();
}
