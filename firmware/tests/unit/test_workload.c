/* Payload, schedule and random numbers. */
#include "bench.h"
#include "core/app/workload.h"

static const char *payload(uint32_t seq, tw_time created, uint32_t size, const char *id) {
    static char text[TW_SEGMENT_MAX + 1];
    struct tw_message message = {.seq = seq, .size = size, .created_us = created};
    tw_payload_write(id, &message, 0, (uint8_t *)text, size);
    text[size] = 0;
    return text;
}

static void test_long_form(void **s) {
    assert_string_equal(payload(17, 20345678, 30, "board1"), "board1 17 20345678 ...........");
    assert_string_equal(payload(17, 20345678901, 24, "board1"), "board1 17 20345678901 ..");
    assert_string_equal(payload(17, 2034567890123, 24, "board1"), "board1 17 2034567890123 ");
    assert_string_equal(payload(17, 20345678901234, 24, "board1"), "board1 17 20345678901234");
}

static void test_compact_form(void **s) {
    assert_string_equal(payload(17, 99, 10, "board1"), "board1:17.");
    assert_string_equal(payload(17, 99, 23, "board1"), "board1:17..............");
    assert_string_equal(payload(12345, 99, 10, "board1"), "ard1:12345"); /* the id gives way */
    assert_string_equal(payload(4294967295, 99, 11, "b"), ":4294967295");
    assert_string_equal(payload(12345, 99, 4, "b"), ":345"); /* then the leading digits */
}

static void test_long_form_that_does_not_fit_becomes_compact(void **s) {
    assert_string_equal(payload(17, 203456789012345, 24, "board1"), "board1:17...............");
}

static void test_pieces_equal_the_whole(void **s) {
    char whole[101], pieces[101];
    struct tw_message message = {.seq = 7, .size = 100, .created_us = 123456};
    tw_payload_write("b", &message, 0, (uint8_t *)whole, 100);
    for (size_t at = 0; at < 100; at += 16)
        tw_payload_write("b", &message, at, (uint8_t *)pieces + at, at + 16 > 100 ? 100 - at : 16);
    assert_memory_equal(whole, pieces, 100);
}

static void test_reading_back(void **s) {
    struct tw_payload p;
    tw_payload_read(BYTES('b', 'o', 'a', 'r', 'd', '1', ' ', '1', '7', ' ', '2', '0', '3', '4', '5',
                          '6', '7', '8', '9', '0', '1', ' ', '.', '.'),
                    &p);
    assert_true(p.known);
    assert_string_equal(p.id, "board1");
    assert_int_equal(p.seq, 17);
    assert_int_equal(p.created_us, 20345678901);
    tw_payload_read(BYTES('b', 'o', 'a', 'r', 'd', '1', ':', '1', '7', '.'), &p);
    assert_true(p.known);
    assert_int_equal(p.seq, 17);
    assert_int_equal(p.created_us, 0);
}

static void test_foreign_payloads_are_not_known(void **s) {
    static const char *const foreign[] = {
        "",      "hello",           "a b",   "a 1",
        "a 1 x", "a 4294967296 1",  "a:",    "a 1 99999999999999999999",
        "::",    "Nov 20 15:22:30", "a:1 2", "a 1 2 x"};
    struct tw_payload p;
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        tw_payload_read((const uint8_t *)foreign[i], strlen(foreign[i]), &p);
        assert_false(p.known);
    }
}

static struct tw_schedule schedule(const char *text, tw_time now) {
    struct tw_config config;
    struct tw_schedule schedule;
    char key[32];
    tw_config_defaults(&config);
    assert_true(tw_config_parse(&config, text, key, sizeof key));
    tw_schedule_start(&schedule, &config, now);
    return schedule;
}

static void test_schedule_keeps_its_beat(void **s) {
    struct tw_schedule p = schedule("start_ms=500 interval_ms=100 messages=3", TW_SECONDS(1));
    assert_false(tw_schedule_take(&p, TW_MS(1499)));
    assert_true(tw_schedule_take(&p, TW_MS(1507))); /* 7 ms late */
    assert_int_equal(p.next, TW_MS(1600));          /* does not move the next one */
    assert_true(tw_schedule_take(&p, TW_MS(1750)));
    assert_true(tw_schedule_take(&p, TW_MS(1750))); /* catches up */
    assert_false(tw_schedule_take(&p, TW_MS(9999)));
    assert_true(tw_schedule_over(&p, TW_MS(1750)));
}

static void test_schedule_ends_with_its_duration(void **s) {
    struct tw_schedule p = schedule("interval_ms=400 duration_ms=1000", 0);
    for (int i = 0; i < 3; i++)
        assert_true(tw_schedule_take(&p, TW_MS(999)));
    assert_false(tw_schedule_take(&p, TW_MS(999)));
    assert_false(tw_schedule_over(&p, TW_MS(999)));
    assert_true(tw_schedule_over(&p, TW_MS(1000)));
}

static void test_schedule_waits_for_the_first_session(void **s) {
    struct tw_schedule p = schedule("interval_ms=400 duration_ms=1000", 0);
    tw_schedule_postpone(&p, TW_MS(300));
    assert_int_equal(p.next, TW_MS(300));
    assert_int_equal(p.end, TW_MS(1300));
    tw_schedule_take(&p, TW_MS(300));
    tw_schedule_postpone(&p, TW_MS(5000)); /* only before the first message */
    assert_int_equal(p.next, TW_MS(700));
}

static void test_random_repeats_with_its_seed_and_spreads(void **s) {
    struct tw_random a, b;
    uint32_t buckets[8] = {0};
    tw_random_seed(&a, 5);
    tw_random_seed(&b, 5);
    for (int i = 0; i < 8000; i++) {
        uint32_t value = tw_random_below(&a, 8);
        assert_int_equal(value, tw_random_below(&b, 8));
        buckets[value]++;
    }
    for (int i = 0; i < 8; i++)
        assert_in_range(buckets[i], 850, 1150); /* five standard deviations around 1000 */
    tw_random_seed(&b, 6);
    assert_int_not_equal(tw_random_next(&a), tw_random_next(&b));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_long_form),
        cmocka_unit_test(test_compact_form),
        cmocka_unit_test(test_long_form_that_does_not_fit_becomes_compact),
        cmocka_unit_test(test_pieces_equal_the_whole),
        cmocka_unit_test(test_reading_back),
        cmocka_unit_test(test_foreign_payloads_are_not_known),
        cmocka_unit_test(test_schedule_keeps_its_beat),
        cmocka_unit_test(test_schedule_ends_with_its_duration),
        cmocka_unit_test(test_schedule_waits_for_the_first_session),
        cmocka_unit_test(test_random_repeats_with_its_seed_and_spreads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
