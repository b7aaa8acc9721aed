"""Make our few changes to a kernel tree: `edit.py TREE`. Each is a text that must stand in its file
exactly once, and what takes its place: no line around it matters, and a kernel in which one of them
is not found is refused."""

from __future__ import annotations

import sys
from pathlib import Path

# (file, text, what takes its place)
EDITS = (
    # No randomness of the host: the generator starts from zeros, and the trial's seed is mixed in.
    (
        "arch/um/kernel/um_arch.c",
        "os_getrandom(rng_seed, sizeof(rng_seed), 0) == sizeof(rng_seed)",
        "memset(rng_seed, 0, sizeof(rng_seed))",
    ),
    (
        "arch/um/include/asm/archrandom.h",
        "ret = os_getrandom(v, max_longs * sizeof(*v), 0);",
        "ret = 0;",
    ),
    # The command line is no seed either: it says how processes are held, and what this host's
    # processor must not show.
    ("init/main.c", "random_init_early(command_line);", 'random_init_early("");'),
    # Time passes by system calls, a stated time each, so that who spins on one comes to an end. A
    # look of the kernel itself at its clock costs none: the number of such looks depends on page
    # faults and with them on the host.
    (
        "arch/um/kernel/time.c",
        "time_travel_update_time_rel(TIMER_MULTIPLIER);",
        "do { } while (0);",
    ),
    (
        "arch/um/kernel/skas/syscall.c",
        "void handle_syscall(struct uml_pt_regs *r)",
        "void lab_syscall(void);\nvoid handle_syscall(struct uml_pt_regs *r)",
    ),
    (
        "arch/um/kernel/skas/syscall.c",
        "\tif (syscall >= 0 && syscall < __NR_syscalls) {",
        "\tlab_syscall();\n\tif (syscall >= 0 && syscall < __NR_syscalls) {",
    ),
    # A process that ends inside ends on the host at a moment of the host's. That is housekeeping of
    # this kernel, and no interrupt: one would look at the timers, and stir the random numbers.
    (
        "arch/um/kernel/irq.c",
        "do_IRQ(SIGCHLD_IRQ, regs);",
        "extern irqreturn_t mm_sigchld_irq(int irq, void *dev);\n"
        "\tmm_sigchld_irq(SIGCHLD_IRQ, NULL);",
    ),
    (
        "arch/um/kernel/skas/mmu.c",
        "static irqreturn_t mm_sigchld_irq",
        "irqreturn_t mm_sigchld_irq(int irq, void *dev);\nirqreturn_t mm_sigchld_irq",
    ),
    # While a program computes no time passes, so a look at the clock needs no system call: vdso.c
    # reads it from a page that lab.c maps below it, where the stack would begin.
    (
        "arch/um/include/asm/processor-generic.h",
        "(TASK_SIZE - 2 * PAGE_SIZE)",
        "(TASK_SIZE - 4 * PAGE_SIZE)",
    ),
    (
        "arch/x86/um/vdso/vma.c",
        "extern unsigned long task_size;",
        "extern unsigned long task_size;\n"
        "struct vm_area_struct *lab_map_clock(struct mm_struct *mm, unsigned long vdso);",
    ),
    (
        "arch/x86/um/vdso/vma.c",
        "\tmmap_write_unlock(mm);",
        "\tif (!IS_ERR(vma))\n\t\tvma = lab_map_clock(mm, um_vdso_addr);\n\tmmap_write_unlock(mm);",
    ),
    (
        "arch/um/kernel/skas/process.c",
        "void current_mm_sync(void)",
        "void lab_show_clock(void);\nvoid current_mm_sync(void)",
    ),
    (
        "arch/um/kernel/skas/process.c",
        "\tum_tlb_sync(current->mm);",
        "\tum_tlb_sync(current->mm);\n\tlab_show_clock();",
    ),
    # And who simulates learns there until when nothing else happens.
    ("arch/x86/um/vdso/vdso.lds.S", "\t\t__vdso_time;", "\t\t__vdso_time;\n\t\t__vdso_next_event;"),
    # Foreign programs see the same processor on any host, where its processor can refuse CPUID and
    # RDTSC (arch_prctl(2), prctl(2)); lab_cpu.c answers for it.
    (
        "arch/um/include/shared/skas/stub-data.h",
        "\tint seccomp;\n",
        "\tint seccomp;\n\tint mask_cpu;\n",
    ),
    (
        "arch/um/os-Linux/skas/process.c",
        "static int userspace_tramp(void *data)",
        "int lab_masks_cpu(void);\nstatic int userspace_tramp(void *data)",
    ),
    (
        "arch/um/os-Linux/skas/process.c",
        "\t\t.seccomp = using_seccomp,\n",
        "\t\t.seccomp = using_seccomp,\n\t\t.mask_cpu = lab_masks_cpu(),\n",
    ),
    (
        "arch/um/kernel/skas/stub_exe.c",
        "\t/* In SECCOMP mode, FD 0 is a socket and is later used for FD passing */\n",
        "\tif (init_data.mask_cpu) {\n"
        "\t\tstub_syscall2(__NR_arch_prctl, 0x1012 /* ARCH_CPUID */, 0);\n"
        "\t\tstub_syscall2(__NR_prctl, PR_SET_TSC, PR_TSC_SIGSEGV);\n"
        "\t}\n"
        "\t/* In SECCOMP mode, FD 0 is a socket and is later used for FD passing */\n",
    ),
    (
        "arch/um/kernel/trap.c",
        "void segv_handler(int sig,",
        "int lab_cpu(struct uml_pt_regs *regs);\nvoid segv_handler(int sig,",
    ),
    (
        "arch/um/kernel/trap.c",
        "\tif (UPT_IS_USER(regs) && !SEGV_IS_FIXABLE(fi)) {\n",
        "\tif (UPT_IS_USER(regs) && !SEGV_IS_FIXABLE(fi) && lab_cpu(regs))\n"
        "\t\treturn;\n"
        "\tif (UPT_IS_USER(regs) && !SEGV_IS_FIXABLE(fi)) {\n",
    ),
    # The image stays in its file, and processes map it from there.
    (
        "arch/um/kernel/initrd.c",
        "area = uml_load_file(initrd, &size);",
        "void *lab_map_image(const char *name, unsigned long long *size);\n\n"
        "\tarea = lab_map_image(initrd, &size);\n"
        "\tif (!area)\n"
        "\t\tarea = uml_load_file(initrd, &size);",
    ),
    (
        "init/initramfs.c",
        "\t\tif (xwrite(wfile, victim, body_len, &wfile_pos) != body_len)\n",
        "\t\tsize_t lab_share(struct file *file, char *data, size_t size);\n"
        "\t\tsize_t shared = lab_share(wfile, victim, body_len);\n\n"
        "\t\twfile_pos = shared;\n"
        "\t\tif (xwrite(wfile, victim + shared, body_len - shared, &wfile_pos) !=\n"
        "\t\t    body_len - shared)\n",
    ),
    (
        "arch/um/kernel/physmem.c",
        "\tif (phys < physmem_size) {\n",
        "\tint lab_image_at(unsigned long phys, int *fd, unsigned long long *offset);\n\n"
        "\tif (lab_image_at(phys, &fd, offset_out))\n"
        "\t\treturn fd;\n"
        "\tif (phys < physmem_size) {\n",
    ),
    # A process keeps the files of the memory and of the image as its descriptors 1 and 2. To pass
    # them over a socket with each page costs three system calls of the host.
    ("arch/um/kernel/physmem.c", "static int physmem_fd = -1;", "int physmem_fd = -1;"),
    (
        "arch/um/include/shared/skas/stub-data.h",
        "\tint mask_cpu;\n",
        "\tint mask_cpu;\n\tint image_fd;\n",
    ),
    (
        "arch/um/include/shared/skas/stub-data.h",
        "\tint syscall_data_len;\n",
        "\tint syscall_data_len;\n\tint fds_sent;\n",
    ),
    (
        "arch/um/os-Linux/skas/process.c",
        "\tfcntl(init_data.stub_data_fd, F_SETFD, 0);\n",
        "\textern int lab_image_fd;\n\n"
        "\tfcntl(init_data.stub_data_fd, F_SETFD, 0);\n"
        "\tinit_data.image_fd = lab_image_fd;\n"
        "\tif (lab_image_fd >= 0)\n"
        "\t\tfcntl(lab_image_fd, F_SETFD, 0);\n"
        "\tsyscall(__NR_prctl, 0x59616d61 /* PR_SET_PTRACER */, -1L, 0, 0, 0);\n",
    ),
    (
        "arch/um/os-Linux/skas/process.c",
        "\t\tif (!running) {\n",
        "\t\tif (!running) {\n\t\t\tdata->fds_sent = mm_idp->syscall_fd_num;\n",
    ),
    (
        "arch/um/kernel/skas/stub_exe.c",
        "\t\tres = stub_syscall3(__NR_close_range, 1, ~0U, 0);\n",
        "\t\tstub_syscall2(__NR_dup2, init_data.stub_data_fd, 1);\n"
        "\t\tif (init_data.image_fd >= 0)\n"
        "\t\t\tstub_syscall2(__NR_dup2, init_data.image_fd, 2);\n"
        "\t\tres = stub_syscall3(__NR_close_range, init_data.image_fd >= 0 ? 3 : 2, ~0U, 0);\n",
    ),
    (
        "arch/um/kernel/skas/stub.c",
        "\t\t\tif (fd_map)\n",
        "\t\t\tif (sc->mem.fd > STUB_MAX_FDS && fd_map)\n"
        "\t\t\t\tfd = sc->mem.fd - STUB_MAX_FDS;\n"
        "\t\t\telse if (fd_map)\n",
    ),
    (
        "arch/um/kernel/skas/stub.c",
        "\t\t/* Read passed FDs (if any) */\n",
        "\t\t/* Read passed FDs (if any) */\n\t\tres = -EAGAIN;\n\t\tif (d->fds_sent)\n",
    ),
    (
        "arch/um/os-Linux/skas/mem.c",
        "\t/* Already crashed, value does not matter */\n",
        "\tif (fd == physmem_fd || fd == lab_image_fd)\n"
        "\t\treturn STUB_MAX_FDS + (fd == physmem_fd ? 1 : 2);\n\n"
        "\t/* Already crashed, value does not matter */\n",
    ),
    (
        "arch/um/os-Linux/skas/mem.c",
        "\t\t\tprev_fd = mm_idp->syscall_fd_map[sc->mem.fd];\n",
        "\t\t\tprev_fd = sc->mem.fd == STUB_MAX_FDS + 1   ? physmem_fd\n"
        "\t\t\t\t  : sc->mem.fd == STUB_MAX_FDS + 2 ? lab_image_fd\n"
        "\t\t\t\t  : mm_idp->syscall_fd_map[sc->mem.fd];\n",
    ),
    (
        "arch/um/os-Linux/skas/mem.c",
        "extern char __syscall_stub_start[];\n",
        "extern char __syscall_stub_start[];\nextern int physmem_fd, lab_image_fd;\n",
    ),
    # A fault costs a switch between two processes of the host, so the next pages come with it.
    (
        "arch/um/kernel/trap.c",
        "int handle_page_fault(unsigned long address, unsigned long ip,",
        "void lab_fault_ahead(struct vm_area_struct *vma, unsigned long address,\n"
        "\t\t     unsigned int flags);\n"
        "int handle_page_fault(unsigned long address, unsigned long ip,",
    ),
    (
        "arch/um/kernel/trap.c",
        "\t} while (!pte_present(*pte));\n",
        "\t} while (!pte_present(*pte));\n\tlab_fault_ahead(vma, address, flags);\n",
    ),
    # A machine that is about to mount its trial's folder can be copied for several trials.
    (
        "fs/hostfs/hostfs_kern.c",
        "\tsb->s_blocksize = 1024;\n",
        "\tvoid lab_freeze(void);\n\n\tlab_freeze();\n\tsb->s_blocksize = 1024;\n",
    ),
    # The copies have no folder for their number, which the first machine removes.
    (
        "arch/um/os-Linux/umid.c",
        "\tdir = malloc(strlen(uml_dir) + UMID_LEN + 1);\n\tif (!dir)\n\t\treturn;\n",
        "\textern int lab_copied;\n\n"
        "\tdir = lab_copied ? NULL : malloc(strlen(uml_dir) + UMID_LEN + 1);\n"
        "\tif (!dir)\n\t\treturn;\n",
    ),
    ("arch/um/os-Linux/Makefile", "umid.o user_syms.o", "lab_serve.o umid.o user_syms.o"),
    (
        "arch/um/os-Linux/Makefile",
        "USER_OBJS := $(user-objs-y)",
        "USER_OBJS := $(user-objs-y) lab_serve.o",
    ),
    (
        "arch/um/kernel/Makefile",
        "obj-y = ",
        "obj-y = lab.o lab_cpu.o lab_image.o lab_ahead.o lab_freeze.o ",
    ),
)
# (file of this folder, its place there)
OWN = (
    ("lab.c", "arch/um/kernel/lab.c"),
    ("lab_cpu.c", "arch/um/kernel/lab_cpu.c"),
    ("image.c", "arch/um/kernel/lab_image.c"),
    ("ahead.c", "arch/um/kernel/lab_ahead.c"),
    ("freeze.c", "arch/um/kernel/lab_freeze.c"),
    ("serve.c", "arch/um/os-Linux/lab_serve.c"),
    ("lab_clock.h", "arch/um/kernel/lab_clock.h"),
    ("lab_clock.h", "arch/x86/um/vdso/lab_clock.h"),
    ("vdso.c", "arch/x86/um/vdso/um_vdso.c"),
)


def main() -> int:
    """Edit the tree; 2 if a text is not there once."""
    tree = Path(sys.argv[1])
    for name, old, new in EDITS:
        path = tree / name
        text = path.read_text(encoding="utf-8")
        if text.count(old) != 1:
            print(
                f"setup: {name}: '{old}' stands there {text.count(old)} times, not once",
                file=sys.stderr,
            )
            return 2
        path.write_text(text.replace(old, new), encoding="utf-8")
    for name, place in OWN:
        (tree / place).write_bytes(Path(__file__).with_name(name).read_bytes())
    return 0


if __name__ == "__main__":
    sys.exit(main())
