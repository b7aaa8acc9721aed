/*
 * The arithmetic of floating point that the ESP8266 has in its mask ROM, and that Debian's libgcc
 * for the LX106 therefore lacks: IEEE 754, rounded to nearest, ties to even. Compilers call these
 * functions by their names.
 *
 * float is computed as double and rounded once more, which gives the same result: 53 bits are at
 * least 2 * 24 + 2.
 */
#include <stdint.h>

double __adddf3(double a, double b);
double __subdf3(double a, double b);
double __muldf3(double a, double b);
double __divdf3(double a, double b);
float __addsf3(float a, float b);
float __subsf3(float a, float b);
float __mulsf3(float a, float b);
double __extendsfdf2(float value);
float __truncdfsf2(double value);
int32_t __fixdfsi(double value);
uint32_t __fixunsdfsi(double value);
uint32_t __fixunssfsi(float value);
double __floatsidf(int32_t value);
double __floatunsidf(uint32_t value);
float __floatsisf(int32_t value);
float __floatunsisf(uint32_t value);

#define SIGN 0x8000000000000000u
#define INFINITE 0x7FF0000000000000u
#define NO_NUMBER 0x7FF8000000000000u
#define HIDDEN 0x0010000000000000u /* the first bit of a normal number, which is not stored */

/* A number m * 2^(e - EXTRA), with EXTRA bits below the last one of a double: the last of them is
 * set where anything below was lost. */
#define EXTRA 10
struct number {
    uint64_t m;
    int32_t e; /* of the double's last bit, biased so that 1 is that of the smallest number */
};

union bits64 {
    double value;
    uint64_t bits;
};
union bits32 {
    float value;
    uint32_t bits;
};

static uint64_t bits_of(double value) {
    return (union bits64){.value = value}.bits;
}

static double value_of(uint64_t bits) {
    return (union bits64){.bits = bits}.value;
}

static struct number split(uint64_t magnitude) {
    int32_t e = (int32_t)(magnitude >> 52);
    uint64_t m = magnitude & (HIDDEN - 1u);
    return (struct number){.m = (e ? m | HIDDEN : m) << EXTRA, .e = e ? e : 1};
}

/* `m` shifted by `count` bits to the right; what falls out stays visible in the last bit. */
static uint64_t shifted(uint64_t m, int32_t count) {
    if (count > 63)
        return m != 0;
    return m >> count | ((m & ((UINT64_C(1) << count) - 1u)) != 0);
}

/* The double of `sign` and n, whose m has its first bit anywhere. */
static double rounded(uint64_t sign, struct number n) {
    if (!n.m)
        return value_of(sign);
    while (n.m >> (53 + EXTRA)) {
        n.m = shifted(n.m, 1);
        n.e++;
    }
    while (!(n.m >> (52 + EXTRA)) && n.e > 1) {
        n.m <<= 1;
        n.e--;
    }
    if (n.e < 1) {
        n.m = shifted(n.m, 1 - n.e);
        n.e = 1;
    }
    uint64_t rest = n.m & ((1u << EXTRA) - 1u), m = n.m >> EXTRA;
    m += rest > 1u << (EXTRA - 1) || (rest == 1u << (EXTRA - 1) && (m & 1u));
    if (n.e >= 2047 || (n.e == 2046 && m >> 53))
        return value_of(sign | INFINITE);
    /* A carry out of the fraction counts up the exponent. */
    return value_of(sign | ((m & HIDDEN || m >> 53 ? (uint64_t)(n.e - 1) << 52 : 0) + m));
}

double __adddf3(double a, double b) {
    uint64_t x = bits_of(a), y = bits_of(b);
    if ((x & ~SIGN) < (y & ~SIGN)) {
        uint64_t swapped = x;
        x = y;
        y = swapped;
    }
    uint64_t sign = x & SIGN, large = x & ~SIGN, small = y & ~SIGN, opposite = (x ^ y) & SIGN;
    if (large > INFINITE || (small == INFINITE && opposite))
        return value_of(NO_NUMBER);
    if (large == INFINITE)
        return value_of(x);
    struct number n = split(large), other = split(small);
    other.m = shifted(other.m, n.e - other.e);
    n.m = opposite ? n.m - other.m : n.m + other.m;
    return rounded(n.m || !opposite ? sign : 0, n);
}

double __subdf3(double a, double b) {
    return __adddf3(a, value_of(bits_of(b) ^ SIGN));
}

/* The upper 64 bits of a product, with the last bit set where the lower ones are not all 0. */
static uint64_t high_product(uint64_t a, uint64_t b) {
    uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    uint64_t low = al * bl, middle = al * bh + (low >> 32), cross = ah * bl + (uint32_t)middle;
    uint64_t lost = (uint32_t)low | (uint32_t)cross;
    return (ah * bh + (middle >> 32) + (cross >> 32)) | (lost != 0);
}

double __muldf3(double a, double b) {
    uint64_t sign = (bits_of(a) ^ bits_of(b)) & SIGN;
    uint64_t x = bits_of(a) & ~SIGN, y = bits_of(b) & ~SIGN;
    if (x > INFINITE || y > INFINITE || (x == INFINITE && !y) || (y == INFINITE && !x))
        return value_of(NO_NUMBER);
    if (x == INFINITE || y == INFINITE)
        return value_of(sign | INFINITE);
    struct number p = split(x), q = split(y);
    /* Subnormal numbers first become long enough for the product to hold all of their bits. */
    for (; p.m && !(p.m >> 62); p.e--)
        p.m <<= 1;
    for (; q.m && !(q.m >> 62); q.e--)
        q.m <<= 1;
    return rounded(sign, (struct number){.m = high_product(p.m, q.m), .e = p.e + q.e - 1021});
}

double __divdf3(double a, double b) {
    uint64_t sign = (bits_of(a) ^ bits_of(b)) & SIGN;
    uint64_t x = bits_of(a) & ~SIGN, y = bits_of(b) & ~SIGN;
    if (x > INFINITE || y > INFINITE || (x == INFINITE && y == INFINITE) || (!x && !y))
        return value_of(NO_NUMBER);
    if (x == INFINITE || !y)
        return value_of(sign | INFINITE);
    if (!x || y == INFINITE)
        return value_of(sign);
    struct number n = split(x), d = split(y);
    for (; !(n.m >> 62); n.e--)
        n.m <<= 1;
    for (; !(d.m >> 62); d.e--)
        d.m <<= 1;
    uint64_t quotient = 0, rest = n.m;
    for (int i = 0; i < 63; i++) {
        quotient = quotient << 1 | (rest >= d.m);
        rest = (rest >= d.m ? rest - d.m : rest) << 1;
    }
    return rounded(sign, (struct number){.m = quotient | (rest != 0), .e = n.e - d.e + 1023});
}

double __extendsfdf2(float value) {
    uint32_t bits = (union bits32){.value = value}.bits, e = bits >> 23 & 255u;
    uint64_t sign = (uint64_t)(bits >> 31) << 63, m = (uint64_t)(bits & 0x7FFFFFu) << 29;
    if (e == 255u)
        return value_of(m ? NO_NUMBER : sign | INFINITE);
    if (e)
        return value_of(sign | ((uint64_t)(e + 896u) << 52) | m);
    return rounded(sign, (struct number){.m = m << EXTRA, .e = 897});
}

float __truncdfsf2(double value) {
    uint64_t bits = bits_of(value), magnitude = bits & ~SIGN;
    uint32_t sign = (uint32_t)(bits >> 63) << 31;
    if (magnitude >= INFINITE)
        return (union bits32){.bits = magnitude > INFINITE ? 0x7FC00000u : sign | 0x7F800000u}
            .value;
    struct number n = split(magnitude);
    int32_t e = n.e - 896;
    uint64_t m = shifted(n.m, e < 1 ? 1 - e : 0);
    e = e < 1 ? 1 : e;
    uint64_t rest = m & ((UINT64_C(1) << (EXTRA + 29)) - 1u), half = UINT64_C(1) << (EXTRA + 28);
    uint32_t out = (uint32_t)(m >> (EXTRA + 29));
    out += rest > half || (rest == half && (out & 1u));
    if (out >> 23)
        out += (uint32_t)(e - 1) << 23;
    if (e >= 255 || out >= 0x7F800000u)
        out = 0x7F800000u;
    return (union bits32){.bits = sign | out}.value;
}

float __addsf3(float a, float b) {
    return __truncdfsf2(__adddf3(__extendsfdf2(a), __extendsfdf2(b)));
}

float __subsf3(float a, float b) {
    return __truncdfsf2(__subdf3(__extendsfdf2(a), __extendsfdf2(b)));
}

float __mulsf3(float a, float b) {
    return __truncdfsf2(__muldf3(__extendsfdf2(a), __extendsfdf2(b)));
}

/* Towards zero; what is out of range has no defined result. */
uint32_t __fixunsdfsi(double value) {
    uint64_t magnitude = bits_of(value) & ~SIGN;
    int32_t e = (int32_t)(magnitude >> 52) - 1023;
    if (e < 0)
        return 0;
    uint64_t m = (magnitude & (HIDDEN - 1u)) | HIDDEN;
    return (uint32_t)(e < 52 ? m >> (52 - e) : m << (e - 52 < 11 ? e - 52 : 11));
}

int32_t __fixdfsi(double value) {
    uint32_t magnitude = __fixunsdfsi(value);
    return (int32_t)(bits_of(value) & SIGN ? 0u - magnitude : magnitude);
}

uint32_t __fixunssfsi(float value) {
    return __fixunsdfsi(__extendsfdf2(value));
}

double __floatunsidf(uint32_t value) {
    return rounded(0, (struct number){.m = (uint64_t)value << EXTRA, .e = 1075});
}

double __floatsidf(int32_t value) {
    uint32_t magnitude = value < 0 ? 0u - (uint32_t)value : (uint32_t)value;
    uint64_t sign = value < 0 ? SIGN : 0;
    return rounded(sign, (struct number){.m = (uint64_t)magnitude << EXTRA, .e = 1075});
}

float __floatsisf(int32_t value) {
    return __truncdfsf2(__floatsidf(value));
}

float __floatunsisf(uint32_t value) {
    return __truncdfsf2(__floatunsidf(value));
}
