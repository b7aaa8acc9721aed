/*
 * The division and multiplication helpers that the ESP8266 has in its mask ROM and that Debian's
 * libgcc for the LX106 therefore leaves out. Compilers call them by these names.
 */
#include <stdint.h>

/* libgcc's 64-bit long division, built on the 32-bit helpers below. */
uint64_t __udivmoddi4(uint64_t dividend, uint64_t divisor, uint64_t *remainder);

uint32_t __udivsi3(uint32_t dividend, uint32_t divisor);
uint32_t __umodsi3(uint32_t dividend, uint32_t divisor);
int32_t __divsi3(int32_t dividend, int32_t divisor);
uint64_t __udivdi3(uint64_t dividend, uint64_t divisor);
uint64_t __umoddi3(uint64_t dividend, uint64_t divisor);
int64_t __divdi3(int64_t dividend, int64_t divisor);
uint64_t __umulsidi3(uint32_t a, uint32_t b);
uint64_t __muldi3(uint64_t a, uint64_t b);

/* Leading zeros; the core has an instruction for it. */
static uint32_t leading_zeros(uint32_t value) {
    uint32_t zeros;
    __asm__("nsau %0, %1" : "=a"(zeros) : "a"(value));
    return zeros;
}

/* Shift and subtract, one quotient bit a turn. Division by zero is an illegal instruction, as in
 * the chip's ROM. */
static uint32_t divide(uint32_t dividend, uint32_t divisor, uint32_t *remainder) {
    if (!divisor)
        __asm__ volatile("ill");
    uint32_t quotient = 0;
    if (dividend >= divisor) {
        uint32_t shift = leading_zeros(divisor) - leading_zeros(dividend);
        divisor <<= shift;
        for (;;) {
            quotient <<= 1;
            if (dividend >= divisor) {
                dividend -= divisor;
                quotient |= 1u;
            }
            if (!shift--)
                break;
            divisor >>= 1;
        }
    }
    *remainder = dividend;
    return quotient;
}

uint32_t __udivsi3(uint32_t dividend, uint32_t divisor) {
    uint32_t remainder;
    return divide(dividend, divisor, &remainder);
}

uint32_t __umodsi3(uint32_t dividend, uint32_t divisor) {
    uint32_t remainder;
    divide(dividend, divisor, &remainder);
    return remainder;
}

static uint32_t magnitude(int32_t value) {
    return value < 0 ? 0u - (uint32_t)value : (uint32_t)value;
}

int32_t __divsi3(int32_t dividend, int32_t divisor) {
    uint32_t remainder;
    uint32_t quotient = divide(magnitude(dividend), magnitude(divisor), &remainder);
    return (int32_t)((dividend ^ divisor) < 0 ? 0u - quotient : quotient);
}

uint64_t __udivdi3(uint64_t dividend, uint64_t divisor) {
    return __udivmoddi4(dividend, divisor, 0);
}

uint64_t __umoddi3(uint64_t dividend, uint64_t divisor) {
    uint64_t remainder;
    __udivmoddi4(dividend, divisor, &remainder);
    return remainder;
}

int64_t __divdi3(int64_t dividend, int64_t divisor) {
    uint64_t a = dividend < 0 ? 0u - (uint64_t)dividend : (uint64_t)dividend;
    uint64_t b = divisor < 0 ? 0u - (uint64_t)divisor : (uint64_t)divisor;
    uint64_t quotient = __udivmoddi4(a, b, 0);
    return (int64_t)((dividend ^ divisor) < 0 ? 0u - quotient : quotient);
}

/* Schoolbook, in 16-bit halves: the core multiplies to 32 bits only. */
uint64_t __umulsidi3(uint32_t a, uint32_t b) {
    uint32_t a_low = a & 0xFFFFu, a_high = a >> 16, b_low = b & 0xFFFFu, b_high = b >> 16;
    uint32_t low = a_low * b_low;
    uint32_t middle_a = a_high * b_low, middle_b = a_low * b_high;
    uint32_t middle = (low >> 16) + (middle_a & 0xFFFFu) + (middle_b & 0xFFFFu);
    uint32_t high = a_high * b_high + (middle_a >> 16) + (middle_b >> 16) + (middle >> 16);
    return (uint64_t)high << 32 | (middle << 16 | (low & 0xFFFFu));
}

uint64_t __muldi3(uint64_t a, uint64_t b) {
    uint32_t a_low = (uint32_t)a, a_high = (uint32_t)(a >> 32);
    uint32_t b_low = (uint32_t)b, b_high = (uint32_t)(b >> 32);
    return __umulsidi3(a_low, b_low) + ((uint64_t)(a_low * b_high + a_high * b_low) << 32);
}
