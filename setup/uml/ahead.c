// SPDX-License-Identifier: GPL-2.0
/*
 * The pages after one that a process faults on, where it uses them in order: what it copies after a
 * fork, and until the trial begins memory that grows. Each fault costs a switch between two
 * processes of the host. Copied to arch/um/kernel by setup/uml/edit.py.
 */
#include <linux/mm.h>
#include <linux/pgtable.h>

#define LAB_AHEAD 15

extern bool lab_booted;

void lab_fault_ahead(struct vm_area_struct *vma, unsigned long address, unsigned int flags);

bool lab_booted; /* set when the trial begins */

/* Under the lock of the process's memory, after a fault at `address` that was handled. In a trial
   no page is added, since metrics have the memory of a server. */
void lab_fault_ahead(struct vm_area_struct *vma, unsigned long address, unsigned int flags) {
    unsigned long end = min(pmd_addr_end(address, vma->vm_end),
                            (address & PAGE_MASK) + (LAB_AHEAD + 1) * PAGE_SIZE);
    pmd_t *pmd = pmd_off(vma->vm_mm, address);

    address &= PAGE_MASK;
    if (!(flags & FAULT_FLAG_USER) || vma->vm_flags & (VM_SHARED | VM_PFNMAP | VM_MIXEDMAP))
        return;
    if (!(flags & FAULT_FLAG_WRITE) || !(address & ~PMD_MASK) ||
        address - PAGE_SIZE < vma->vm_start ||
        !pte_present(*pte_offset_kernel(pmd, address - PAGE_SIZE)))
        return;
    flags &= ~(FAULT_FLAG_ALLOW_RETRY | FAULT_FLAG_KILLABLE);
    while ((address += PAGE_SIZE) < end && !pte_write(*pte_offset_kernel(pmd, address)) &&
           (!lab_booted || pte_present(*pte_offset_kernel(pmd, address))))
        if (handle_mm_fault(vma, address, flags, NULL) & VM_FAULT_ERROR)
            break;
}
