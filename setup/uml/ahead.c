// SPDX-License-Identifier: GPL-2.0
/*
 * The pages after one that a process faults on, where it uses them in order: memory that grows, and
 * what it copies after a fork. Each fault costs a switch between two processes of the host. Copied
 * to arch/um/kernel by setup/uml/edit.py.
 */
#include <linux/mm.h>
#include <linux/pgtable.h>

#define LAB_AHEAD 15

void lab_fault_ahead(struct vm_area_struct *vma, unsigned long address, unsigned int flags);

/* Under the lock of the process's memory, after a fault at `address` that was handled. */
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
    while ((address += PAGE_SIZE) < end && !pte_write(*pte_offset_kernel(pmd, address)))
        if (handle_mm_fault(vma, address, flags, NULL) & VM_FAULT_ERROR)
            break;
}
