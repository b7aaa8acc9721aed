/* CoAP server: RFC 7252 sections 4 and 5, Observe (RFC 7641), block-wise (RFC 7959). */
#include "bench.h"

#define GET_A 0x41, 0x01, 0x12, 0x34, 0x77, 0xb1, 'a' /* CON GET /a, message 1234, token 77 */
#define CLIENT 0x0a000002u, 40000

static void serve(struct bench *b, const char *config) {
    char text[256];
    bench_join(text, "proto=coap role=serve topic=a payload_bytes=6 ", config);
    bench_start(b, text);
    bench_expect_event(b, TW_EVENT_CONNECTED);
}

static void ask(struct bench *b, const void *data, size_t size) {
    bench_feed_from(b, CLIENT, data, size);
}

#define ASK(bench, ...) ask((bench), BYTES(__VA_ARGS__))

static void test_get_is_answered_piggybacked(void **s) {
    struct bench b;
    serve(&b, "");
    ASK(&b, GET_A);
    EXPECT(&b, 0x61, 0x45, 0x12, 0x34, 0x77, /* ACK, 2.05, same message and token */
           0xc0,                             /* Content-Format text/plain */
           0xff, 't', 'w', ':', '0', '.', '.');
    bench_expect_message(&b, TW_EVENT_SERVED, 0, NULL);
    bench_expect_silence(&b);
}

static void test_answer_goes_to_the_asker(void **s) {
    struct bench b;
    struct tw_output out;
    serve(&b, "");
    ASK(&b, GET_A);
    assert_true(b.engine->output(&b.state, b.now, 0, &out));
    assert_int_equal(out.to.address, 0x0a000002);
    assert_int_equal(out.to.port, 40000);
}

static void test_non_get_is_answered_non(void **s) {
    struct bench b;
    uint8_t data[64];
    serve(&b, "");
    ASK(&b, 0x51, 0x01, 0x12, 0x34, 0x77, 0xb1, 'a');
    bench_take(&b, data, sizeof data);
    assert_int_equal(data[0], 0x51);
    assert_int_equal(data[1], 0x45);
    assert_int_equal(data[4], 0x77);
}

static void test_repeated_request_gets_the_same_answer_once(void **s) {
    struct bench b;
    uint8_t first[64], second[64];
    serve(&b, "");
    ASK(&b, GET_A);
    size_t size = bench_take(&b, first, sizeof first);
    b.now += TW_SECONDS(2);
    ASK(&b, GET_A);
    assert_int_equal(bench_take(&b, second, sizeof second), size);
    assert_memory_equal(first, second, size);
    bench_expect_message(&b, TW_EVENT_SERVED, 0, NULL);
    bench_expect_no_event(&b); /* served once (section 4.5) */
}

static void test_same_message_id_of_another_client_is_new(void **s) {
    struct bench b;
    serve(&b, "");
    ASK(&b, GET_A);
    bench_feed_from(&b, 0x0a000003, 40000, BYTES(GET_A));
    bench_expect_message(&b, TW_EVENT_SERVED, 0, NULL);
    bench_expect_message(&b, TW_EVENT_SERVED, 1, NULL);
}

static void test_message_id_is_free_after_exchange_lifetime(void **s) {
    struct bench b;
    serve(&b, "");
    ASK(&b, GET_A);
    b.now += TW_SECONDS(248);
    ASK(&b, GET_A);
    bench_expect_message(&b, TW_EVENT_SERVED, 0, NULL);
    bench_expect_message(&b, TW_EVENT_SERVED, 1, NULL);
}

static void test_post_is_received_and_changed(void **s) {
    struct bench b;
    serve(&b, "");
    ASK(&b, 0x40, 0x02, 0x12, 0x34, 0xb1, 'a', 0xff, 'h', 'i');
    bench_expect_received(&b, "hi");
    EXPECT(&b, 0x60, 0x44, 0x12, 0x34); /* 2.04 */
    ASK(&b, 0x40, 0x02, 0x12, 0x34, 0xb1, 'a', 0xff, 'h', 'i');
    EXPECT(&b, 0x60, 0x44, 0x12, 0x34);
    bench_expect_no_event(&b); /* the repetition has no second effect */
}

static void test_errors(void **s) {
    struct bench b;
    serve(&b, "");
    ASK(&b, 0x40, 0x01, 0, 1, 0xb1, 'b');
    EXPECT(&b, 0x60, 0x84, 0, 1); /* 4.04: no such resource */
    ASK(&b, 0x40, 0x04, 0, 2, 0xb1, 'a');
    EXPECT(&b, 0x60, 0x85, 0, 2); /* 4.05: DELETE */
    ASK(&b, 0x40, 0x01, 0, 3, 0x90, 0x21, 'a');
    EXPECT(&b, 0x60, 0x82, 0, 3); /* 4.02: critical option 9 (section 5.4.1) */
    ASK(&b, 0x40, 0x01, 0, 4, 0xb1, 'a', 0x61, 60);
    EXPECT(&b, 0x60, 0x86, 0, 4); /* 4.06: Accept CBOR */
    bench_expect_no_event(&b);
}

static void test_bad_option_in_a_non_is_ignored(void **s) {
    struct bench b;
    serve(&b, "");
    ASK(&b, 0x50, 0x01, 0, 1, 0x90, 0x21, 'a'); /* rejected: sections 5.4.1 and 4.3 */
    bench_expect_silence(&b);
    bench_expect_no_event(&b);
}

static void test_options_that_come_twice_or_have_a_wrong_length(void **s) {
    struct bench b;
    serve(&b, "");
    ASK(&b, 0x40, 0x01, 0, 1, 0xb1, 'a', 0x60, 0x00); /* Accept twice (section 5.4.5) */
    EXPECT(&b, 0x60, 0x82, 0, 1);
    ASK(&b, 0x40, 0x01, 0, 2, 0x30, 0x81, 'a'); /* an empty Uri-Host (sections 5.4.3, 5.10) */
    EXPECT(&b, 0x60, 0x82, 0, 2);
    ASK(&b, 0x40, 0x01, 0, 3, 0x73, 1, 2, 3, 0x41, 'a'); /* Uri-Port of three bytes */
    EXPECT(&b, 0x60, 0x82, 0, 3);
    bench_expect_no_event(&b);
    ASK(&b, 0x40, 0x01, 0, 4, 0x61, 0x02, 0x01, 0x00, 0x51,
        'a'); /* Observe 2, 0: the first counts */
    bench_expect_message(&b, TW_EVENT_SERVED, 0, NULL);
    assert_int_equal(bench_publish(&b, 9, 6), TW_UNWANTED);
}

static void test_proxying_is_not_supported(void **s) {
    struct bench b;
    serve(&b, "");
    ASK(&b, 0x40, 0x01, 0, 1, 0xb1, 'a', 0xd4, 11, 'c', 'o', 'a', 'p'); /* Proxy-Uri */
    EXPECT(&b, 0x60, 0xa5, 0, 1);                                       /* 5.05 */
    ASK(&b, 0x40, 0x01, 0, 2, 0xb1, 'a', 0xd4, 15, 'c', 'o', 'a', 'p'); /* Proxy-Scheme */
    EXPECT(&b, 0x60, 0xa5, 0, 2);
    bench_expect_no_event(&b);
}

static void test_elective_option_is_ignored(void **s) {
    struct bench b;
    serve(&b, "");
    ASK(&b, 0x40, 0x01, 0, 1, 0x80, 0x31, 'a'); /* option 8 */
    bench_expect_message(&b, TW_EVENT_SERVED, 0, NULL);
}

static void test_discovery(void **s) {
    struct bench b;
    serve(&b, "");
    ask(&b, TEXT("\x40\x01\x12\x34\xbb.well-known\x04"
                 "core"));
    bench_expect(&b, TEXT("\x60\x45\x12\x34\xc1\x28\xff</a>;ct=0;obs")); /* RFC 6690 */
}

static void test_ping_is_reset(void **s) {
    struct bench b;
    serve(&b, "");
    ASK(&b, 0x40, 0x00, 0x12, 0x34);
    EXPECT(&b, 0x70, 0x00, 0x12, 0x34);
}

static void test_separate_response(void **s) {
    struct bench b;
    uint8_t data[64], again[64];
    serve(&b, "separate_ms=500");
    ASK(&b, GET_A);
    EXPECT(&b, 0x60, 0x00, 0x12, 0x34); /* empty ACK at once */
    bench_expect_silence(&b);
    ASK(&b, GET_A);
    EXPECT(&b, 0x60, 0x00, 0x12, 0x34); /* and for a repetition */
    bench_wait(&b, TW_MS(500));
    size_t size = bench_take(&b, data, sizeof data);
    assert_int_equal(data[0], 0x41); /* CON with the token of the request */
    assert_int_equal(data[1], 0x45);
    assert_int_equal(data[4], 0x77);
    bench_wait(&b, TW_SECONDS(3)); /* unacknowledged: repeated */
    assert_int_equal(bench_take(&b, again, sizeof again), size);
    assert_memory_equal(data, again, size);
    ASK(&b, 0x60, 0x00, data[2], data[3]);
    assert_true(b.engine->deadline(&b.state) == TW_NEVER);
}

static void test_observers_are_notified(void **s) {
    struct bench b;
    uint8_t data[64];
    serve(&b, "confirmable=0");
    assert_int_equal(bench_publish(&b, 1, 6), TW_UNWANTED); /* nobody observes */
    ASK(&b, 0x41, 0x01, 0x12, 0x34, 0x77, 0x60, 0x51, 'a');
    EXPECT(&b, 0x61, 0x45, 0x12, 0x34, 0x77, 0x61, 0x01, /* Observe 1 */
           0x60, 0xff, 't', 'w', ':', '0', '.', '.');
    assert_int_equal(bench_publish(&b, 9, 6), TW_PUBLISHED);
    bench_take(&b, data, sizeof data);
    assert_memory_equal(data, ((uint8_t[]){0x51, 0x45}), 2); /* NON 2.05 */
    assert_memory_equal(
        data + 4, ((uint8_t[]){0x77, 0x61, 0x02, 0x60, 0xff, 't', 'w', ':', '9', '.', '.'}), 11);
    bench_publish(&b, 10, 6);
    bench_take(&b, data, sizeof data);
    assert_memory_equal(data + 4, ((uint8_t[]){0x77, 0x61, 0x03}), 3); /* Observe 3 */
}

static void test_confirmable_notification_is_repeated_then_observer_forgotten(void **s) {
    struct bench b;
    uint8_t data[64];
    serve(&b, "confirmable=1");
    ASK(&b, 0x41, 0x01, 0x12, 0x34, 0x77, 0x60, 0x51, 'a');
    bench_take(&b, data, sizeof data);
    bench_publish(&b, 9, 6);
    for (int i = 0; i < 5; i++) {
        bench_take(&b, data, sizeof data);
        assert_int_equal(data[0], 0x41);
        bench_sleep(&b);
    }
    assert_int_equal(bench_publish(&b, 10, 6), TW_UNWANTED); /* RFC 7641 section 4.5 */
}

static void test_reset_ends_the_observation(void **s) {
    struct bench b;
    uint8_t data[64];
    serve(&b, "confirmable=0");
    ASK(&b, 0x41, 0x01, 0x12, 0x34, 0x77, 0x60, 0x51, 'a');
    bench_take(&b, data, sizeof data);
    bench_publish(&b, 9, 6);
    bench_take(&b, data, sizeof data);
    ASK(&b, 0x70, 0x00, data[2], data[3]);
    assert_int_equal(bench_publish(&b, 10, 6), TW_UNWANTED);
}

static void test_deregistration(void **s) {
    struct bench b;
    serve(&b, "");
    ASK(&b, 0x41, 0x01, 0x12, 0x34, 0x77, 0x60, 0x51, 'a');
    ASK(&b, 0x41, 0x01, 0x12, 0x35, 0x77, 0x61, 0x01, 0x51, 'a'); /* Observe 1 */
    assert_int_equal(bench_publish(&b, 10, 6), TW_UNWANTED);
}

static void test_download_in_blocks_of_the_same_representation(void **s) {
    struct bench b;
    serve(&b, "payload_bytes=20 block_bytes=16");
    ASK(&b, 0x40, 0x01, 0, 1, 0xb1, 'a');
    bench_expect(&b, TEXT("\x60\x45\x00\x01\xc0\xb1\x08\xfftw:0............")); /* block 0, more */
    ASK(&b, 0x40, 0x01, 0, 2, 0xb1, 'a', 0xc1, 0x10);
    bench_expect(&b, TEXT("\x60\x45\x00\x02\xc0\xb1\x10\xff....")); /* block 1, last */
    bench_expect_message(&b, TW_EVENT_SERVED, 0, NULL);
    bench_expect_no_event(&b); /* one representation, served once */
}

static void test_upload_in_blocks(void **s) {
    struct bench b;
    serve(&b, "");
    ask(&b, TEXT("\x40\x02\x00\x01\xb1"
                 "a\xd1\x03\x08\xff"
                 "0123456789abcdef"));
    EXPECT(&b, 0x60, 0x5f, 0, 1, 0xd1, 14, 0x08); /* 2.31 Continue, Block1 0 more */
    bench_expect_no_event(&b);
    ask(&b, BYTES(0x40, 0x02, 0x00, 0x02, 0xb1, 'a', 0xd1, 0x03, 0x10, 0xff, 'x', 'y', 'z'));
    EXPECT(&b, 0x60, 0x44, 0, 2, 0xd1, 14, 0x10);
    bench_expect_received(&b, "0123456789abcdefxyz");
}

static void test_upload_with_a_missing_block_is_incomplete(void **s) {
    struct bench b;
    serve(&b, "");
    ask(&b, BYTES(0x40, 0x02, 0x00, 0x02, 0xb1, 'a', 0xd1, 0x03, 0x10, 0xff, 'x', 'y',
                  'z'));          /* block 1 without block 0 */
    EXPECT(&b, 0x60, 0x88, 0, 2); /* 4.08 (RFC 7959 section 2.9.2) */
    ask(&b, TEXT("\x40\x02\x00\x03\xb1"
                 "a\xd1\x03\x08\xff"
                 "0123456789abcdef"));
    EXPECT(&b, 0x60, 0x5f, 0, 3, 0xd1, 14, 0x08);
    ask(&b, BYTES(0x40, 0x02, 0x00, 0x04, 0xb1, 'a', 0xd1, 0x03, 0x20, 0xff, 'x', 'y',
                  'z')); /* block 2 after block 0 */
    EXPECT(&b, 0x60, 0x88, 0, 4);
    bench_expect_no_event(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_get_is_answered_piggybacked),
        cmocka_unit_test(test_answer_goes_to_the_asker),
        cmocka_unit_test(test_non_get_is_answered_non),
        cmocka_unit_test(test_repeated_request_gets_the_same_answer_once),
        cmocka_unit_test(test_same_message_id_of_another_client_is_new),
        cmocka_unit_test(test_message_id_is_free_after_exchange_lifetime),
        cmocka_unit_test(test_post_is_received_and_changed),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_bad_option_in_a_non_is_ignored),
        cmocka_unit_test(test_options_that_come_twice_or_have_a_wrong_length),
        cmocka_unit_test(test_proxying_is_not_supported),
        cmocka_unit_test(test_elective_option_is_ignored),
        cmocka_unit_test(test_discovery),
        cmocka_unit_test(test_ping_is_reset),
        cmocka_unit_test(test_separate_response),
        cmocka_unit_test(test_observers_are_notified),
        cmocka_unit_test(test_confirmable_notification_is_repeated_then_observer_forgotten),
        cmocka_unit_test(test_reset_ends_the_observation),
        cmocka_unit_test(test_deregistration),
        cmocka_unit_test(test_download_in_blocks_of_the_same_representation),
        cmocka_unit_test(test_upload_in_blocks),
        cmocka_unit_test(test_upload_with_a_missing_block_is_incomplete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
