/* Raw UDP (raw_header.h). */
#include "bench.h"

static void start(struct bench *b, const char *config) {
    char text[256];
    bench_join(text, "proto=udp ", config);
    bench_start(b, text);
    bench_expect_event(b, TW_EVENT_CONNECTED);
}

static void test_message_bytes(void **s) {
    struct bench b;
    start(&b, "confirmable=0");
    assert_int_equal(bench_publish(&b, 7, 6), TW_PUBLISHED);
    EXPECT(&b, 0x01, 0x00,         /* DATA, no ACK wanted */
           0x00, 0x06,             /* payload bytes */
           0x00, 0x00, 0x00, 0x07, /* sequence number */
           't', 'w', ':', '7', '.', '.');
    bench_expect_silence(&b);
    assert_true(b.engine->idle(&b.state));
}

static void test_acknowledgement(void **s) {
    struct bench b;
    uint8_t data[64];
    start(&b, "confirmable=1");
    bench_publish(&b, 7, 4);
    bench_take(&b, data, sizeof data);
    assert_int_equal(data[1], 0x01); /* ACK wanted */
    FEED(&b, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x07);
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
    FEED(&b, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x07);
    bench_expect_no_event(&b); /* a second one says nothing new */
}

static void test_acknowledgement_of_a_stranger_is_ignored(void **s) {
    struct bench b;
    start(&b, "confirmable=1 peer=10.0.0.1");
    bench_publish(&b, 7, 4);
    bench_skip(&b);
    bench_feed_from(&b, 0x0a000002, 7001, BYTES(0x02, 0, 0, 0, 0, 0, 0, 7)); /* another host */
    bench_feed_from(&b, 0x0a000001, 7002, BYTES(0x02, 0, 0, 0, 0, 0, 0, 7)); /* another port */
    bench_expect_no_event(&b);
    bench_feed_from(&b, 0x0a000001, 7001, BYTES(0x02, 0, 0, 0, 0, 0, 0, 7));
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
}

static void test_missing_acknowledgement_fails(void **s) {
    struct bench b;
    start(&b, "confirmable=1");
    bench_publish(&b, 7, 4);
    bench_skip(&b);
    bench_wait(&b, TW_SECONDS(10));
    bench_expect_silence(&b); /* never sent again */
    bench_expect_message(&b, TW_EVENT_FAILED, 7, "no_response");
}

static void test_loss_does_not_stop_the_flow(void **s) {
    struct bench b;
    start(&b, "confirmable=1");
    for (uint32_t seq = 1; seq <= TW_INFLIGHT_MAX + 1; seq++) {
        assert_int_equal(bench_publish(&b, seq, 4), TW_PUBLISHED);
        bench_skip(&b);
    }
    bench_expect_message(&b, TW_EVENT_FAILED, 1, "table_full");
    bench_expect_no_event(&b);
}

static void test_one_datagram_at_a_time(void **s) {
    struct bench b;
    start(&b, "confirmable=0");
    bench_publish(&b, 1, 4);
    assert_int_equal(bench_publish(&b, 2, 4), TW_BUSY);
    bench_skip(&b);
    assert_int_equal(bench_publish(&b, 2, 4), TW_PUBLISHED);
}

static void test_server_receives_and_acknowledges_the_sender(void **s) {
    struct bench b;
    struct tw_output out;
    start(&b, "role=serve");
    bench_feed_from(&b, 0x0a000002, 40000, BYTES(0x01, 0x01, 0, 2, 0, 0, 1, 0, 'h', 'i'));
    bench_expect_received(&b, "hi");
    assert_true(b.engine->output(&b.state, b.now, 0, &out));
    assert_int_equal(out.to.address, 0x0a000002);
    assert_int_equal(out.to.port, 40000);
    EXPECT(&b, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00);
    bench_feed_from(&b, 0x0a000002, 40000, BYTES(0x01, 0x00, 0, 1, 0, 0, 1, 1, 'x'));
    bench_expect_received(&b, "x");
    bench_expect_silence(&b); /* nobody asked */
}

static void test_malformed_datagrams_are_dropped(void **s) {
    struct bench b;
    start(&b, "role=serve");
    FEED(&b, 0x01, 0x01, 0, 2, 0, 0, 1, 0, 'h'); /* shorter than it says */
    FEED(&b, 0x01, 0x01, 0, 0, 0, 0, 1, 0, 'h'); /* longer than it says */
    FEED(&b, 0x01, 0x01, 0, 0, 0, 0, 1);         /* half a header */
    FEED(&b, 0x03, 0x00, 0, 0, 0, 0, 1, 0);      /* unknown type */
    FEED(&b, 0x01, 0x02, 0, 0, 0, 0, 1, 0);      /* unknown flag */
    FEED(&b, 0x02, 0x00, 0, 1, 0, 0, 1, 0, 'x'); /* ACK with a payload */
    bench_expect_no_event(&b);
    bench_expect_silence(&b);
}

static void test_largest_message_fits_one_datagram(void **s) {
    struct bench b;
    uint8_t data[2048];
    start(&b, "confirmable=0");
    bench_publish(&b, 1, 1440);
    assert_int_equal(bench_take(&b, data, sizeof data), 1448);
    assert_memory_equal(data + 2, ((uint8_t[]){0x05, 0xa0}), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_message_bytes),
        cmocka_unit_test(test_acknowledgement),
        cmocka_unit_test(test_acknowledgement_of_a_stranger_is_ignored),
        cmocka_unit_test(test_missing_acknowledgement_fails),
        cmocka_unit_test(test_loss_does_not_stop_the_flow),
        cmocka_unit_test(test_one_datagram_at_a_time),
        cmocka_unit_test(test_server_receives_and_acknowledges_the_sender),
        cmocka_unit_test(test_malformed_datagrams_are_dropped),
        cmocka_unit_test(test_largest_message_fits_one_datagram),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
