// SPDX-License-Identifier: GPL-2.0
/*
 * The processor that foreign programs see, the same on any host: CPUID and the counter of cycles.
 *
 * Where the host's processor can refuse both instructions (stub_exe.c asks it to), they arrive here
 * as faults. CPUID describes a plain x86-64 processor with the instructions of x86-64-v2; the
 * counter follows virtual time, a cycle each nanosecond. Copied to arch/um/kernel by edit.py.
 */
#include <linux/cred.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <linux/user_namespace.h>
#include <sysdep/ptrace.h>

void lab_syscall(void);
int lab_masks_cpu(void);
int lab_cpu(struct uml_pt_regs *regs);

/* The users of foreign programs (hil/system/container.py). */
#define FIRST_UID 7700
#define LAST_UID 7799

struct answer {
    u32 leaf, subleaf, eax, ebx, ecx, edx;
};

#define ANY 0xffffffff

/* Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, CPUID. The vendor is
 * Intel, since the C library reads no feature of a vendor that it does not know. */
static const struct answer answers[] = {
    /* the largest leaf, and the vendor */
    {0x00000000, ANY, 7, 0x756e6547, 0x6c65746e, 0x49656e69},
    /* family 6, model 26; CLFLUSH of 64 bytes; SSE3 SSSE3 CX16 SSE4.1 SSE4.2 POPCNT;
       FPU TSC CX8 CMOV CLFSH MMX FXSR SSE SSE2 */
    {0x00000001, ANY, 0x000106a3, 0x00010800, 0x00982201, 0x07888111},
    /* leaf 4 describes the caches */
    {0x00000002, ANY, 0x0000ff01, 0, 0, 0},
    /* lines of 64 bytes: 32 KiB for data, 32 KiB for instructions, 256 KiB, 8 MiB */
    {0x00000004, 0, 0x00000121, 0x01c0003f, 0x0000003f, 0},
    {0x00000004, 1, 0x00000122, 0x01c0003f, 0x0000003f, 0},
    {0x00000004, 2, 0x00000143, 0x01c0003f, 0x000001ff, 0},
    {0x00000004, 3, 0x00000163, 0x03c0003f, 0x00001fff, 0},
    {0x80000000, ANY, 0x80000008, 0, 0, 0},
    /* LAHF; SYSCALL NX RDTSCP LM */
    {0x80000001, ANY, 0, 0, 0x00000001, 0x28100800},
    /* the name: "Thinwire virtual CPU" */
    {0x80000002, ANY, 0x6e696854, 0x65726977, 0x72697620, 0x6c617574},
    {0x80000003, ANY, 0x55504320, 0, 0, 0},
    /* bits of physical and virtual addresses */
    {0x80000008, ANY, 0x00003028, 0, 0, 0},
};

/* Whether the process that is being made runs a foreign program. */
int lab_masks_cpu(void) {
    uid_t uid = from_kuid(&init_user_ns, current_uid());
    return uid >= FIRST_UID && uid <= LAST_UID;
}

static void describe(struct uml_pt_regs *regs) {
    static const struct answer nothing;
    const struct answer *found = &nothing;
    unsigned int i;
    for (i = 0; i < ARRAY_SIZE(answers); i++)
        if (answers[i].leaf == (u32)UPT_AX(regs) &&
            (answers[i].subleaf == ANY || answers[i].subleaf == (u32)UPT_CX(regs)))
            found = &answers[i];
    UPT_AX(regs) = found->eax;
    UPT_BX(regs) = found->ebx;
    UPT_CX(regs) = found->ecx;
    UPT_DX(regs) = found->edx;
}

/* Answer the refused instruction of a foreign program; 0 if the fault is another. */
int lab_cpu(struct uml_pt_regs *regs) {
    u8 code[3] = {0};
    u64 now;
    if (!lab_masks_cpu() || copy_from_user(code, (void __user *)UPT_IP(regs), 2) || code[0] != 0x0f)
        return 0;
    if (code[1] == 0xa2) {
        describe(regs);
        UPT_IP(regs) += 2;
        return 1;
    }
    if (code[1] == 0x01 && copy_from_user(code, (void __user *)UPT_IP(regs), 3))
        return 0;
    if (code[1] != 0x31 && (code[1] != 0x01 || code[2] != 0xf9))
        return 0;
    lab_syscall(); /* so that who waits for the counter comes to an end */
    now = ktime_get_ns();
    UPT_AX(regs) = (u32)now;
    UPT_DX(regs) = (u32)(now >> 32);
    if (code[1] == 0x01)
        UPT_CX(regs) = 0; /* RDTSCP: the processor's number */
    UPT_IP(regs) += code[1] == 0x01 ? 3 : 2;
    return 1;
}
