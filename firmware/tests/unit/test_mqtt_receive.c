/* MQTT 3.1.1 client, subscribing and receiving: each test asks one question. */
#include "mqtt_bench.h"

static void subscribe_with(struct bench *b, const char *config) {
    char text[256];
    bench_join(text, "proto=mqtt role=subscribe topic=t ", config);
    bench_start(b, text);
    FEED(b, CONNACK_NEW);
    bench_skip(b);
    FEED(b, 0x90, 0x03, 0x00, 0x01, 0x00);
    bench_expect_event(b, TW_EVENT_CONNECTED);
}

static void test_subscribe_bytes(void **s) {
    struct bench b;
    uint8_t connect[64];
    bench_start(&b, "proto=mqtt role=subscribe topic=a/b qos=1");
    bench_take(&b, connect, sizeof connect);
    FEED(&b, CONNACK_NEW);
    EXPECT(&b, 0x82, 8,                   /* SUBSCRIBE, reserved flags 2 */
           0x00, 0x01,                    /* packet identifier */
           0x00, 0x03, 'a', '/', 'b', 1); /* filter, requested QoS */
    bench_expect_no_event(&b);
    FEED(&b, 0x90, 0x03, 0x00, 0x01, 0x01); /* SUBACK, QoS 1 granted */
    bench_expect_event(&b, TW_EVENT_CONNECTED);
}

static void expect_suback_error(uint8_t id, uint8_t code, const char *reason) {
    struct bench b;
    bench_start(&b, "proto=mqtt role=subscribe");
    FEED(&b, CONNACK_NEW, 0x90, 0x03, 0x00, id, code);
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, reason);
}

static void test_refused_subscription_is_an_error(void **s) {
    expect_suback_error(1, 0x80, "subscription_refused");
}

static void test_reserved_codes_of_suback_are_errors(void **s) {
    expect_suback_error(1, 0x03, "malformed_packet");
    expect_suback_error(1, 0x7f, "malformed_packet");
    expect_suback_error(1, 0x81, "malformed_packet");
}

static void test_suback_with_another_identifier_is_an_error(void **s) {
    expect_suback_error(2, 0x00, "unexpected_suback");
}

static void test_pingresp_is_no_suback(void **s) {
    struct bench b;
    bench_start(&b, "proto=mqtt role=subscribe");
    FEED(&b, CONNACK_NEW, 0xd0, 0x00);
    bench_wait(&b, TW_SECONDS(10));
    bench_expect_event(&b, TW_EVENT_ERROR);
}

static void test_suback_with_several_codes_is_an_error(void **s) {
    struct bench b;
    /* one subscription was asked for [MQTT-3.8.4-5] */
    bench_start(&b, "proto=mqtt role=subscribe");
    FEED(&b, CONNACK_NEW, 0x90, 0x04, 0x00, 0x01, 0x00, 0x00);
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "malformed_packet");
}

static void test_suback_behind_long_messages_is_not_late(void **s) {
    struct bench b;
    bench_start(&b, "proto=mqtt role=subscribe topic=t");
    FEED(&b, CONNACK_NEW, 0x30, 23, 0, 1, 't');
    for (int i = 0; i < 20; i++) {
        bench_wait(&b, TW_SECONDS(5));
        FEED(&b, 'x');
    }
    FEED(&b, 0x90, 0x03, 0x00, 0x01, 0x00);
    bench_expect_received(&b, "xxxxxxxxxxxxxxxxxxxx");
    bench_expect_event(&b, TW_EVENT_CONNECTED);
}

static void test_topics_in_any_script_are_taken(void **s) {
    static const uint8_t message[] = {0x30, 12,   0,    8,    0xc3, 0xbc, 0x1f,
                                      't',  0xf0, 0x9f, 0x8c, 0xa1, 'o',  'k'};
    struct bench b;
    /* control characters may come, but for U+0000 (section 1.5.3) */
    subscribe_with(&b, "qos=0");
    for (size_t i = 0; i < sizeof message; i++)
        bench_feed(&b, message + i, 1);
    bench_expect_received(&b, "ok");
}

static void test_several_messages_in_one_segment(void **s) {
    struct bench b;
    subscribe_with(&b, "qos=0");
    FEED(&b, 0x30, 4, 0, 1, 't', 'a', 0x30, 4, 0, 1, 't', 'b', 0x30, 3, 0, 1, 't');
    assert_int_equal(b.event_count, 3);
    assert_string_equal(b.received, ""); /* the last one was empty */
}

static void test_quirk_only_first_message_of_a_segment(void **s) {
    struct bench b;
    subscribe_with(&b, "qos=0 quirks=first_message_per_segment");
    FEED(&b, 0x30, 4, 0, 1, 't', 'a', 0x30, 4, 0, 1, 't', 'b', 0x30, 4, 0, 1); /* third is cut */
    bench_expect_received(&b, "a");
    bench_expect_no_event(&b);
    FEED(&b, 't', 'c', 0x30, 4, 0, 1, 't', 'd'); /* its rest does not confuse the reader */
    bench_expect_no_event(&b);
    FEED(&b, 0x30, 4, 0, 1, 't', 'e');
    bench_expect_received(&b, "e");
}

static void test_message_in_single_bytes(void **s) {
    static const uint8_t message[] = {0x30, 8, 0, 1, 't', 'h', 'e', 'l', 'l', 'o'};
    struct bench b;
    subscribe_with(&b, "qos=0");
    for (size_t i = 0; i < sizeof message; i++)
        bench_feed(&b, message + i, 1);
    bench_expect_received(&b, "hello");
}

static void test_quirk_byte_at_a_time_reads_the_same(void **s) {
    struct bench b;
    subscribe_with(&b, "qos=1 quirks=byte_at_a_time_read");
    FEED(&b, 0x32, 6, 0, 1, 't', 0, 9, 'a', 0x32, 6, 0, 1, 't', 0, 10, 'b');
    EXPECT(&b, 0x40, 2, 0, 9, 0x40, 2, 0, 10);
    assert_int_equal(b.event_count, 2 + 0);
}

static void test_incoming_qos1_is_acknowledged(void **s) {
    struct bench b;
    subscribe_with(&b, "qos=1");
    FEED(&b, 0x32, 6, 0, 1, 't', 0x12, 0x34, 'a');
    bench_expect_received(&b, "a");
    EXPECT(&b, 0x40, 0x02, 0x12, 0x34); /* PUBACK */
}

static void test_incoming_qos2_is_delivered_once(void **s) {
    struct bench b;
    subscribe_with(&b, "qos=2");
    FEED(&b, 0x34, 6, 0, 1, 't', 0x12, 0x34, 'a');
    bench_expect_received(&b, "a");
    EXPECT(&b, 0x50, 0x02, 0x12, 0x34);            /* PUBREC */
    FEED(&b, 0x3c, 6, 0, 1, 't', 0x12, 0x34, 'a'); /* again, DUP [MQTT-4.3.3-2] */
    bench_expect_no_event(&b);
    EXPECT(&b, 0x50, 0x02, 0x12, 0x34);
    FEED(&b, 0x62, 0x02, 0x12, 0x34);              /* PUBREL */
    EXPECT(&b, 0x70, 0x02, 0x12, 0x34);            /* PUBCOMP */
    FEED(&b, 0x34, 6, 0, 1, 't', 0x12, 0x34, 'b'); /* the identifier is free again */
    bench_expect_received(&b, "b");
}

static void test_a_flood_of_incoming_qos2_is_taken(void **s) {
    struct bench b;
    /* mosquitto releases and sends hundreds at once; MQTT 3.1.1 sets no limit */
    subscribe_with(&b, "qos=2");
    for (unsigned id = 1; id <= 2000; id++) {
        uint8_t high = (uint8_t)(id >> 8), low = (uint8_t)id;
        FEED(&b, 0x34, 6, 0, 1, 't', high, low, 'a');
        bench_expect_received(&b, "a");
        EXPECT(&b, 0x50, 0x02, high, low);
    }
    FEED(&b, 0x3c, 6, 0, 1, 't', 0, 250, 'a');
    bench_expect_no_event(&b); /* a copy of one among them */
}

static void test_qos2_among_qos1_is_taken(void **s) {
    struct bench b;
    /* a broker numbers both together: the identifiers of QoS 2 have gaps */
    subscribe_with(&b, "qos=2");
    for (unsigned id = 1; id <= 2000; id++) {
        uint8_t high = (uint8_t)(id >> 8), low = (uint8_t)id;
        FEED(&b, id % 2 ? 0x32 : 0x34, 6, 0, 1, 't', high, low, 'a');
        bench_expect_received(&b, "a");
        EXPECT(&b, id % 2 ? 0x40 : 0x50, 0x02, high, low);
    }
    FEED(&b, 0x34, 6, 0, 1, 't', 0, 251, 'b'); /* of QoS 1 before, and acknowledged: free */
    bench_expect_received(&b, "b");
}

/* Nothing leaves while messages of QoS 1 come, and others between them, numbered together. */
static void flood(struct bench *b, uint8_t between) {
    for (unsigned id = 1; id <= 2000; id++) {
        FEED(b, id % 2 ? 0x32 : between, 6, 0, 1, 't', (uint8_t)(id >> 8), (uint8_t)id, 'a');
        bench_expect_received(b, "a");
    }
}

static void test_acknowledgements_wait_for_room(void **s) {
    static uint8_t data[16384];
    struct bench b;
    unsigned next[2] = {2, 1}; /* of QoS 2, of QoS 1 */
    subscribe_with(&b, "qos=2 clean=0");
    flood(&b, 0x34);
    assert_int_equal(bench_take_slowly(&b, data, sizeof data, 100, SIZE_MAX), 8000);
    for (size_t i = 0; i < 8000; i += 4) {
        bool first = data[i] == 0x40;
        assert_int_equal(data[i], first ? 0x40 : 0x50);
        assert_int_equal(data[i + 2] << 8 | data[i + 3], next[first]);
        next[first] += 2;
    }
    flood(&b, 0x32);
    bench_close(&b);
    bench_open(&b, 0); /* the server sends again what it has no acknowledgement for */
    size_t size = bench_take(&b, data, sizeof data);
    assert_int_equal(data[0], 0x10);
    assert_int_equal(data[1] + 2, size); /* CONNECT alone */
    FEED(&b, 0x20, 2, 1, 0);
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    FEED(&b, 0x62, 2, 0, 2);
    EXPECT(&b, 0x70, 2, 0, 2);
    bench_expect_silence(&b);
}

static void test_pingreq_and_disconnect_without_room(void **s) {
    static uint8_t data[4096];
    struct bench b;
    subscribe_with(&b, "qos=2 keepalive_s=4");
    flood(&b, 0x34);
    for (int i = 0; i < 100; i++) {
        bench_wait(&b, TW_SECONDS(3));
        FEED(&b, 0x30, 4, 0, 1, 't', 'a');
        bench_expect_received(&b, "a");
    }
    b.engine->finish(&b.state, b.now);
    assert_string_equal(bench_expect_event(&b, TW_EVENT_CLOSE)->reason, "finished");
    size_t size = bench_take(&b, data, sizeof data);
    assert_memory_equal(data + size - 2, ((uint8_t[]){0xe0, 0}), 2);
}

/* Each PINGREQ leaves at once, and none is answered. */
static void test_silence_is_noticed_at_any_keep_alive(void **s) {
    struct bench b;
    subscribe_with(&b, "qos=0 keepalive_s=4");
    for (int i = 0; i < 4; i++) {
        bench_sleep(&b);
        EXPECT(&b, 0xc0, 0);
    }
    bench_wait(&b, TW_SECONDS(1));
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "no_pingresp");
}

static void test_resumed_session_keeps_the_subscription(void **s) {
    struct bench b;
    subscribe_with(&b, "qos=1 clean=0");
    reconnect(&b, true);
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    bench_expect_silence(&b); /* no second SUBSCRIBE */
}

static void test_resumed_session_remembers_incoming_qos2(void **s) {
    struct bench b;
    subscribe_with(&b, "qos=2 clean=0");
    FEED(&b, 0x34, 6, 0, 1, 't', 0, 9, 'a');
    bench_expect_received(&b, "a");
    bench_skip(&b);
    reconnect(&b, true);
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    FEED(&b, 0x3c, 6, 0, 1, 't', 0, 9, 'a');
    bench_expect_no_event(&b);
    EXPECT(&b, 0x50, 0x02, 0, 9);
}

static void test_echo_answers_on_its_own_topic(void **s) {
    struct bench b;
    bench_start(&b, "proto=mqtt role=echo topic=t qos=0");
    FEED(&b, CONNACK_NEW, 0x90, 0x03, 0x00, 0x01, 0x00);
    bench_skip(&b);
    bench_publish(&b, 3, 4);
    EXPECT(&b, 0x30, 12, 0x00, 0x06, 't', '/', 'e', 'c', 'h', 'o', 't', 'w', ':', '3');
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_subscribe_bytes),
        cmocka_unit_test(test_refused_subscription_is_an_error),
        cmocka_unit_test(test_reserved_codes_of_suback_are_errors),
        cmocka_unit_test(test_suback_with_another_identifier_is_an_error),
        cmocka_unit_test(test_pingresp_is_no_suback),
        cmocka_unit_test(test_suback_with_several_codes_is_an_error),
        cmocka_unit_test(test_suback_behind_long_messages_is_not_late),
        cmocka_unit_test(test_topics_in_any_script_are_taken),
        cmocka_unit_test(test_several_messages_in_one_segment),
        cmocka_unit_test(test_quirk_only_first_message_of_a_segment),
        cmocka_unit_test(test_message_in_single_bytes),
        cmocka_unit_test(test_quirk_byte_at_a_time_reads_the_same),
        cmocka_unit_test(test_incoming_qos1_is_acknowledged),
        cmocka_unit_test(test_incoming_qos2_is_delivered_once),
        cmocka_unit_test(test_a_flood_of_incoming_qos2_is_taken),
        cmocka_unit_test(test_qos2_among_qos1_is_taken),
        cmocka_unit_test(test_acknowledgements_wait_for_room),
        cmocka_unit_test(test_pingreq_and_disconnect_without_room),
        cmocka_unit_test(test_silence_is_noticed_at_any_keep_alive),
        cmocka_unit_test(test_resumed_session_keeps_the_subscription),
        cmocka_unit_test(test_resumed_session_remembers_incoming_qos2),
        cmocka_unit_test(test_echo_answers_on_its_own_topic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
