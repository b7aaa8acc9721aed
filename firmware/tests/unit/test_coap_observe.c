/* CoAP client that observes (RFC 7641). */
#include "coap_bench.h"

static struct request observe(struct bench *b) {
    bench_start(b, "proto=coap topic=a role=subscribe");
    struct request r = take_request(b);
    const uint8_t expected[] = {0x60, 0x51, 'a'}; /* Observe 0 (empty), Uri-Path a */
    assert_memory_equal(r.data + 8, expected, 3);
    answer(b, &r, 0x60, 0x45, BYTES(0x61, 0x05, 0x60, 0xff, 'a')); /* Observe 5 */
    bench_expect_event(b, TW_EVENT_CONNECTED);
    bench_expect_received(b, "a");
    return r;
}

static void test_observing(void **s) {
    struct bench b;
    struct request r = observe(&b);
    r.mid[0] = 0x11;
    answer(&b, &r, 0x40, 0x45, BYTES(0x61, 0x06, 0x60, 0xff, 'b')); /* CON, Observe 6 */
    bench_expect_received(&b, "b");
    EXPECT(&b, 0x60, 0x00, 0x11, r.mid[1]);
}

static void test_notification_with_a_bad_option_is_reset(void **s) {
    struct bench b;
    struct request r = observe(&b);
    r.mid[0] = 0x11;
    answer(&b, &r, 0x40, 0x45, BYTES(0x61, 0x06, 0x31, 0x00, 0xff, 'b')); /* option 9 */
    EXPECT(&b, 0x70, 0x00, 0x11, r.mid[1]); /* which ends the observation (RFC 7641 section 3.6) */
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "bad_option");
    assert_true(b.engine->deadline(&b.state) == TW_NEVER);
}

static void test_old_notifications_are_dropped(void **s) {
    struct bench b;
    struct request r = observe(&b);
    r.mid[0] = 0x11;
    answer(&b, &r, 0x50, 0x45, BYTES(0x61, 0x04, 0x60, 0xff, 'b')); /* Observe 4 < 5 */
    bench_expect_no_event(&b);
    b.now += TW_SECONDS(129); /* after 128 s anything is newer (RFC 7641 section 3.4) */
    answer(&b, &r, 0x50, 0x45, BYTES(0x61, 0x03, 0x60, 0xff, 'c'));
    bench_expect_received(&b, "c");
}

static void test_observe_number_wraps(void **s) {
    struct bench b;
    struct request r = observe(&b);
    answer(&b, &r, 0x50, 0x45, BYTES(0x63, 0xff, 0xff, 0xff, 0x60, 0xff, 'b'));
    bench_expect_no_event(&b); /* 2^24 - 1 is older than 5 */
    answer(&b, &r, 0x50, 0x45, BYTES(0x63, 0x70, 0x00, 0x00, 0x60, 0xff, 'c'));
    bench_expect_received(&b, "c");
    answer(&b, &r, 0x50, 0x45, BYTES(0x63, 0xe0, 0x00, 0x00, 0x60, 0xff, 'd'));
    bench_expect_received(&b, "d");
    answer(&b, &r, 0x50, 0x45, BYTES(0x61, 0x01, 0x60, 0xff, 'e')); /* wrapped */
    bench_expect_received(&b, "e");
}

static void test_observation_is_refreshed_after_max_age(void **s) {
    struct bench b;
    struct request r = observe(&b);
    tw_time start = b.now;
    bench_sleep(&b);
    assert_in_range(b.now - start, TW_SECONDS(65), TW_SECONDS(75)); /* 60 s + 5 to 15 s */
    struct request again = take_request(&b);
    assert_memory_equal(again.token, r.token, 4); /* the same token (RFC 7641 section 3.3.1) */
    assert_int_equal(again.data[8], 0x60);
}

static void test_end_of_observation_is_an_error(void **s) {
    struct bench b;
    struct request r = observe(&b);
    answer(&b, &r, 0x50, 0x84, NULL, 0); /* 4.04 */
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "observation_ended");
}

static void test_resource_that_cannot_be_observed(void **s) {
    struct bench b;
    bench_start(&b, "proto=coap topic=a role=subscribe");
    struct request r = take_request(&b);
    answer(&b, &r, 0x60, 0x45, BYTES(0xc0, 0xff, 'a'));
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "not_observable");
}

static void test_notification_in_blocks_is_fetched(void **s) {
    struct bench b;
    struct request r = observe(&b);
    answer(&b, &r, 0x50, 0x45,
           BYTES(0x61, 0x06, 0x60, 0xb1, 0x08, 0xff, '0', '1', '2', '3', '4', '5', '6', '7', '8',
                 '9', 'a', 'b', 'c', 'd', 'e', 'f'));
    struct request fetch = take_request(&b);
    assert_int_equal(fetch.data[8], 0xb1); /* no Observe in the requests for the rest */
    answer(&b, &fetch, 0x60, 0x45, BYTES(0xc0, 0xb1, 0x10, 0xff, 'x', 'y', 'z'));
    bench_expect_received(&b, "0123456789abcdefxyz");
}

static void test_finish_cancels_the_observation(void **s) {
    struct bench b;
    observe(&b);
    b.engine->finish(&b.state, b.now);
    struct request r = take_request(&b);
    assert_memory_equal(r.data + 8, ((uint8_t[]){0x61, 0x01, 0x51}), 3); /* Observe 1 */
    bench_expect_event(&b, TW_EVENT_CLOSE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_notification_with_a_bad_option_is_reset),
        cmocka_unit_test(test_observing),
        cmocka_unit_test(test_old_notifications_are_dropped),
        cmocka_unit_test(test_observe_number_wraps),
        cmocka_unit_test(test_observation_is_refreshed_after_max_age),
        cmocka_unit_test(test_end_of_observation_is_an_error),
        cmocka_unit_test(test_resource_that_cannot_be_observed),
        cmocka_unit_test(test_notification_in_blocks_is_fetched),
        cmocka_unit_test(test_finish_cancels_the_observation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
