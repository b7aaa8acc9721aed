/*
 * uint32_t __wrap___udivsi3(uint32_t dividend, uint32_t divisor): shift and subtract, one bit of the quotient a turn, as
 * the chip's ROM does it (libgcc's lib1funcs.S for Xtensa, which has no loop instruction here): five instructions for a
 * bit that is 0, seven for one that is 1. The board's own (rom_div.c) takes more, and every byte that PubSubClient reads
 * needs a division, in millis().
 */
    .section .text.__wrap___udivsi3, "ax"
    .align 4
    .global __wrap___udivsi3
    .type __wrap___udivsi3, @function
__wrap___udivsi3:
    bltui   a3, 2, .Lone_or_none
    mov     a6, a2
    nsau    a5, a2
    nsau    a4, a3
    bgeu    a5, a4, .Lone_bit
    sub     a4, a4, a5
    ssl     a4
    sll     a3, a3
    movi    a2, 0
.Lbit:
    bltu    a6, a3, .Lnext
    sub     a6, a6, a3
    addi    a2, a2, 1
.Lnext:
    slli    a2, a2, 1
    srli    a3, a3, 1
    addi    a4, a4, -1
    bnez    a4, .Lbit
    bltu    a6, a3, .Ldone
    addi    a2, a2, 1
.Ldone:
    ret
.Lone_bit:
    movi    a2, 0
    bltu    a6, a3, .Ldone
    movi    a2, 1
    ret
.Lone_or_none:
    beqz    a3, .Lnone
    ret
.Lnone:
    ill
    .size __wrap___udivsi3, . - __wrap___udivsi3
