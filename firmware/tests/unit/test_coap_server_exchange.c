/* CoAP server: what belongs to an exchange, an observation or a representation. */
#include "bench.h"

#define CLIENT 0x0a000002u, 40000

static void serve(struct bench *b, const char *config) {
    char text[256];
    bench_join(text, "proto=coap role=serve topic=a payload_bytes=6 ", config);
    bench_start(b, text);
    bench_expect_event(b, TW_EVENT_CONNECTED);
}

#define ASK(bench, ...) bench_feed_from((bench), CLIENT, BYTES(__VA_ARGS__))

/* Registers an observer with this token, and drops the answer. */
static void observer(struct bench *b, uint8_t token) {
    ASK(b, 0x41, 0x01, 0x12, token, token, 0x60, 0x51, 'a');
    bench_skip(b);
    bench_expect_message(b, TW_EVENT_SERVED, token - 1u, NULL);
}

/* The next datagram is a notification of this type; its message ID. */
static uint16_t notified(struct bench *b, uint8_t type) {
    uint8_t data[64];
    assert_in_range(bench_take(b, data, sizeof data), 8, sizeof data);
    assert_int_equal(data[0], type | 1);
    assert_int_equal(data[1], 0x45);
    return (uint16_t)(data[2] << 8 | data[3]);
}

static void empty(struct bench *b, uint8_t type, uint16_t mid) {
    ASK(b, type, 0x00, (uint8_t)(mid >> 8), (uint8_t)mid);
}

static void test_late_reset_ends_the_observation(void **s) {
    struct bench b;
    serve(&b, "confirmable=0");
    observer(&b, 1);
    bench_publish(&b, 1, 6);
    uint16_t first = notified(&b, 0x50);
    for (uint32_t seq = 2; seq < 9; seq++) {
        assert_int_equal(bench_publish(&b, seq, 6), TW_PUBLISHED);
        notified(&b, 0x50);
    }
    empty(&b, 0x70, (uint16_t)(first - 1)); /* of no notification */
    assert_int_equal(bench_publish(&b, 9, 6), TW_PUBLISHED);
    notified(&b, 0x50);
    empty(&b, 0x70, first);
    assert_int_equal(bench_publish(&b, 10, 6), TW_UNWANTED);
}

static void test_reset_of_a_response_ends_its_observation(void **s) {
    struct bench b;
    uint8_t data[64];
    serve(&b, "confirmable=0");
    observer(&b, 1);
    bench_publish(&b, 1, 6);
    notified(&b, 0x50);
    ASK(&b, 0x51, 0x01, 0, 1, 0x77, 0xb1, 'a'); /* NON, and no Observe */
    bench_take(&b, data, sizeof data);
    bench_publish(&b, 2, 6);
    notified(&b, 0x50);
    ASK(&b, 0x70, 0x00, data[2], data[3]); /* between two notifications, but none */
    assert_int_equal(bench_publish(&b, 3, 6), TW_PUBLISHED);
    ASK(&b, 0x51, 0x01, 0, 2, 0x01, 0x60, 0x51, 'a'); /* registers again, by a NON */
    bench_take(&b, data, sizeof data);
    ASK(&b, 0x70, 0x00, data[2], data[3]);
    assert_int_equal(bench_publish(&b, 4, 6), TW_UNWANTED);
}

static void test_one_confirmable_notification_at_a_time(void **s) {
    struct bench b;
    serve(&b, "confirmable=1");
    observer(&b, 1);
    bench_publish(&b, 1, 6);
    uint16_t first = notified(&b, 0x40);
    bench_publish(&b, 2, 6);
    bench_publish(&b, 3, 6);
    bench_expect_silence(&b); /* NSTART */
    bench_expect_message(&b, TW_EVENT_FAILED, 2, "superseded");
    empty(&b, 0x60, first);
    assert_true(notified(&b, 0x40) != first);
    bench_expect_no_event(&b);
}

static void test_blocks_of_the_state_under_way_stay(void **s) {
    struct bench b;
    serve(&b, "id=abcdefghijklmnop block_bytes=16 payload_bytes=40 confirmable=1");
    observer(&b, 1);
    b.now += TW_MS(1);
    bench_publish(&b, 1, 40);
    bench_skip(&b);
    bench_publish(&b, 2, 40);                               /* waits */
    ASK(&b, 0x41, 0x01, 0, 1, 0x77, 0xb1, 'a', 0xc1, 0x10); /* block 1 of what was notified */
    bench_expect(&b, TEXT("\x61\x45\x00\x01\x77\xc0\xb1\x18\xff 1 1001000 ....."));
}

static void test_newer_state_takes_the_timer(void **s) {
    struct bench b;
    serve(&b, "confirmable=1");
    observer(&b, 1);
    bench_publish(&b, 1, 6);
    uint16_t mids[5] = {notified(&b, 0x40)};
    tw_time last = b.now, timeout = b.engine->deadline(&b.state) - last;
    for (uint32_t i = 1; i < 5; i++) {
        bench_publish(&b, 1 + i, 6);
        bench_sleep(&b);
        assert_int_equal(b.now - last, timeout << (i - 1));
        mids[i] = notified(&b, 0x40);
        assert_true(mids[i] != mids[i - 1]);
        last = b.now;
    }
    bench_expect_no_event(&b); /* a new state is no retransmission */
    bench_publish(&b, 6, 6);
    bench_sleep(&b);
    assert_int_equal(bench_publish(&b, 7, 6), TW_UNWANTED);
}

static void test_late_acknowledgement_keeps_the_observer(void **s) {
    struct bench b;
    serve(&b, "confirmable=1");
    observer(&b, 1);
    bench_publish(&b, 1, 6);
    uint16_t mid = notified(&b, 0x40);
    for (uint32_t seq = 2; seq < 20; seq++) { /* each one is acknowledged after its timeout */
        assert_int_equal(bench_publish(&b, seq, 6), TW_PUBLISHED);
        bench_sleep(&b);
        uint16_t next = notified(&b, 0x40);
        empty(&b, 0x60, mid);
        mid = next;
    }
    empty(&b, 0x60, mid);
    assert_int_equal(bench_publish(&b, 20, 6), TW_PUBLISHED);
}

static void test_confirmable_notification_each_day(void **s) {
    struct bench b;
    serve(&b, "confirmable=0");
    observer(&b, 1);
    for (uint32_t seq = 1; seq <= 48; seq++) { /* an hour each */
        b.now += TW_SECONDS(3600);
        assert_int_equal(bench_publish(&b, seq, 6), TW_PUBLISHED);
        uint16_t mid = notified(&b, seq % 12 ? 0x50 : 0x40);
        if (seq % 12 == 0)
            empty(&b, 0x60, mid);
    }
    b.now += TW_SECONDS(12 * 3600);
    bench_publish(&b, 49, 6);
    notified(&b, 0x40);
    while (b.engine->deadline(&b.state) != TW_NEVER) /* nobody acknowledges: it is gone */
        bench_sleep(&b);
    assert_int_equal(bench_publish(&b, 60, 6), TW_UNWANTED);
}

static void test_path_is_compared_by_segments(void **s) {
    struct bench b;
    serve(&b, "topic=a/b");
    ASK(&b, 0x40, 0x01, 0, 1, 0xb3, 'a', '/', 'b');
    EXPECT(&b, 0x60, 0x84, 0, 1); /* one segment: /a%2Fb */
    ASK(&b, 0x40, 0x01, 0, 2, 0xb0, 0x01, 'a', 0x01, 'b');
    EXPECT(&b, 0x60, 0x84, 0, 2); /* an empty one before: //a/b */
    ASK(&b, 0x40, 0x01, 0, 3, 0xb1, 'a', 0x01, 'b', 0x00);
    EXPECT(&b, 0x60, 0x84, 0, 3); /* an empty one behind: /a/b/ */
    bench_expect_no_event(&b);
    ASK(&b, 0x40, 0x01, 0, 4, 0xb1, 'a', 0x01, 'b');
    bench_expect_message(&b, TW_EVENT_SERVED, 0, NULL);
}

static void test_block_number_of_another_size(void **s) {
    struct bench b;
    serve(&b, "payload_bytes=80 block_bytes=16");
    ASK(&b, 0x40, 0x01, 0, 1, 0xb1, 'a', 0xc1, 0x12); /* block 1 of 64 bytes: from 64 on */
    bench_expect(&b, TEXT("\x60\x45\x00\x01\xc0\xb1\x40\xff................")); /* 4 of 16 */
    ASK(&b, 0x40, 0x01, 0, 2, 0xb1, 'a', 0xc1, 0x22);
    EXPECT(&b, 0x60, 0x82, 0, 2); /* from 128 on: behind the end */
}

static void test_reserved_block_size_is_a_bad_request(void **s) {
    struct bench b;
    serve(&b, "");
    ASK(&b, 0x40, 0x01, 0, 1, 0xb1, 'a', 0xc1, 0x07);
    EXPECT(&b, 0x60, 0x80, 0, 1);
    ASK(&b, 0x50, 0x02, 0, 2, 0xb1, 'a', 0xd1, 3, 0x07, 0xff, 'x'); /* a NON is answered, too */
    uint8_t data[64];
    assert_int_equal(bench_take(&b, data, sizeof data), 4);
    assert_int_equal(data[1], 0x80);
    bench_expect_no_event(&b);
}

static void test_short_block_with_more_to_follow_is_a_bad_request(void **s) {
    struct bench b;
    serve(&b, "");
    ASK(&b, 0x40, 0x02, 0, 1, 0xb1, 'a', 0xd1, 3, 0x08, 0xff, 'x');
    EXPECT(&b, 0x60, 0x80, 0, 1);
    bench_expect_no_event(&b);
}

static void test_acknowledgement_of_another_endpoint_is_ignored(void **s) {
    struct bench b;
    serve(&b, "confirmable=1");
    observer(&b, 1);
    bench_publish(&b, 1, 6);
    uint16_t mid = notified(&b, 0x40);
    for (uint8_t type = 0x60; type <= 0x70; type = (uint8_t)(type + 0x10)) {
        const uint8_t data[] = {type, 0, (uint8_t)(mid >> 8), (uint8_t)mid};
        bench_feed_from(&b, 0x0a000002u, 40001, data, sizeof data);
        bench_feed_from(&b, 0x0a000003u, 40000, data, sizeof data);
    }
    bench_sleep(&b);
    bench_expect_message(&b, TW_EVENT_RETRANSMITTED, 1, NULL);
    assert_int_equal(notified(&b, 0x40), mid);
}

static void test_registration_replaces_the_same_one(void **s) {
    struct bench b;
    serve(&b, "confirmable=0");
    observer(&b, 1);
    ASK(&b, 0x41, 0x01, 0x13, 0x00, 0x01, 0x60, 0x51, 'a'); /* the same endpoint and token */
    bench_skip(&b);
    bench_publish(&b, 1, 6);
    notified(&b, 0x50);
    bench_expect_silence(&b);
    ASK(&b, 0x41, 0x01, 0x13, 0x01, 0x02, 0x60, 0x51, 'a'); /* another token */
    bench_skip(&b);
    bench_publish(&b, 2, 6);
    notified(&b, 0x50);
    notified(&b, 0x50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_late_reset_ends_the_observation),
        cmocka_unit_test(test_reset_of_a_response_ends_its_observation),
        cmocka_unit_test(test_one_confirmable_notification_at_a_time),
        cmocka_unit_test(test_blocks_of_the_state_under_way_stay),
        cmocka_unit_test(test_newer_state_takes_the_timer),
        cmocka_unit_test(test_late_acknowledgement_keeps_the_observer),
        cmocka_unit_test(test_confirmable_notification_each_day),
        cmocka_unit_test(test_path_is_compared_by_segments),
        cmocka_unit_test(test_block_number_of_another_size),
        cmocka_unit_test(test_reserved_block_size_is_a_bad_request),
        cmocka_unit_test(test_short_block_with_more_to_follow_is_a_bad_request),
        cmocka_unit_test(test_acknowledgement_of_another_endpoint_is_ignored),
        cmocka_unit_test(test_registration_replaces_the_same_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
