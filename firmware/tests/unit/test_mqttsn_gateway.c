/* MQTT-SN 1.2 client and its gateway: search, keep alive, sleep. */
#include "mqttsn_bench.h"

#define GATEWAY 0x0a000001u, 1884

static void test_gateway_search(void **s) {
    struct bench b;
    struct tw_output out;
    start(&b, "search=1");
    bench_expect_silence(&b);
    tw_time opened = b.now;
    bench_sleep(&b);
    assert_true(b.now - opened < TW_SECONDS(5)); /* a random part of T_SEARCHGW (6.1) */
    assert_true(b.engine->output(&b.state, b.now, 0, &out));
    assert_int_equal(out.to.address, 0xffffffff);
    EXPECT(&b, 3, 0x01, 0x01);                          /* SEARCHGW, radius 1 */
    bench_feed_from(&b, GATEWAY, BYTES(3, 0x02, 0x08)); /* GWINFO, gateway 8 */
    assert_true(b.engine->output(&b.state, b.now, 0, &out));
    assert_int_equal(out.to.address, 0x0a000001);
    EXPECT(&b, 8, 0x04, 0x04, 0x01, 0x00, 60, 't', 'w');
}

static void test_only_the_gateway_speaks_for_itself(void **s) {
    struct bench b;
    start(&b, "peer=10.0.0.1 topic_type=predefined topic_id=5");
    EXPECT(&b, 8, 0x04, 0x04, 0x01, 0x00, 60, 't', 'w');
    bench_feed_from(&b, 0x0a000002, 1884, BYTES(3, 0x05, 0)); /* CONNACK of another host */
    bench_feed_from(&b, 0x0a000001, 1885, BYTES(3, 0x05, 1)); /* refused by another port */
    bench_feed_from(&b, 0x0a000002, 1884, BYTES(2, 0x06));    /* WILLTOPICREQ */
    bench_expect_silence(&b);
    bench_expect_no_event(&b);
    bench_feed_from(&b, GATEWAY, BYTES(3, 0x05, 0));
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    bench_feed_from(&b, 0x0a000002, 1884, BYTES(2, 0x18)); /* DISCONNECT */
    bench_feed_from(&b, 0x0a000001, 1885, BYTES(2, 0x18));
    bench_expect_no_event(&b);
    bench_feed_from(&b, GATEWAY, BYTES(2, 0x18));
    bench_expect_event(&b, TW_EVENT_ERROR);
}

static void test_a_found_gateway_is_the_only_one(void **s) {
    struct bench b;
    start(&b, "peer=10.0.0.9 search=1 topic_type=predefined topic_id=5");
    bench_sleep(&b);
    bench_skip(&b);
    bench_feed(&b, BYTES(2, 0x06)); /* WILLTOPICREQ while it searches: nobody is in use yet */
    bench_expect_silence(&b);
    bench_feed_from(&b, GATEWAY, BYTES(3, 0x02, 0x08)); /* GWINFO */
    bench_skip(&b);
    bench_feed(&b, BYTES(3, 0x05, 0)); /* CONNACK of the configured peer, which is not in use */
    bench_expect_no_event(&b);
    bench_feed_from(&b, GATEWAY, BYTES(3, 0x05, 0));
    bench_expect_event(&b, TW_EVENT_CONNECTED);
}

static void test_search_interval_doubles(void **s) {
    struct bench b;
    start(&b, "search=1");
    bench_sleep(&b);
    for (tw_time wait = TW_SECONDS(5); wait <= TW_SECONDS(40); wait *= 2) {
        tw_time last = b.now;
        bench_skip(&b);
        bench_sleep(&b);
        assert_int_equal(b.now - last, wait);
    }
}

static void test_advertisement_ends_the_search(void **s) {
    struct bench b;
    start(&b, "search=1");
    bench_feed_from(&b, GATEWAY, BYTES(5, 0x00, 0x08, 0x03, 0x84)); /* ADVERTISE, 900 s */
    EXPECT(&b, 8, 0x04, 0x04, 0x01, 0x00, 60, 't', 'w');
}

static void test_gateway_address_from_a_neighbour(void **s) {
    struct bench b;
    struct tw_output out;
    start(&b, "search=1");
    bench_feed_from(&b, 0x0a000007, 1884, BYTES(7, 0x02, 0x08, 10, 0, 0, 9));
    assert_true(b.engine->output(&b.state, b.now, 0, &out));
    assert_int_equal(out.to.address, 0x0a000009);
}

static void test_keep_alive(void **s) {
    struct bench b;
    publisher(&b, "keepalive_s=20 qos=0");
    bench_sleep(&b);
    assert_int_equal(b.now, TW_SECONDS(16));
    EXPECT(&b, 2, 0x16); /* PINGREQ without id */
    FEED(&b, 2, 0x17);
    bench_wait(&b, TW_SECONDS(10));
    bench_expect_silence(&b);
}

static void test_sleeping_client(void **s) {
    struct bench b;
    subscriber(&b, "qos=0 sleep_s=100");
    bench_sleep(&b);
    EXPECT(&b, 4, 0x18, 0x00, 100); /* DISCONNECT with duration (6.14) */
    FEED(&b, 2, 0x18);
    tw_time asleep = b.now;
    bench_sleep(&b);
    assert_in_range(b.now - asleep, TW_SECONDS(80), TW_SECONDS(99));
    EXPECT(&b, 4, 0x16, 't', 'w');                        /* PINGREQ with the id: awake */
    FEED(&b, 8, 0x0c, 0x01, 0x00, 0x05, 0x00, 0x00, 'a'); /* what the gateway kept */
    bench_expect_received(&b, "a");
    FEED(&b, 2, 0x17); /* PINGRESP: asleep again */
    asleep = b.now;
    bench_sleep(&b);
    assert_in_range(b.now - asleep, TW_SECONDS(80), TW_SECONDS(99));
    EXPECT(&b, 4, 0x16, 't', 'w');
}

static void test_answers_to_copies_of_disconnect(void **s) {
    struct bench b;
    /* the gateway answers each copy, and late */
    subscriber(&b, "qos=0 sleep_s=100");
    bench_sleep(&b);
    EXPECT(&b, 4, 0x18, 0x00, 100);
    bench_sleep(&b);
    bench_expect_event(&b, TW_EVENT_RETRANSMITTED);
    EXPECT(&b, 4, 0x18, 0x00, 100);
    FEED(&b, 2, 0x18);
    FEED(&b, 2, 0x18);
    bench_expect_no_event(&b);
    FEED(&b, 2, 0x18); /* nobody asked for this one */
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "disconnected_by_gateway");
}

static void test_sleeping_publisher_connects_before_it_publishes(void **s) {
    struct bench b;
    publisher(&b, "qos=1 sleep_s=100");
    bench_sleep(&b);
    EXPECT(&b, 4, 0x18, 0x00, 100);
    FEED(&b, 2, 0x18);
    assert_int_equal(bench_publish(&b, 7, 4), TW_BUSY);
    EXPECT(&b, 8, 0x04, 0x00, 0x01, 0x00, 60, 't', 'w'); /* CONNECT, session kept */
    FEED(&b, 3, 0x05, 0);
    assert_int_equal(bench_publish(&b, 7, 4), TW_PUBLISHED);
    bench_expect_no_event(&b); /* no second CONNECTED: the session went on */
}

static void test_disconnect_by_the_gateway_is_an_error(void **s) {
    struct bench b;
    publisher(&b, "");
    FEED(&b, 2, 0x18);
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "disconnected_by_gateway");
}

static void test_registered_name_is_text(void **s) {
    static const char *const names[] = {"a/\xc3", "a/\xed\xa0\x80", "a/+", "a/\xc3\xbc"};
    struct bench b;
    /* MQTT 3.1.1, sections 1.5.3 and 4.7.1, as a wildcard would match it */
    connect_with(&b, "role=subscribe topic=a/#");
    bench_skip(&b);
    FEED(&b, 8, 0x13, 0, 0, 0, 0, 2, 0);
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    FEED(&b, 9, 0x0a, 0, 6, 0, 1, 'a', '/', 0);
    EXPECT(&b, 7, 0x0b, 0, 6, 0, 1, 3);
    for (uint8_t i = 0; i < 4; i++) {
        size_t size = strlen(names[i]);
        uint8_t packet[32] = {(uint8_t)(6 + size), 0x0a, 0, 7, 0, 1};
        memcpy(packet + 6, names[i], size);
        bench_feed(&b, packet, packet[0]);
        EXPECT(&b, 7, 0x0b, 0, 7, 0, 1, i < 3 ? 3 : 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gateway_search),
        cmocka_unit_test(test_only_the_gateway_speaks_for_itself),
        cmocka_unit_test(test_a_found_gateway_is_the_only_one),
        cmocka_unit_test(test_search_interval_doubles),
        cmocka_unit_test(test_advertisement_ends_the_search),
        cmocka_unit_test(test_gateway_address_from_a_neighbour),
        cmocka_unit_test(test_keep_alive),
        cmocka_unit_test(test_sleeping_client),
        cmocka_unit_test(test_answers_to_copies_of_disconnect),
        cmocka_unit_test(test_sleeping_publisher_connects_before_it_publishes),
        cmocka_unit_test(test_disconnect_by_the_gateway_is_an_error),
        cmocka_unit_test(test_registered_name_is_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
