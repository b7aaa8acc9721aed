/* Knock (knock.h). */
#include "bench.h"

static void start(struct bench *b) {
    bench_start(b, "proto=knock");
    bench_expect_event(b, TW_EVENT_CONNECTED);
}

static void test_message_bytes(void **s) {
    struct bench b;
    start(&b);
    assert_int_equal(bench_publish(&b, 7, 6), TW_PUBLISHED);
    EXPECT(&b, 't', 'w', ':', '7', '.', '.'); /* the payload */
    bench_expect_silence(&b);
    assert_true(b.engine->idle(&b.state));
}

static void test_one_datagram_at_a_time(void **s) {
    struct bench b;
    start(&b);
    bench_publish(&b, 1, 4);
    assert_int_equal(bench_publish(&b, 2, 4), TW_BUSY);
    bench_skip(&b);
    assert_int_equal(bench_publish(&b, 2, 4), TW_PUBLISHED);
}

static void test_nothing_leaves_without_a_socket(void **s) {
    struct bench b;
    start(&b);
    bench_close(&b);
    assert_int_equal(bench_publish(&b, 1, 4), TW_OFFLINE);
    bench_expect_silence(&b);
}

static void test_too_large_a_message_is_refused(void **s) {
    struct bench b;
    start(&b);
    assert_int_equal(bench_publish(&b, 1, TW_SEGMENT_MAX + 1), TW_UNSUPPORTED);
}

static void test_other_roles_are_refused(void **s) {
    struct bench b;
    assert_string_equal(bench_init(&b, "proto=knock role=serve"), "role");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_message_bytes),
        cmocka_unit_test(test_one_datagram_at_a_time),
        cmocka_unit_test(test_nothing_leaves_without_a_socket),
        cmocka_unit_test(test_too_large_a_message_is_refused),
        cmocka_unit_test(test_other_roles_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
