/*
 * What the ESP8266 keeps over deep sleep (boards/esp8266/src/kept_run.h): the bytes in RTC memory
 * and in flash, and which of them are no run of this trial.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "boards/esp8266/src/kept_run.h"

static const char line[] = "nonce=cafe id=b proto=mqtt deep_sleep=1";
static const char other_line[] = "nonce=beef id=b proto=mqtt deep_sleep=1";

static uint32_t sum_of(const char *text) {
    return kept_checksum((const uint8_t *)text, strlen(text));
}

static struct kept_run a_run(void) {
    struct kept_run run = {.until = 0x0000000123456789u,
                           .channel = 6,
                           .bssid = {2, 0, 0, 0, 0, 0xaa},
                           .state = {1, 2, 3}};
    run.state[KEPT_RUN_STATE_BYTES - 1] = 9;
    return run;
}

static void test_the_checksum_is_that_of_ethernet(void **state) {
    (void)state;
    assert_int_equal(sum_of("123456789"), 0xCBF43926u); /* the check value of CRC-32 */
}

static void test_the_bytes_of_a_run(void **state) {
    (void)state;
    uint8_t memory[KEPT_RUN_BYTES];
    const struct kept_run run = a_run();
    kept_run_seal(memory, 0x11223344u, &run);
    assert_memory_equal(memory, "TWR1", 4);
    assert_memory_equal(memory + 8, "\x44\x33\x22\x11", 4);
    assert_memory_equal(memory + 12, "\x89\x67\x45\x23\x01\0\0\0", 8);
    assert_memory_equal(memory + 20, "\x06\x02\0\0\0\0\xaa", 7);
    assert_memory_equal(memory + 28, "\1\2\3", 3);
    assert_int_equal(memory[91], 9);
    assert_memory_equal(memory + 92, "\0\0\0\0", 4);
}

static void test_a_run_goes_on_with_its_own_line(void **state) {
    (void)state;
    uint8_t memory[KEPT_RUN_BYTES];
    const struct kept_run run = a_run();
    struct kept_run found = {0};
    kept_run_seal(memory, sum_of(line), &run);
    assert_true(kept_run_unseal(memory, sum_of(line), &found));
    assert_true(found.until == run.until);
    assert_int_equal(found.channel, 6);
    assert_memory_equal(found.bssid, run.bssid, sizeof run.bssid);
    assert_memory_equal(found.state, run.state, sizeof run.state);
}

static void test_the_run_of_another_trial_is_none(void **state) {
    (void)state;
    uint8_t memory[KEPT_RUN_BYTES];
    const struct kept_run run = a_run();
    struct kept_run found = {0};
    kept_run_seal(memory, sum_of(line), &run);
    assert_false(kept_run_unseal(memory, sum_of(other_line), &found));
    assert_int_equal(found.channel, 0); /* untouched */
}

static void test_each_damaged_bit_is_found(void **state) {
    (void)state;
    uint8_t memory[KEPT_RUN_BYTES];
    const struct kept_run run = a_run();
    struct kept_run found;
    kept_run_seal(memory, sum_of(line), &run);
    for (size_t bit = 0; bit < 8 * KEPT_RUN_BYTES; bit++) {
        memory[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_false(kept_run_unseal(memory, sum_of(line), &found));
        memory[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    assert_true(kept_run_unseal(memory, sum_of(line), &found));
}

/* RTC memory after power-on: arbitrary, and all zeros or ones as a case of that. */
static void test_memory_that_lost_its_power_has_no_run(void **state) {
    (void)state;
    uint8_t memory[KEPT_RUN_BYTES];
    struct kept_run found;
    for (int fill = 0; fill < 256; fill++) {
        memset(memory, fill, sizeof memory);
        assert_false(kept_run_unseal(memory, 0, &found));
        assert_false(kept_run_unseal(memory, 0x01010101u * (uint32_t)fill, &found));
    }
}

static void test_a_line_is_that_of_its_head(void **state) {
    (void)state;
    uint8_t head[KEPT_LINE_HEAD_BYTES];
    uint32_t sum = 0;
    size_t size = strlen(line);
    kept_line_seal(head, (const uint8_t *)line, size);
    assert_memory_equal(head, "TWL1\x27\0\0\0", 8);
    assert_true(kept_line_unseal(head, (const uint8_t *)line, size, &sum));
    assert_int_equal(sum, sum_of(line));
    assert_false(kept_line_unseal(head, (const uint8_t *)other_line, size, &sum));
    assert_false(kept_line_unseal(head, (const uint8_t *)line, size - 1, &sum)); /* another image */
}

/* An erased sector, and one whose write was cut by a loss of power. */
static void test_a_line_cut_short_is_none(void **state) {
    (void)state;
    uint8_t head[KEPT_LINE_HEAD_BYTES], cut[sizeof line];
    uint32_t sum;
    size_t size = strlen(line);
    memset(head, 0xFF, sizeof head);
    memset(cut, 0xFF, sizeof cut);
    assert_false(kept_line_unseal(head, cut, size, &sum));
    kept_line_seal(head, (const uint8_t *)line, size);
    for (size_t written = 0; written < size; written++) {
        memset(cut, 0xFF, sizeof cut);
        memcpy(cut, line, written);
        assert_false(kept_line_unseal(head, cut, size, &sum));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_checksum_is_that_of_ethernet),
        cmocka_unit_test(test_the_bytes_of_a_run),
        cmocka_unit_test(test_a_run_goes_on_with_its_own_line),
        cmocka_unit_test(test_the_run_of_another_trial_is_none),
        cmocka_unit_test(test_each_damaged_bit_is_found),
        cmocka_unit_test(test_memory_that_lost_its_power_has_no_run),
        cmocka_unit_test(test_a_line_is_that_of_its_head),
        cmocka_unit_test(test_a_line_cut_short_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
