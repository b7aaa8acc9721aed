/* A QEMU plugin (manual: "QEMU TCG Plugins"): the board's processor runs at the chip's speed.
 *
 * The emulator uses its host's clock, so it has no drift, but it executes at its own speed. The
 * plugin counts instructions and sleeps until the chip would have reached the same point: at an
 * access to a device or to memory that an interrupt changes (the compiler puts MEMW before each
 * volatile access), before the processor becomes idle, and at least every MOST instructions. What
 * happens in between is not observable. Fewer than FEW instructions are not worth a sleep, and an
 * emulator that is slower than the chip does not sleep. Another QEMU thread receives frames
 * meanwhile.
 *
 * The library is preloaded as well: when the executing thread reads the clock, it gets the time
 * that follows from the count, which is exact and saves a third of the emulator's system calls.
 *
 * Option `picoseconds`: the duration of an instruction. The declarations are those that it uses of
 * QEMU's plugin interface (tried with QEMU 7.2 and 10.0).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define FEW 400
#define MOST 8192
#define NANOSECONDS 1000000000

typedef uint64_t plugin_id;
typedef void (*cpu_call)(plugin_id id, unsigned cpu);
typedef void (*run_call)(unsigned cpu, void *user);
struct qemu_plugin_tb;
struct qemu_plugin_insn;
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id,
                                           void (*call)(plugin_id, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_idle_cb(plugin_id id, cpu_call call);
void qemu_plugin_register_vcpu_resume_cb(plugin_id id, cpu_call call);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block, run_call call, int flags,
                                          void *user);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *instruction, run_call call,
                                            int flags, void *user);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
/* Returns the number of bytes copied. Before QEMU 9.1 it returns their address and has no
 * `copy`. */
uintptr_t qemu_plugin_insn_data(const struct qemu_plugin_insn *instruction, void *copy,
                                size_t bytes);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *instruction);

/* QEMU reads this before it calls: newer versions refuse 1, older ones accept nothing else. */
int qemu_plugin_version = 1;

static uint64_t picoseconds;
static uint64_t woke_ns;  /* when the processor was last idle */
static uint64_t executed; /* instructions since then, those of the block under way included */
static uint64_t slept;    /* the value of `executed` at the last sleep */

static __thread bool runs; /* this thread executes the program */

static int (*look)(clockid_t clock, struct timespec *out); /* the C library's clock_gettime */

static uint64_t now_ns(void) {
    struct timespec now;
    look(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NANOSECONDS + (uint64_t)now.tv_nsec;
}

static uint64_t chip_ns(void) {
    return woke_ns + executed * picoseconds / 1000;
}

static struct timespec timespec_of(uint64_t ns) {
    return (struct timespec){(time_t)(ns / NANOSECONDS), (long)(ns % NANOSECONDS)};
}

/* Preloaded: returns the program's time without a system call. */
int clock_gettime(clockid_t clock, struct timespec *out) {
    if (!runs || clock != CLOCK_MONOTONIC)
        return look ? look(clock, out) : (int)syscall(SYS_clock_gettime, clock, out);
    *out = timespec_of(chip_ns());
    return 0;
}

static void catch_up(uint64_t unless) {
    if (executed - slept < unless)
        return;
    slept = executed;
    uint64_t due_ns = chip_ns(), ns = now_ns();
    if (ns >= due_ns) {
        woke_ns += ns - due_ns;
        return;
    }
    struct timespec due = timespec_of(due_ns);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) != 0)
        ;
}

static void on_block(unsigned cpu, void *instructions) {
    (void)cpu;
    executed += (uintptr_t)instructions;
    catch_up(MOST);
}

static void on_look(unsigned cpu, void *user) {
    (void)cpu, (void)user;
    catch_up(FEW);
}

/* MEMW is 0x0020C0, in little-endian order. */
static bool looks_out(const struct qemu_plugin_insn *instruction) {
    uint8_t copy[3] = {0};
    if (qemu_plugin_insn_size(instruction) != sizeof copy)
        return false;
    uintptr_t found = qemu_plugin_insn_data(instruction, copy, sizeof copy);
    const uint8_t *code = found <= sizeof copy ? copy : (const uint8_t *)found;
    return code[0] == 0xC0 && code[1] == 0x20 && code[2] == 0x00;
}

static void on_translation(plugin_id id, struct qemu_plugin_tb *block) {
    (void)id;
    uintptr_t count = qemu_plugin_tb_n_insns(block);
    qemu_plugin_register_vcpu_tb_exec_cb(block, on_block, 0, (void *)count);
    for (size_t i = 0; i < count; i++) {
        struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, i);
        if (looks_out(instruction))
            qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_look, 0, NULL);
    }
}

static void on_idle(plugin_id id, unsigned cpu) {
    (void)id, (void)cpu;
    catch_up(FEW);
    runs = false;
}

static void on_resume(plugin_id id, unsigned cpu) {
    (void)id, (void)cpu;
    uint64_t ns = now_ns(), last_ns = chip_ns();
    woke_ns = ns > last_ns ? ns : last_ns; /* it has slept for all but FEW instructions */
    executed = slept = 0;
    runs = true;
}

__attribute__((constructor)) static void look_around(void) {
    *(void **)&look = dlsym(RTLD_NEXT, "clock_gettime");
    if (dlsym(RTLD_DEFAULT, "qemu_plugin_scoreboard_new")) /* as of version 2 */
        qemu_plugin_version = 2;
}

int qemu_plugin_install(plugin_id id, const void *info, int count, char **options) {
    (void)info;
    for (int i = 0; i < count; i++)
        if (sscanf(options[i], "picoseconds=%" SCNu64, &picoseconds) != 1)
            return 1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    qemu_plugin_register_vcpu_idle_cb(id, on_idle);
    qemu_plugin_register_vcpu_resume_cb(id, on_resume);
    return picoseconds == 0;
}
