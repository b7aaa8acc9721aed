/* Raw TCP (raw_header.h). */
#include "bench.h"

static void start(struct bench *b, const char *config) {
    char text[256];
    bench_join(text, "proto=tcp ", config);
    bench_start(b, text);
    bench_expect_event(b, TW_EVENT_CONNECTED);
}

static void test_message_bytes(void **s) {
    struct bench b;
    start(&b, "confirmable=1");
    bench_publish(&b, 7, 4);
    EXPECT(&b, 0x01, 0x01, 0x00, 0x04, 0x00, 0x00, 0x00, 0x07, 't', 'w', ':', '7');
    FEED(&b, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00); /* an ACK in two pieces */
    bench_expect_no_event(&b);
    FEED(&b, 0x00, 0x07);
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
}

static void test_server_finds_messages_in_the_stream(void **s) {
    static const uint8_t stream[] = {0x01, 0x00, 0, 2, 0,    0, 0, 1, 'h', 'i', 0x01, 0x01, 0,  0,
                                     0,    0,    0, 2, 0x01, 0, 0, 1, 0,   0,   0,    3,    'x'};
    struct bench b;
    for (size_t piece = 1; piece <= sizeof stream; piece++) {
        start(&b, "role=serve");
        for (size_t at = 0; at < sizeof stream; at += piece)
            bench_feed(&b, stream + at, sizeof stream - at < piece ? sizeof stream - at : piece);
        assert_int_equal(b.event_count, 3);
        assert_string_equal(b.received, "x");
        EXPECT(&b, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02);
    }
}

static void test_connections_are_independent(void **s) {
    struct bench b;
    start(&b, "role=serve");
    bench_open(&b, 1);
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    bench_feed_on(&b, 0, BYTES(0x01, 0x01, 0, 2, 0, 0, 0, 1, 'h'));
    bench_feed_on(&b, 1, BYTES(0x01, 0x01, 0, 0, 0, 0, 0, 9));
    bench_expect_event(&b, TW_EVENT_RECEIVED);
    bench_expect_silence(&b);
    bench_expect_on(&b, 1, BYTES(0x02, 0, 0, 0, 0, 0, 0, 9));
}

static void test_malformed_header_is_an_error(void **s) {
    struct bench b;
    start(&b, "role=serve");
    FEED(&b, 0x07, 0x00, 0, 0, 0, 0, 0, 1);
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "malformed_header");
}

static void test_data_for_a_publisher_is_an_error(void **s) {
    struct bench b;
    start(&b, "");
    FEED(&b, 0x01, 0x00, 0, 0, 0, 0, 0, 1);
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "unexpected_data");
}

static void test_lost_connection_fails_what_is_open(void **s) {
    struct bench b;
    start(&b, "");
    bench_publish(&b, 7, 4);
    bench_close(&b);
    bench_expect_message(&b, TW_EVENT_FAILED, 7, "connection_lost");
    assert_int_equal(bench_publish(&b, 8, 4), TW_OFFLINE);
}

static void test_missing_acknowledgement_ends_the_connection(void **s) {
    struct bench b;
    start(&b, "");
    bench_publish(&b, 7, 4);
    bench_wait(&b, TW_SECONDS(30));
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "no_response");
}

static void test_acknowledgement_behind_a_long_message_is_not_late(void **s) {
    static uint8_t data[16384];
    struct bench b;
    start(&b, "confirmable=1");
    bench_publish(&b, 7, 8192);
    for (int i = 0; i < 20; i++) { /* it takes minutes to leave */
        bench_wait(&b, TW_SECONDS(20));
        bench_take_slowly(&b, data, sizeof data, 100, 1);
    }
    bench_take_slowly(&b, data, sizeof data, 1000, SIZE_MAX);
    for (uint8_t byte = 0; byte < 7; byte++) { /* and so does its acknowledgement */
        bench_wait(&b, TW_SECONDS(20));
        bench_feed(&b, (const uint8_t[]){0x02, 0, 0, 0, 0, 0, 0, 7} + byte, 1);
    }
    bench_expect_no_event(&b);
    bench_wait(&b, TW_SECONDS(29));
    bench_expect_no_event(&b);
    FEED(&b, 7);
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
    bench_wait(&b, TW_SECONDS(100));
    bench_expect_no_event(&b);
}

static void test_acknowledgements_wait_for_a_reader(void **s) {
    static uint8_t data[8 * 1000];
    struct bench b;
    start(&b, "role=serve");
    for (unsigned seq = 1; seq <= 1000; seq++) {
        FEED(&b, 0x01, 0x01, 0, 0, 0, 0, (uint8_t)(seq >> 8), (uint8_t)seq);
        bench_expect_received(&b, "");
    }
    assert_int_equal(bench_take_slowly(&b, data, sizeof data, 3, SIZE_MAX), sizeof data);
    for (unsigned seq = 1; seq <= 1000; seq++)
        assert_int_equal(data[8 * seq - 2] << 8 | data[8 * seq - 1], seq);
}

static void test_the_largest_payload_leaves_in_pieces(void **s) {
    static uint8_t data[17000], payload[16384];
    struct bench b;
    start(&b, "confirmable=1");
    assert_int_equal(bench_publish(&b, 7, sizeof payload), TW_PUBLISHED);
    bench_payload(&b, 7, sizeof payload, payload);
    assert_int_equal(bench_take_slowly(&b, data, sizeof data, 777, SIZE_MAX), 8 + sizeof payload);
    assert_memory_equal(data, ((const uint8_t[]){0x01, 0x01, 0x40, 0x00, 0, 0, 0, 7}), 8);
    assert_memory_equal(data + 8, payload, sizeof payload);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_message_bytes),
        cmocka_unit_test(test_server_finds_messages_in_the_stream),
        cmocka_unit_test(test_connections_are_independent),
        cmocka_unit_test(test_malformed_header_is_an_error),
        cmocka_unit_test(test_data_for_a_publisher_is_an_error),
        cmocka_unit_test(test_lost_connection_fails_what_is_open),
        cmocka_unit_test(test_missing_acknowledgement_ends_the_connection),
        cmocka_unit_test(test_acknowledgement_behind_a_long_message_is_not_late),
        cmocka_unit_test(test_acknowledgements_wait_for_a_reader),
        cmocka_unit_test(test_the_largest_payload_leaves_in_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
