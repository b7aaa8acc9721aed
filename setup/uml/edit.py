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
    ("arch/um/kernel/Makefile", "obj-y = ", "obj-y = lab.o "),
)
OWN = {"lab.c": "arch/um/kernel/lab.c"}


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
    for name, place in OWN.items():
        (tree / place).write_bytes(Path(__file__).with_name(name).read_bytes())
    return 0


if __name__ == "__main__":
    sys.exit(main())
