/* MQTT 5 client, connection and publishing: each test asks one question; MQTT-x.y.z-n are the
 * standard's own labels. */
#include "mqtt5_bench.h"

static void test_connect_bytes(void **s) {
    struct bench b;
    bench_start(&b, "proto=mqtt5 id=tw keepalive_s=60");
    EXPECT(&b, 0x10, 15,                   /* CONNECT, remaining length */
           0x00, 0x04, 'M', 'Q', 'T', 'T', /* protocol name */
           0x05,                           /* version 5 */
           0x02,                           /* clean start */
           0x00, 60,                       /* keep alive */
           0x00,                           /* no properties */
           0x00, 0x02, 't', 'w');          /* client identifier */
    bench_expect_silence(&b);
    bench_expect_no_event(&b);
}

static void test_connect_properties_bytes(void **s) {
    struct bench b;
    bench_start(&b, "proto=mqtt5 id=tw clean=0 session_expiry_s=3600 receive_max=5 "
                    "packet_max=1000 topic_alias=1");
    EXPECT(&b, 0x10, 31, 0x00, 0x04, 'M', 'Q', 'T', 'T', 0x05, 0x00, 0x00, 60, /* session kept */
           16,                                                                 /* properties */
           0x11, 0x00, 0x00, 0x0e, 0x10, /* session expiry interval 3600 s */
           0x21, 0x00, 0x05,             /* receive maximum */
           0x27, 0x00, 0x00, 0x03, 0xe8, /* maximum packet size */
           0x22, 0x00, 0x10,             /* topic alias maximum */
           0x00, 0x02, 't', 'w');
}

static void test_clean_session_asks_for_no_expiry(void **s) {
    struct bench b;
    bench_start(&b, "proto=mqtt5 id=tw clean=1 session_expiry_s=3600");
    EXPECT(&b, 0x10, 15, 0x00, 0x04, 'M', 'Q', 'T', 'T', 0x05, 0x02, 0x00, 60, 0x00);
}

static void test_connect_will_bytes(void **s) {
    struct bench b;
    bench_start(&b, "proto=mqtt5 id=tw topic=a will=1 qos=2 keepalive_s=300");
    EXPECT(&b, 0x10, 28, 0x00, 0x04, 'M', 'Q', 'T', 'T', 0x05, 0x16, 0x01, 0x2c, 0x00, /* head */
           0x00, 0x02, 't', 'w',                     /* client identifier */
           0x00,                                     /* no will properties */
           0x00, 0x06, 'a', '/', 'w', 'i', 'l', 'l', /* will topic */
           0x00, 0x02, 't', 'w');                    /* will payload */
}

static void test_publish_qos0_bytes(void **s) {
    struct bench b;
    connect_with(&b, "qos=0");
    assert_int_equal(bench_publish(&b, 7, 6), TW_PUBLISHED);
    EXPECT(&b, 0x30, 10, 0x00, 0x01, 't', 0x00, 't', 'w', ':', '7', '.', '.');
    bench_expect_no_event(&b);
}

static void test_publish_qos1_bytes_and_ack(void **s) {
    struct bench b;
    connect_with(&b, "qos=1");
    bench_publish(&b, 7, 4);
    EXPECT(&b, 0x32, 10, 0x00, 0x01, 't', 0x00, 0x01, 0x00, 't', 'w', ':', '7');
    FEED(&b, 0x40, 0x02, 0x00, 0x01);
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
    assert_true(b.engine->idle(&b.state));
}

static void test_puback_with_reason_and_properties(void **s) {
    struct bench b;
    connect_with(&b, "qos=1");
    bench_publish(&b, 7, 4);
    bench_publish(&b, 8, 4);
    FEED(&b, 0x40, 0x03, 0x00, 0x01, 0x10);                        /* no matching subscribers */
    FEED(&b, 0x40, 0x08, 0x00, 0x02, 0x97, 0x04, 0x1f, 0, 1, 'x'); /* quota exceeded, and why */
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
    bench_expect_message(&b, TW_EVENT_FAILED, 8, "quota_exceeded");
    assert_int_equal(b.event_next, b.event_count);
}

static void test_publish_qos2_flow(void **s) {
    struct bench b;
    connect_with(&b, "qos=2");
    bench_publish(&b, 7, 4);
    EXPECT(&b, 0x34, 10, 0x00, 0x01, 't', 0x00, 0x01, 0x00, 't', 'w', ':', '7');
    FEED(&b, 0x50, 0x02, 0x00, 0x01);
    EXPECT(&b, 0x62, 0x02, 0x00, 0x01);
    bench_expect_no_event(&b);
    FEED(&b, 0x70, 0x02, 0x00, 0x01);
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
}

static void test_pubrec_with_a_failure_ends_the_exchange(void **s) {
    struct bench b;
    connect_with(&b, "qos=2");
    bench_publish(&b, 7, 4);
    bench_skip(&b);
    FEED(&b, 0x50, 0x03, 0x00, 0x01, 0x87);
    bench_expect_message(&b, TW_EVENT_FAILED, 7, "not_authorized");
    bench_expect_silence(&b); /* no PUBREL */
    assert_true(b.engine->idle(&b.state));
}

static void test_unknown_pubrec_is_answered(void **s) {
    struct bench b;
    connect_with(&b, "qos=2");
    FEED(&b, 0x50, 0x02, 0x12, 0x34);
    EXPECT(&b, 0x62, 0x03, 0x12, 0x34, 0x92); /* packet identifier not found */
}

static void test_pubcomp_of_an_unknown_identifier_completes(void **s) {
    struct bench b;
    connect_with(&b, "qos=2");
    bench_publish(&b, 7, 4);
    FEED(&b, 0x50, 0x02, 0x00, 0x01);
    FEED(&b, 0x70, 0x03, 0x00, 0x01, 0x92);
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
}

static void test_reason_codes_of_other_packets_are_errors(void **s) {
    static const uint8_t packets[][5] = {
        {0x40, 0x03, 0x00, 0x01, 0x92}, /* PUBACK: packet identifier not found */
        {0x50, 0x03, 0x00, 0x01, 0x02}, /* PUBREC: granted QoS 2 */
        {0x62, 0x03, 0x00, 0x01, 0x80}, /* PUBREL: unspecified error */
        {0x70, 0x03, 0x00, 0x01, 0x10}, /* PUBCOMP: no matching subscribers */
        {0x40, 0x02, 0x00, 0x00, 0x00}, /* identifier 0 */
    };
    for (size_t i = 0; i < sizeof packets / sizeof *packets; i++) {
        struct bench b;
        connect_with(&b, "qos=2");
        bench_feed(&b, packets[i], packets[i][1] + 2u);
        expect_refusal(&b, 0x82, "protocol_error");
    }
}

static void test_identifiers_are_unused_and_never_0(void **s) {
    struct bench b;
    connect_with(&b, "qos=1 inflight=2");
    bench_publish(&b, 1, 4); /* identifier 1, not acknowledged */
    bench_skip(&b);
    for (uint32_t id = 2; id <= 0xffff; id++) {
        bench_publish(&b, id, 4);
        bench_skip(&b);
        FEED(&b, 0x40, 0x02, (uint8_t)(id >> 8), (uint8_t)id);
        bench_expect_message(&b, TW_EVENT_ACKED, id, NULL);
        b.event_count = b.event_next = 0;
    }
    bench_publish(&b, 7, 4);
    EXPECT(&b, 0x32, 10, 0x00, 0x01, 't', 0x00, 0x02, 0x00, 't', 'w', ':', '7');
}

/* ---- topic aliases ---- */

static void test_alias_replaces_the_topic(void **s) {
    struct bench b;
    open_with(&b, "qos=0 topic_alias=1");
    FEED(&b, 0x20, 0x06, 0x00, 0x00, 0x03, 0x22, 0x00, 0x05); /* topic alias maximum 5 */
    bench_publish(&b, 1, 4);
    EXPECT(&b, 0x30, 11, 0x00, 0x01, 't', 3, 0x23, 0x00, 0x01, 't', 'w', ':', '1');
    bench_publish(&b, 2, 4);
    EXPECT(&b, 0x30, 10, 0x00, 0x00, 3, 0x23, 0x00, 0x01, 't', 'w', ':', '2');
}

static void test_alias_belongs_to_a_connection(void **s) {
    struct bench b;
    open_with(&b, "qos=1 topic_alias=1 clean=0");
    FEED(&b, 0x20, 0x06, 0x00, 0x00, 0x03, 0x22, 0x00, 0x05);
    bench_publish(&b, 1, 4);
    bench_publish(&b, 2, 4);
    reopen(&b);
    FEED(&b, 0x20, 0x06, 0x01, 0x00, 0x03, 0x22, 0x00, 0x05);
    EXPECT(&b, 0x3a, 13, 0x00, 0x01, 't', 0x00, 0x01, 3, 0x23, 0x00, 0x01, 't', 'w', ':', '1', /* */
           0x3a, 12, 0x00, 0x00, 0x00, 0x02, 3, 0x23, 0x00, 0x01, 't', 'w', ':', '2');
}

static void test_no_alias_where_the_server_takes_none(void **s) {
    struct bench b;
    connect_with(&b, "qos=0 topic_alias=1");
    bench_publish(&b, 1, 4);
    EXPECT(&b, 0x30, 8, 0x00, 0x01, 't', 0x00, 't', 'w', ':', '1');
}

/* ---- expiry ---- */

static void test_message_expiry_counts_down(void **s) {
    struct bench b;
    connect_with(&b, "qos=1 message_expiry_s=10 clean=0");
    bench_publish(&b, 1, 4);
    EXPECT(&b, 0x32, 15, 0x00, 0x01, 't', 0x00, 0x01, 5, 0x02, 0, 0, 0, 10, 't', 'w', ':', '1');
    b.now += TW_SECONDS(4);
    reopen(&b);
    FEED(&b, CONNACK5_RESUMED);
    EXPECT(&b, 0x3a, 15, 0x00, 0x01, 't', 0x00, 0x01, 5, 0x02, 0, 0, 0, 6, 't', 'w', ':', '1');
}

static void test_expired_message_is_not_sent(void **s) {
    struct bench b;
    struct tw_message old = {.seq = 3, .size = 4, .created_us = TW_SECONDS(1)};
    connect_with(&b, "qos=1 message_expiry_s=10");
    b.now = TW_SECONDS(11);
    assert_int_equal(b.engine->publish(&b.state, b.now, &old), TW_UNWANTED);
    bench_expect_message(&b, TW_EVENT_FAILED, 3, "message_expired");
    bench_expect_silence(&b);
}

static void test_server_shortens_the_session(void **s) {
    struct bench b;
    open_with(&b, "qos=1 clean=0 session_expiry_s=3600");
    FEED(&b, 0x20, 0x08, 0x00, 0x00, 0x05, 0x11, 0, 0, 0, 0); /* it ends with the connection */
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    bench_publish(&b, 1, 4);
    bench_close(&b);
    bench_expect_message(&b, TW_EVENT_FAILED, 1, "connection_lost");
}

/* ---- flow control ---- */

static void test_receive_maximum_of_the_server_is_kept(void **s) {
    struct bench b;
    open_with(&b, "qos=1");
    FEED(&b, 0x20, 0x06, 0x00, 0x00, 0x03, 0x21, 0x00, 0x02); /* receive maximum 2 */
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    assert_int_equal(bench_publish(&b, 1, 4), TW_PUBLISHED);
    assert_int_equal(bench_publish(&b, 2, 4), TW_PUBLISHED);
    assert_int_equal(bench_publish(&b, 3, 4), TW_BUSY);
    FEED(&b, 0x40, 0x03, 0x00, 0x01, 0x80); /* a failure frees its place as well */
    assert_int_equal(bench_publish(&b, 3, 4), TW_PUBLISHED);
    assert_int_equal(bench_publish(&b, 4, 4), TW_BUSY);
}

static void test_receive_maximum_holds_for_repetitions(void **s) {
    struct bench b;
    connect_with(&b, "qos=2 clean=0");
    for (uint32_t seq = 1; seq <= 3; seq++)
        bench_publish(&b, seq, 4);
    reopen(&b);
    FEED(&b, 0x20, 0x06, 0x01, 0x00, 0x03, 0x21, 0x00, 0x01);
    EXPECT(&b, 0x3c, 10, 0x00, 0x01, 't', 0x00, 0x01, 0x00, 't', 'w', ':', '1');
    bench_expect_silence(&b);
    FEED(&b, 0x50, 0x02, 0x00, 0x01);
    EXPECT(&b, 0x62, 0x02, 0x00, 0x01);
    bench_expect_silence(&b); /* PUBREC frees no place */
    FEED(&b, 0x70, 0x02, 0x00, 0x01);
    EXPECT(&b, 0x3c, 10, 0x00, 0x01, 't', 0x00, 0x02, 0x00, 't', 'w', ':', '2');
    bench_expect_silence(&b);
}

static void test_qos0_needs_no_quota(void **s) {
    struct bench b;
    open_with(&b, "qos=0");
    FEED(&b, 0x20, 0x06, 0x00, 0x00, 0x03, 0x21, 0x00, 0x01);
    for (uint32_t seq = 1; seq <= 3; seq++)
        assert_int_equal(bench_publish(&b, seq, 4), TW_PUBLISHED);
}

static void test_packets_beyond_the_servers_maximum_are_not_sent(void **s) {
    struct bench b;
    open_with(&b, "qos=1 clean=0");
    FEED(&b, 0x20, 0x08, 0x00, 0x00, 0x05, 0x27, 0, 0, 0, 12); /* maximum packet size 12 */
    assert_int_equal(bench_publish(&b, 1, 5), TW_UNSUPPORTED);
    assert_int_equal(bench_publish(&b, 2, 4), TW_PUBLISHED);
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    reopen(&b);
    FEED(&b, 0x20, 0x08, 0x01, 0x00, 0x05, 0x27, 0, 0, 0, 11); /* it has become less */
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    bench_expect_message(&b, TW_EVENT_FAILED, 2, "packet_too_large");
    bench_expect_silence(&b);
}

static void test_unusable_configuration_is_named(void **s) {
    struct bench b;
    assert_string_equal(bench_init(&b, "proto=mqtt5 qos=-1"), "qos");
    assert_string_equal(bench_init(&b, "proto=mqtt5 role=serve"), "role");
    assert_string_equal(bench_init(&b, "proto=mqtt5 quirks=byte_at_a_time_read"), "quirks");
    assert_null(bench_init(&b, "proto=mqtt5 quirks=window_each_40_ms"));
}

static void test_the_largest_payload_leaves_in_pieces(void **s) {
    static uint8_t data[20000], payload[16384];
    struct bench b;
    connect_with(&b, "qos=1 payload_bytes=16384");
    assert_int_equal(bench_publish(&b, 1, 16384), TW_PUBLISHED);
    assert_int_equal(bench_take_slowly(&b, data, sizeof data, 536, SIZE_MAX), 1 + 3 + 6 + 16384);
    assert_memory_equal(data, ((uint8_t[]){0x32, 0x86, 0x80, 0x01, 0x00, 0x01, 't'}), 7);
    bench_payload(&b, 1, sizeof payload, payload);
    assert_memory_equal(data + 10, payload, sizeof payload);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_connect_bytes),
        cmocka_unit_test(test_connect_properties_bytes),
        cmocka_unit_test(test_clean_session_asks_for_no_expiry),
        cmocka_unit_test(test_connect_will_bytes),
        cmocka_unit_test(test_publish_qos0_bytes),
        cmocka_unit_test(test_publish_qos1_bytes_and_ack),
        cmocka_unit_test(test_puback_with_reason_and_properties),
        cmocka_unit_test(test_publish_qos2_flow),
        cmocka_unit_test(test_pubrec_with_a_failure_ends_the_exchange),
        cmocka_unit_test(test_unknown_pubrec_is_answered),
        cmocka_unit_test(test_pubcomp_of_an_unknown_identifier_completes),
        cmocka_unit_test(test_reason_codes_of_other_packets_are_errors),
        cmocka_unit_test(test_identifiers_are_unused_and_never_0),
        cmocka_unit_test(test_alias_replaces_the_topic),
        cmocka_unit_test(test_alias_belongs_to_a_connection),
        cmocka_unit_test(test_no_alias_where_the_server_takes_none),
        cmocka_unit_test(test_message_expiry_counts_down),
        cmocka_unit_test(test_expired_message_is_not_sent),
        cmocka_unit_test(test_server_shortens_the_session),
        cmocka_unit_test(test_receive_maximum_of_the_server_is_kept),
        cmocka_unit_test(test_receive_maximum_holds_for_repetitions),
        cmocka_unit_test(test_qos0_needs_no_quota),
        cmocka_unit_test(test_packets_beyond_the_servers_maximum_are_not_sent),
        cmocka_unit_test(test_unusable_configuration_is_named),
        cmocka_unit_test(test_the_largest_payload_leaves_in_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
