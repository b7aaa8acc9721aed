/* MQTT-SN 1.2 client; section numbers are the specification's. */
#include "mqttsn_bench.h"

static void test_connect_bytes(void **s) {
    struct bench b;
    start(&b, "");
    EXPECT(&b, 8, 0x04, /* length, CONNECT */
           0x04,        /* flags: clean session */
           0x01,        /* protocol id */
           0x00, 60,    /* duration */
           't', 'w');   /* client id */
    bench_expect_no_event(&b);
}

static void test_register_bytes_and_topic_id(void **s) {
    struct bench b;
    connect_with(&b, "topic=a/b qos=0");
    EXPECT(&b, 9, 0x0a, /* REGISTER */
           0x00, 0x00,  /* topic id: the gateway chooses */
           0x00, 0x02,  /* message id */
           'a', '/', 'b');
    bench_expect_no_event(&b);
    FEED(&b, 7, 0x0b, 0x12, 0x34, 0x00, 0x02, 0); /* REGACK: topic id 1234 */
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    bench_publish(&b, 7, 4);
    EXPECT(&b, 11, 0x0c, 0x00,     /* PUBLISH, QoS 0, normal topic */
           0x12, 0x34, 0x00, 0x00, /* topic id, message id 0 (5.4.12) */
           't', 'w', ':', '7');
}

static void test_refused_registration_is_an_error(void **s) {
    struct bench b;
    connect_with(&b, "topic=a/b");
    FEED(&b, 7, 0x0b, 0x00, 0x00, 0x00, 0x02, 3);
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "registration_refused");
}

static void test_will_dialogue(void **s) {
    struct bench b;
    start(&b, "will=1 qos=1 topic=a");
    EXPECT(&b, 8, 0x04, 0x0c, 0x01, 0x00, 60, 't', 'w');     /* CONNECT: will, clean session */
    FEED(&b, 2, 0x06);                                       /* WILLTOPICREQ */
    EXPECT(&b, 9, 0x07, 0x20, 'a', '/', 'w', 'i', 'l', 'l'); /* WILLTOPIC, QoS 1 */
    FEED(&b, 2, 0x08);                                       /* WILLMSGREQ */
    EXPECT(&b, 4, 0x09, 't', 'w');                           /* WILLMSG */
}

static void test_predefined_topic_bytes(void **s) {
    struct bench b;
    publisher(&b, "qos=0");
    bench_publish(&b, 7, 4);
    EXPECT(&b, 11, 0x0c, 0x01, 0x00, 0x05, 0x00, 0x00, 't', 'w', ':', '7');
}

static void test_short_topic_bytes(void **s) {
    struct bench b;
    connect_with(&b, "topic_type=short topic=ab qos=0");
    bench_publish(&b, 7, 4);
    EXPECT(&b, 11, 0x0c, 0x02, 'a', 'b', 0x00, 0x00, 't', 'w', ':', '7');
}

static void test_qos_minus_one_needs_no_connection(void **s) {
    struct bench b;
    start(&b, "topic_type=predefined topic_id=5 qos=-1");
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    bench_publish(&b, 7, 4);
    EXPECT(&b, 11, 0x0c, 0x61, 0x00, 0x05, 0x00, 0x00, 't', 'w', ':', '7'); /* QoS 0b11 (6.8) */
    b.engine->finish(&b.state, b.now);
    bench_expect_silence(&b); /* nothing to disconnect */
}

static void test_long_message_uses_three_length_bytes(void **s) {
    struct bench b;
    uint8_t data[2048];
    publisher(&b, "qos=0");
    bench_publish(&b, 7, 300);
    assert_int_equal(bench_take(&b, data, sizeof data), 309);
    assert_memory_equal(data, ((uint8_t[]){0x01, 0x01, 0x35, 0x0c}), 4); /* 309 (5.2.1) */
}

static void test_largest_short_length(void **s) {
    struct bench b;
    uint8_t data[2048];
    publisher(&b, "qos=0");
    bench_publish(&b, 7, 248);
    assert_int_equal(bench_take(&b, data, sizeof data), 255);
    assert_int_equal(data[0], 255);
    bench_publish(&b, 8, 249);
    assert_int_equal(bench_take(&b, data, sizeof data), 258);
    assert_memory_equal(data, ((uint8_t[]){0x01, 0x01, 0x02}), 3);
}

static void test_qos1_flow(void **s) {
    struct bench b;
    publisher(&b, "qos=1");
    bench_publish(&b, 7, 4);
    EXPECT(&b, 11, 0x0c, 0x21, 0x00, 0x05, 0x00, 0x02, 't', 'w', ':', '7');
    assert_int_equal(bench_publish(&b, 8, 4), TW_BUSY); /* one at a time (6.6) */
    FEED(&b, 7, 0x0d, 0x00, 0x05, 0x00, 0x02, 0);       /* PUBACK accepted */
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
    assert_int_equal(bench_publish(&b, 8, 4), TW_PUBLISHED);
}

static void test_qos2_flow(void **s) {
    struct bench b;
    publisher(&b, "qos=2");
    bench_publish(&b, 7, 4);
    EXPECT(&b, 11, 0x0c, 0x41, 0x00, 0x05, 0x00, 0x02, 't', 'w', ':', '7');
    FEED(&b, 4, 0x0f, 0x00, 0x02);   /* PUBREC */
    EXPECT(&b, 4, 0x10, 0x00, 0x02); /* PUBREL */
    bench_expect_no_event(&b);
    FEED(&b, 4, 0x0e, 0x00, 0x02); /* PUBCOMP */
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
}

static void test_retransmission_sets_dup_and_gives_up(void **s) {
    struct bench b;
    publisher(&b, "qos=1 keepalive_s=0 retry_ms=10000");
    bench_publish(&b, 7, 4);
    bench_skip(&b);
    for (int i = 0; i < 5; i++) { /* N_retry */
        tw_time last = b.now;
        bench_sleep(&b);
        assert_int_equal(b.now - last, TW_SECONDS(10)); /* T_retry */
        bench_expect_message(&b, TW_EVENT_RETRANSMITTED, 7, NULL);
        EXPECT(&b, 11, 0x0c, 0xa1, 0x00, 0x05, 0x00, 0x02, 't', 'w', ':', '7'); /* DUP */
    }
    bench_sleep(&b);
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "no_answer");
}

static void test_pubrel_is_retransmitted(void **s) {
    struct bench b;
    publisher(&b, "qos=2 keepalive_s=0");
    bench_publish(&b, 7, 4);
    bench_skip(&b);
    FEED(&b, 4, 0x0f, 0x00, 0x02);
    EXPECT(&b, 4, 0x10, 0x00, 0x02);
    bench_sleep(&b);
    EXPECT(&b, 4, 0x10, 0x00, 0x02);
}

static void test_unanswered_connect_is_repeated_then_an_error(void **s) {
    struct bench b;
    start(&b, "");
    for (int i = 0; i < 6; i++) {
        EXPECT(&b, 8, 0x04, 0x04, 0x01, 0x00, 60, 't', 'w');
        bench_sleep(&b);
    }
    for (int i = 0; i < 5; i++)
        bench_expect_event(&b, TW_EVENT_RETRANSMITTED);
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "no_answer");
}

static void test_invalid_topic_id_registers_again(void **s) {
    struct bench b;
    connect_with(&b, "topic=a qos=1");
    bench_skip(&b);
    FEED(&b, 7, 0x0b, 0x00, 0x01, 0x00, 0x02, 0);
    bench_publish(&b, 7, 4);
    bench_skip(&b);
    FEED(&b, 7, 0x0d, 0x00, 0x01, 0x00, 0x03, 2); /* PUBACK: invalid topic id */
    EXPECT(&b, 7, 0x0a, 0x00, 0x00, 0x00, 0x04, 'a');
    FEED(&b, 7, 0x0b, 0x00, 0x09, 0x00, 0x04, 0); /* REGACK: now 9 */
    EXPECT(&b, 11, 0x0c, 0x20, 0x00, 0x09, 0x00, 0x03, 't', 'w', ':', '7');
}

static void test_topic_refused_after_registration_fails(void **s) {
    struct bench b;
    connect_with(&b, "topic=a qos=1");
    bench_skip(&b);
    FEED(&b, 7, 0x0b, 0x00, 0x01, 0x00, 0x02, 0);
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    for (uint8_t seq = 1; seq < 3; seq++) { /* each message: refused, registered, refused */
        uint8_t id = (uint8_t)(1 + 2 * seq);
        bench_publish(&b, seq, 4);
        bench_skip(&b);
        FEED(&b, 7, 0x0d, 0x00, 0x01, 0x00, id, 2);
        EXPECT(&b, 7, 0x0a, 0x00, 0x00, 0x00, (uint8_t)(id + 1), 'a');
        FEED(&b, 7, 0x0b, 0x00, 0x01, 0x00, (uint8_t)(id + 1), 0);
        bench_skip(&b);
        FEED(&b, 7, 0x0d, 0x00, 0x01, 0x00, id, 2);
        bench_expect_silence(&b);
        bench_expect_message(&b, TW_EVENT_FAILED, seq, "refused");
    }
}

static void test_late_refusal_of_the_old_topic_id_fails_nothing(void **s) {
    struct bench b;
    connect_with(&b, "topic=a qos=1 inflight=2");
    bench_skip(&b);
    FEED(&b, 7, 0x0b, 0x00, 0x01, 0x00, 0x02, 0);
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    bench_publish(&b, 1, 4);
    bench_publish(&b, 2, 4);
    bench_skip(&b);
    bench_skip(&b);
    FEED(&b, 7, 0x0d, 0x00, 0x01, 0x00, 0x03, 2);
    bench_skip(&b);
    FEED(&b, 7, 0x0b, 0x00, 0x09, 0x00, 0x05, 0); /* REGACK: now 9 */
    bench_skip(&b);
    FEED(&b, 7, 0x0d, 0x00, 0x01, 0x00, 0x04, 2); /* the second one left under id 1 */
    EXPECT(&b, 11, 0x0c, 0x20, 0x00, 0x09, 0x00, 0x04, 't', 'w', ':', '2');
    bench_expect_no_event(&b);
}

static void test_refused_publish_fails(void **s) {
    struct bench b;
    publisher(&b, "qos=1");
    bench_publish(&b, 7, 4);
    FEED(&b, 7, 0x0d, 0x00, 0x05, 0x00, 0x02, 3); /* not supported */
    bench_expect_message(&b, TW_EVENT_FAILED, 7, "refused");
}

static void test_congestion_stops_publishing_for_five_minutes(void **s) {
    struct bench b;
    publisher(&b, "qos=1 inflight=2 keepalive_s=0");
    bench_publish(&b, 7, 4);
    bench_skip(&b);
    FEED(&b, 7, 0x0d, 0x00, 0x05, 0x00, 0x02, 1); /* PUBACK: congestion */
    assert_int_equal(bench_publish(&b, 8, 4), TW_BUSY);
    bench_wait(&b, TW_SECONDS(300)); /* T_WAIT is more than 5 minutes (section 7.2) */
    bench_expect_silence(&b);
    bench_expect_no_event(&b);
    bench_wait(&b, TW_SECONDS(2));
    bench_expect_message(&b, TW_EVENT_RETRANSMITTED, 7, NULL);
    EXPECT(&b, 11, 0x0c, 0xa1, 0x00, 0x05, 0x00, 0x02, 't', 'w', ':', '7');
    assert_int_equal(bench_publish(&b, 8, 4), TW_PUBLISHED);
}

static void test_congestion_stops_publishing_at_qos0_too(void **s) {
    struct bench b;
    publisher(&b, "qos=0 keepalive_s=0");
    bench_publish(&b, 7, 4);
    bench_skip(&b);
    FEED(&b, 7, 0x0d, 0x00, 0x05, 0x00, 0x00, 1);
    assert_int_equal(bench_publish(&b, 8, 4), TW_BUSY);
    bench_wait(&b, TW_SECONDS(302));
    assert_int_equal(bench_publish(&b, 8, 4), TW_PUBLISHED);
}

static void test_congested_registration_waits_five_minutes(void **s) {
    struct bench b;
    connect_with(&b, "topic=a qos=1");
    bench_skip(&b);
    FEED(&b, 7, 0x0b, 0x00, 0x00, 0x00, 0x02, 1); /* REGACK: congestion (section 6.5) */
    bench_expect_no_event(&b);
    bench_wait(&b, TW_SECONDS(300));
    bench_expect_silence(&b);
    bench_wait(&b, TW_SECONDS(2));
    EXPECT(&b, 7, 0x0a, 0x00, 0x00, 0x00, 0x02, 'a');
}

static void test_subscribe_by_name(void **s) {
    struct bench b;
    connect_with(&b, "role=subscribe topic=a qos=2");
    EXPECT(&b, 6, 0x12, 0x40, 0x00, 0x02, 'a');         /* SUBSCRIBE, QoS 2, normal topic */
    FEED(&b, 8, 0x13, 0x40, 0x00, 0x07, 0x00, 0x02, 0); /* SUBACK: topic id 7 */
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    FEED(&b, 9, 0x0c, 0x00, 0x00, 0x07, 0x00, 0x00, 'h', 'i');
    bench_expect_received(&b, "hi");
    bench_expect_silence(&b);
}

static void test_subscribe_predefined_and_short(void **s) {
    struct bench b;
    connect_with(&b, "role=subscribe topic_type=predefined topic_id=5 qos=0");
    EXPECT(&b, 7, 0x12, 0x01, 0x00, 0x02, 0x00, 0x05);
    connect_with(&b, "role=subscribe topic_type=short topic=ab qos=0");
    EXPECT(&b, 7, 0x12, 0x02, 0x00, 0x02, 'a', 'b');
}

static void test_refused_subscription_is_an_error(void **s) {
    struct bench b;
    connect_with(&b, "role=subscribe topic=a");
    FEED(&b, 8, 0x13, 0x00, 0x00, 0x00, 0x00, 0x02, 2);
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "subscription_refused");
}

static void test_incoming_qos1(void **s) {
    struct bench b;
    subscriber(&b, "qos=1");
    FEED(&b, 8, 0x0c, 0x21, 0x00, 0x05, 0x12, 0x34, 'a');
    bench_expect_received(&b, "a");
    EXPECT(&b, 7, 0x0d, 0x00, 0x05, 0x12, 0x34, 0); /* PUBACK accepted */
}

static void test_incoming_qos2_is_delivered_once(void **s) {
    struct bench b;
    subscriber(&b, "qos=2");
    FEED(&b, 8, 0x0c, 0x41, 0x00, 0x05, 0x12, 0x34, 'a');
    bench_expect_received(&b, "a");
    EXPECT(&b, 4, 0x0f, 0x12, 0x34);
    FEED(&b, 8, 0x0c, 0xc1, 0x00, 0x05, 0x12, 0x34, 'a'); /* DUP */
    bench_expect_no_event(&b);
    EXPECT(&b, 4, 0x0f, 0x12, 0x34);
    FEED(&b, 4, 0x10, 0x12, 0x34);
    EXPECT(&b, 4, 0x0e, 0x12, 0x34);
}

static void test_late_copies_do_not_fill_the_memory(void **s) {
    struct bench b;
    /* each comes after the PUBREL of its message, and is never released */
    subscriber(&b, "qos=2");
    for (uint8_t i = 0; i < 200; i++) { /* apart: no two of them take one place */
        FEED(&b, 8, 0x0c, 0x41, 0x00, 0x05, i, 9, 'a');
        bench_expect_received(&b, "a");
        EXPECT(&b, 4, 0x0f, i, 9);
    }
    FEED(&b, 8, 0x0c, 0xc1, 0x00, 0x05, 199, 9, 'a'); /* the latest are still known */
    bench_expect_no_event(&b);
}

static void test_unknown_topic_id_is_refused(void **s) {
    struct bench b;
    subscriber(&b, "qos=1");
    FEED(&b, 8, 0x0c, 0x21, 0x00, 0x06, 0x12, 0x34, 'a');
    bench_expect_no_event(&b);
    EXPECT(&b, 7, 0x0d, 0x00, 0x06, 0x12, 0x34, 2); /* invalid topic id */
    FEED(&b, 8, 0x0c, 0x01, 0x00, 0x06, 0x00, 0x00, 'a');
    EXPECT(&b, 7, 0x0d, 0x00, 0x06, 0x00, 0x00, 2); /* at QoS 0, too (5.4.13) */
}

static void register_name(struct bench *b, const char *name, uint8_t id, uint8_t code) {
    uint8_t data[32] = {(uint8_t)(6 + strlen(name)), 0x0a, 0, id, 0, 1};
    memcpy(data + 6, name, strlen(name));
    bench_feed(b, data, data[0]);
    EXPECT(b, 7, 0x0b, 0, id, 0, 1, code);
}

static void test_wildcard_takes_what_the_gateway_registers(void **s) {
    struct bench b;
    connect_with(&b, "role=subscribe topic=a/+/# qos=1");
    bench_skip(&b);
    FEED(&b, 8, 0x13, 0x20, 0x00, 0x00, 0x00, 0x02, 0); /* SUBACK without an id (5.4.16) */
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    register_name(&b, "a/b", 7, 0);
    register_name(&b, "a//c", 8, 0);
    register_name(&b, "a", 9, 3); /* matches nothing: not supported */
    register_name(&b, "b/b", 10, 3);
    for (uint8_t id = 7; id < 9; id++) {
        FEED(&b, 8, 0x0c, 0x20, 0x00, id, 0x00, 0x05, 'x');
        EXPECT(&b, 7, 0x0d, 0x00, id, 0x00, 0x05, 0);
        bench_expect_received(&b, "x");
    }
    FEED(&b, 8, 0x0c, 0x20, 0x00, 9, 0x00, 0x05, 'x');
    EXPECT(&b, 7, 0x0d, 0x00, 9, 0x00, 0x05, 2);
    bench_expect_no_event(&b);
}

static void test_wildcards_and_the_first_level(void **s) {
    struct bench b;
    connect_with(&b, "role=subscribe topic=#");
    bench_skip(&b);
    FEED(&b, 8, 0x13, 0x00, 0x00, 0x00, 0x00, 0x02, 0);
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    register_name(&b, "$SYS/a", 7, 3); /* MQTT 3.1.1, section 4.7.2 */
    register_name(&b, "a/b", 8, 0);
    FEED(&b, 8, 0x0c, 0x02, 'a', 'b', 0x00, 0x00, 'x'); /* a short name */
    bench_expect_received(&b, "x");
}

static void test_filter_is_no_topic_to_publish_to(void **s) {
    static const char *const configs[] = {"proto=mqttsn topic=a/#", "proto=mqttsn topic=+/a",
                                          "proto=mqttsn role=echo topic=#"};
    struct bench b;
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++)
        assert_string_equal(bench_init(&b, configs[i]), "topic");
    assert_null(bench_init(&b, "proto=mqttsn role=subscribe topic=a/#"));
}

static void test_gateway_may_rename_the_topic(void **s) {
    struct bench b;
    connect_with(&b, "role=subscribe topic=a qos=0");
    bench_skip(&b);
    FEED(&b, 8, 0x13, 0x00, 0x00, 0x07, 0x00, 0x02, 0);
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    FEED(&b, 7, 0x0a, 0x00, 0x09, 0x00, 0x01, 'a'); /* REGISTER 9 */
    EXPECT(&b, 7, 0x0b, 0x00, 0x09, 0x00, 0x01, 0);
    FEED(&b, 8, 0x0c, 0x00, 0x00, 0x09, 0x00, 0x00, 'x');
    bench_expect_received(&b, "x");
}

static void test_kept_session_resends_after_reconnecting(void **s) {
    struct bench b;
    publisher(&b, "qos=1 clean=0");
    bench_publish(&b, 7, 4);
    bench_skip(&b);
    bench_close(&b);
    bench_open(&b, 0);
    bench_skip(&b);
    FEED(&b, 3, 0x05, 0);
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    EXPECT(&b, 11, 0x0c, 0xa1, 0x00, 0x05, 0x00, 0x02, 't', 'w', ':', '7');
}

static void test_clean_session_fails_what_is_open(void **s) {
    struct bench b;
    publisher(&b, "qos=1 clean=1");
    bench_publish(&b, 7, 4);
    bench_close(&b);
    bench_expect_message(&b, TW_EVENT_FAILED, 7, "connection_lost");
}

static void test_malformed_datagrams_are_dropped(void **s) {
    struct bench b;
    publisher(&b, "");
    FEED(&b, 3, 0x18);                /* length says 3, the datagram has 2 */
    FEED(&b, 2, 0x05);                /* CONNACK without code */
    FEED(&b, 0x01, 0x00, 0x04, 0xaa); /* unknown type in the long form */
    FEED(&b, 6, 0x0c, 0, 0, 5, 0);    /* PUBLISH cut short */
    FEED(&b, 3, 0x17, 0);             /* PINGRESP with something behind it */
    FEED(&b, 2, 0x03);                /* reserved type */
    bench_expect_silence(&b);
    bench_expect_no_event(&b);
}

static void test_finish_disconnects(void **s) {
    struct bench b;
    publisher(&b, "");
    b.engine->finish(&b.state, b.now);
    EXPECT(&b, 2, 0x18);
    bench_expect_event(&b, TW_EVENT_CLOSE);
}

static void test_unusable_configuration_is_named(void **s) {
    struct bench b;
    assert_string_equal(bench_init(&b, "proto=mqttsn qos=-1"), "topic_type");
    assert_string_equal(bench_init(&b, "proto=mqttsn topic_type=short topic=abc"), "topic");
    assert_string_equal(bench_init(&b, "proto=mqttsn role=serve"), "role");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_connect_bytes),
        cmocka_unit_test(test_register_bytes_and_topic_id),
        cmocka_unit_test(test_refused_registration_is_an_error),
        cmocka_unit_test(test_will_dialogue),
        cmocka_unit_test(test_predefined_topic_bytes),
        cmocka_unit_test(test_short_topic_bytes),
        cmocka_unit_test(test_qos_minus_one_needs_no_connection),
        cmocka_unit_test(test_long_message_uses_three_length_bytes),
        cmocka_unit_test(test_largest_short_length),
        cmocka_unit_test(test_qos1_flow),
        cmocka_unit_test(test_qos2_flow),
        cmocka_unit_test(test_retransmission_sets_dup_and_gives_up),
        cmocka_unit_test(test_pubrel_is_retransmitted),
        cmocka_unit_test(test_unanswered_connect_is_repeated_then_an_error),
        cmocka_unit_test(test_invalid_topic_id_registers_again),
        cmocka_unit_test(test_topic_refused_after_registration_fails),
        cmocka_unit_test(test_late_refusal_of_the_old_topic_id_fails_nothing),
        cmocka_unit_test(test_refused_publish_fails),
        cmocka_unit_test(test_congestion_stops_publishing_for_five_minutes),
        cmocka_unit_test(test_congestion_stops_publishing_at_qos0_too),
        cmocka_unit_test(test_congested_registration_waits_five_minutes),
        cmocka_unit_test(test_subscribe_by_name),
        cmocka_unit_test(test_subscribe_predefined_and_short),
        cmocka_unit_test(test_refused_subscription_is_an_error),
        cmocka_unit_test(test_incoming_qos1),
        cmocka_unit_test(test_incoming_qos2_is_delivered_once),
        cmocka_unit_test(test_late_copies_do_not_fill_the_memory),
        cmocka_unit_test(test_unknown_topic_id_is_refused),
        cmocka_unit_test(test_wildcard_takes_what_the_gateway_registers),
        cmocka_unit_test(test_wildcards_and_the_first_level),
        cmocka_unit_test(test_filter_is_no_topic_to_publish_to),
        cmocka_unit_test(test_gateway_may_rename_the_topic),
        cmocka_unit_test(test_kept_session_resends_after_reconnecting),
        cmocka_unit_test(test_clean_session_fails_what_is_open),
        cmocka_unit_test(test_malformed_datagrams_are_dropped),
        cmocka_unit_test(test_finish_disconnects),
        cmocka_unit_test(test_unusable_configuration_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
