/*
 * Exception and interrupt entry of the LX106. The core fixes the vectors' offsets from VECBASE:
 * debug 0x10, NMI 0x20, kernel 0x30, user 0x50, double 0x70 (link.ld places the sections).
 */
    .begin no-transform
    .section .vector.debug, "ax"
    wsr.excsave2 a0
    call0 debug_entry

    .section .vector.nmi, "ax"
    rfi 3

    .section .vector.kernel, "ax"
    wsr.excsave1 a0
    call0 exception_entry

    .section .vector.user, "ax"
    wsr.excsave1 a0
    call0 exception_entry

    .section .vector.double, "ax"
    wsr.excsave1 a0
    call0 double_entry
    .end no-transform

/* Layout of struct crash_frame (crash.h): a0 to a15, then the special registers. */
#define FRAME_A(n)     ((n) * 4)
#define FRAME_SAR      64
#define FRAME_PC       68
#define FRAME_CAUSE    72
#define FRAME_ADDRESS  76
#define FRAME_PS       80
#define FRAME_BYTES    96

#define CAUSE_LEVEL1_INTERRUPT 4

/* PS while the handler runs: interrupts masked, exceptions enabled, so that a fault in the handler
 * is reported like any other. */
#define PS_HANDLER 0x21

    .section .iram.text, "ax"
    .literal_position
    .align 4
    .type exception_entry, @function
exception_entry:                        /* the interrupted a0 is in EXCSAVE1; PS.EXCM is set */
    addi    a1, a1, -FRAME_BYTES
    s32i    a2, a1, FRAME_A(2)
    s32i    a3, a1, FRAME_A(3)
    s32i    a4, a1, FRAME_A(4)
    s32i    a5, a1, FRAME_A(5)
    s32i    a6, a1, FRAME_A(6)
    s32i    a7, a1, FRAME_A(7)
    s32i    a8, a1, FRAME_A(8)
    s32i    a9, a1, FRAME_A(9)
    s32i    a10, a1, FRAME_A(10)
    s32i    a11, a1, FRAME_A(11)
    s32i    a12, a1, FRAME_A(12)
    s32i    a13, a1, FRAME_A(13)
    s32i    a14, a1, FRAME_A(14)
    s32i    a15, a1, FRAME_A(15)
    rsr.excsave1 a2
    s32i    a2, a1, FRAME_A(0)
    addi    a2, a1, FRAME_BYTES
    s32i    a2, a1, FRAME_A(1)
    rsr.sar a2
    s32i    a2, a1, FRAME_SAR
    rsr.epc1 a2
    s32i    a2, a1, FRAME_PC
    rsr.excvaddr a2
    s32i    a2, a1, FRAME_ADDRESS
    rsr.ps  a2
    s32i    a2, a1, FRAME_PS
    rsr.exccause a3
    s32i    a3, a1, FRAME_CAUSE
    movi    a2, PS_HANDLER
    wsr.ps  a2
    rsync
    mov     a2, a1
    beqi    a3, CAUSE_LEVEL1_INTERRUPT, 1f
    call0   crash_exception             /* does not return */
1:  call0   interrupt_dispatch
    rsil    a2, 1
    l32i    a2, a1, FRAME_PS            /* PS.EXCM again: no interrupt until rfe */
    wsr.ps  a2
    rsync
    l32i    a2, a1, FRAME_PC
    wsr.epc1 a2
    l32i    a2, a1, FRAME_SAR
    wsr.sar a2
    l32i    a0, a1, FRAME_A(0)
    l32i    a2, a1, FRAME_A(2)
    l32i    a3, a1, FRAME_A(3)
    l32i    a4, a1, FRAME_A(4)
    l32i    a5, a1, FRAME_A(5)
    l32i    a6, a1, FRAME_A(6)
    l32i    a7, a1, FRAME_A(7)
    l32i    a8, a1, FRAME_A(8)
    l32i    a9, a1, FRAME_A(9)
    l32i    a10, a1, FRAME_A(10)
    l32i    a11, a1, FRAME_A(11)
    addi    a1, a1, FRAME_BYTES         /* a12 to a15 belong to the callee under call0 */
    rfe
    .size exception_entry, . - exception_entry

/* A fault while PS.EXCM was set, mostly an invalid stack pointer: use a fresh stack. */
    .align 4
    .type double_entry, @function
double_entry:
    mov     a5, a1
    movi    a1, crash_stack_top
    rsr.depc a2
    rsr.exccause a3
    rsr.excvaddr a4
    call0   crash_double                /* does not return */
    .size double_entry, . - double_entry

/* The stack guard, or a break instruction. Disarm the guard: the crash report needs stores. */
    .align 4
    .type debug_entry, @function
debug_entry:
    mov     a4, a1
    movi    a1, crash_stack_top
    movi    a3, 0
    wsr.dbreakc0 a3
    isync
    rsr.epc2 a2
    rsr.debugcause a3
    call0   crash_debug                 /* does not return */
    .size debug_entry, . - debug_entry
