/*
 * void context_switch(void **leave, void *enter): keeps this context's registers on its stack and its
 * stack pointer in *leave, and goes on in the context whose stack pointer is `enter`. Under call0 a
 * function keeps a0, a1 and a12 to a15 (context.h has the layout).
 */
    .section .text.context_switch, "ax"
    .align 4
    .global context_switch
    .type context_switch, @function
context_switch:
    addi    a1, a1, -32
    s32i    a0, a1, 0
    s32i    a12, a1, 4
    s32i    a13, a1, 8
    s32i    a14, a1, 12
    s32i    a15, a1, 16
    s32i    a1, a2, 0
    mov     a1, a3
    l32i    a0, a1, 0
    l32i    a12, a1, 4
    l32i    a13, a1, 8
    l32i    a14, a1, 12
    l32i    a15, a1, 16
    addi    a1, a1, 32
    ret
    .size context_switch, . - context_switch
