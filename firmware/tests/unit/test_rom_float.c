/*
 * The LX106's arithmetic of floating point (boards/lx106/runtime/rom_float.c) against the host's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* By other names than the host's compiler calls. */
#define __adddf3 own_adddf3
#define __subdf3 own_subdf3
#define __muldf3 own_muldf3
#define __divdf3 own_divdf3
#define __addsf3 own_addsf3
#define __subsf3 own_subsf3
#define __mulsf3 own_mulsf3
#define __extendsfdf2 own_extendsfdf2
#define __truncdfsf2 own_truncdfsf2
#define __fixdfsi own_fixdfsi
#define __fixunsdfsi own_fixunsdfsi
#define __fixunssfsi own_fixunssfsi
#define __floatsidf own_floatsidf
#define __floatunsidf own_floatunsidf
#define __floatsisf own_floatsisf
#define __floatunsisf own_floatunsisf
#include "boards/lx106/runtime/rom_float.c"

#define DRAWS 200000

static uint64_t state;

/* xorshift64 (Marsaglia 2003) */
static uint64_t draw(void) {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static int fresh(void **unused) {
    (void)unused;
    state = 88172645463325252u;
    return 0;
}

/* Any double: subnormal ones, some near 1, and the ends of the range are frequent. */
static double any_double(void) {
    static const uint64_t ends[] = {0, SIGN,       INFINITE, SIGN | INFINITE, NO_NUMBER,
                                    1, HIDDEN - 1, HIDDEN,   INFINITE - 1,    0x3FF0000000000000u};
    uint64_t bits = draw(), kind = draw() % 6, fraction = bits & (SIGN | (HIDDEN - 1));
    switch (kind) {
    case 0:
        return value_of(fraction);
    case 1:
        return value_of(fraction | (uint64_t)(993 + draw() % 60) << 52);
    case 2:
        return value_of(ends[draw() % (sizeof ends / sizeof *ends)]);
    default:
        return value_of(bits);
    }
}

static float any_float(void) {
    uint32_t bits = (uint32_t)draw();
    if (draw() % 4 == 0)
        bits &= 0x807FFFFFu;
    return (union bits32){.bits = bits}.value;
}

static void same(double own, double host) {
    if (own != own && host != host)
        return; /* which NaN is not defined */
    assert_int_equal(bits_of(own), bits_of(host));
}

static void test_doubles(void **unused) {
    (void)unused;
    for (int i = 0; i < DRAWS; i++) {
        volatile double a = any_double(), b = any_double();
        same(own_adddf3(a, b), a + b);
        same(own_subdf3(a, b), a - b);
        same(own_muldf3(a, b), a * b);
        if (b != 0)
            same(own_divdf3(a, b), a / b);
    }
}

static void test_division_by_zero(void **unused) {
    (void)unused;
    same(own_divdf3(1, 0), value_of(INFINITE));
    same(own_divdf3(-1, 0), value_of(SIGN | INFINITE));
    same(own_divdf3(0, 0), value_of(NO_NUMBER));
}

static void test_floats(void **unused) {
    (void)unused;
    for (int i = 0; i < DRAWS; i++) {
        volatile float a = any_float(), b = any_float();
        same((double)own_addsf3(a, b), (double)(a + b));
        same((double)own_subsf3(a, b), (double)(a - b));
        same((double)own_mulsf3(a, b), (double)(a * b));
        same(own_extendsfdf2(a), (double)a);
    }
}

static void test_conversions(void **unused) {
    (void)unused;
    for (int i = 0; i < DRAWS; i++) {
        volatile int32_t number = (int32_t)draw() >> draw() % 31;
        volatile uint32_t natural = (uint32_t)draw() >> draw() % 31;
        same(own_floatsidf(number), (double)number);
        same(own_floatunsidf(natural), (double)natural);
        same((double)own_floatsisf(number), (double)(float)number);
        same((double)own_floatunsisf(natural), (double)(float)natural);
        volatile double part = number / 3.0, whole = natural / 1.5;
        assert_int_equal(own_fixdfsi(part), (int32_t)part);
        assert_int_equal(own_fixunsdfsi(whole), (uint32_t)whole);
        assert_int_equal(own_fixunssfsi((float)(natural >> 8)), natural >> 8);
        volatile double narrowed = any_double();
        if (narrowed > -3.0e38 && narrowed < 3.0e38)
            same((double)own_truncdfsf2(narrowed), (double)(float)narrowed);
    }
    same((double)own_truncdfsf2(1e300), value_of(INFINITE));
    same((double)own_truncdfsf2(value_of(NO_NUMBER)), value_of(NO_NUMBER));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_doubles, fresh),
        cmocka_unit_test(test_division_by_zero),
        cmocka_unit_test_setup(test_floats, fresh),
        cmocka_unit_test_setup(test_conversions, fresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
