/*
 * The LX106's clock (boards/lx106/src/clock.c) over a cycle counter that the test sets.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Instead of the processor's and the FPGA board's headers. */
#define CPU_H
#define XTFPGA_H
#define XTFPGA_CLOCK_HZ 40000000u

static uint32_t counter;

static uint32_t cpu_cycles(void) {
    return counter;
}

static uint32_t cpu_lock(void) {
    return 0;
}

static void cpu_unlock(uint32_t ps) {
    (void)ps;
}

#include "boards/lx106/src/clock.c"

/* Lets a second pass in uneven steps; returns by how much the clock went on, us. */
static uint64_t second_of_clock(void) {
    uint64_t before = clock_us();
    for (uint32_t left = 40000000u, step = 7; left; left -= step) {
        step = step * 3u % 99991u + 1u;
        if (step > left)
            step = left;
        counter += step;
        clock_us();
    }
    return clock_us() - before;
}

static void test_a_second_is_a_second(void **s) {
    (void)s;
    clock_slow(0);
    assert_int_equal(second_of_clock(), 1000000);
    assert_int_equal(clock_cycles(1000000), 40000000);
}

static void test_a_slow_clock_counts_less(void **s) {
    (void)s;
    clock_slow(590); /* one in 1694 is not counted */
    uint64_t passed = 0;
    for (unsigned i = 0; i < 10; i++)
        passed += second_of_clock();
    assert_in_range(passed, 10000000 - 5904, 10000000 - 5903);
    clock_slow(0);
}

/* An alarm rings when the slow clock shows its time, neither early nor a thousandth late. */
static void test_an_alarm_is_as_late_as_the_clock(void **s) {
    (void)s;
    clock_slow(10000);
    uint64_t before = clock_us();
    counter += clock_cycles(500000);
    assert_in_range(clock_us() - before, 500000 - 1, 500000 + 1);
    clock_slow(0);
}

static void test_milliseconds_are_those_of_the_same_clock(void **s) {
    (void)s;
    clock_slow(10000);
    uint32_t before = clock_ms();
    second_of_clock();
    assert_in_range(clock_ms() - before, 989, 991);
    clock_slow(0);
}

static void test_units_are_those_of_a_division(void **s) {
    (void)s;
    const uint32_t sizes[] = {2, 3, 40, 80, 999, 1000, 1694, 65535, 65536, 65537, 4000000000u};
    const uint32_t near[] = {0, 1, 39, 40, 65535, 65536, 1u << 24, 4294967000u, 4294967295u};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const struct unit unit = {sizes[i], 0xFFFFFFFFu / sizes[i]};
        for (size_t k = 0; k < 100000; k++) {
            uint32_t count = k < sizeof near / sizeof *near ? near[k] : (uint32_t)k * 2654435761u;
            uint32_t rest = count;
            assert_int_equal(remove_units(&rest, unit), count / sizes[i]);
            assert_int_equal(rest, count % sizes[i]);
        }
    }
}

static int start(void **s) {
    (void)s;
    clock_start();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_second_is_a_second),
        cmocka_unit_test(test_a_slow_clock_counts_less),
        cmocka_unit_test(test_an_alarm_is_as_late_as_the_clock),
        cmocka_unit_test(test_milliseconds_are_those_of_the_same_clock),
        cmocka_unit_test(test_units_are_those_of_a_division),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
