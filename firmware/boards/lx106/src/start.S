/*
 * Reset: stack, vectors, a NULL page that faults, .data from flash, .bss, stack pattern,
 * board_main.
 */
#define PS_LOCKED 0x2F                  /* user mode, interrupts masked */
#define NO_ACCESS 15                    /* TLB attribute: any access raises an exception */
#define PAINT 0xA5A5A5A5                /* as in stack.h */

    .section .start.text, "ax"
    .literal_position
    .align 4
    .global _start
    .type _start, @function
_start:                                 /* a2: the loader's parameter list (bootargs.h) */
    mov     a12, a2
    movi    a1, __stack_top
    movi    a3, 0
    wsr.intenable a3
    wsr.dbreakc0 a3                     /* a reset leaves the stack guard armed */
    isync
    movi    a3, __vectors
    wsr.vecbase a3
    movi    a3, PS_LOCKED
    wsr.ps  a3
    rsync

    /* The chip has nothing at 0x00000000..0x1FFFFFFF and raises an exception there. */
    movi    a3, NO_ACCESS
    movi    a4, 0
    wdtlb   a3, a4
    dsync
    witlb   a3, a4
    isync

    movi    a4, __data_load
    movi    a5, __data_start
    movi    a6, __data_end
1:  bgeu    a5, a6, 2f
    l32i    a7, a4, 0
    s32i    a7, a5, 0
    addi    a4, a4, 4
    addi    a5, a5, 4
    j       1b

2:  movi    a5, __bss_start
    movi    a6, __bss_end
    movi    a7, 0
3:  bgeu    a5, a6, 4f
    s32i    a7, a5, 0
    addi    a5, a5, 4
    j       3b

4:  movi    a5, __heap_start            /* heap and stack, for their high-water marks */
    movi    a6, __stack_top
    movi    a7, PAINT
5:  bgeu    a5, a6, 6f
    s32i    a7, a5, 0
    addi    a5, a5, 4
    j       5b

6:  mov     a2, a12
    call0   board_main                  /* does not return */
    .size _start, . - _start
