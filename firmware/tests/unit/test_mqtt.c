/* MQTT 3.1.1 client, connection and publishing: each test asks one question; MQTT-x.y.z-n are the
 * standard's own labels. */
#include "mqtt_bench.h"

/* A connected publisher with id "tw" and topic "t". */
static void connect_with(struct bench *b, const char *config) {
    uint8_t connect[128];
    char text[256];
    bench_join(text, "proto=mqtt topic=t ", config);
    bench_start(b, text);
    bench_take(b, connect, sizeof connect);
    FEED(b, CONNACK_NEW);
    bench_expect_event(b, TW_EVENT_CONNECTED);
}

static void test_connect_bytes(void **s) {
    struct bench b;
    bench_start(&b, "proto=mqtt id=tw keepalive_s=60");
    EXPECT(&b, 0x10, 14,                   /* CONNECT, remaining length */
           0x00, 0x04, 'M', 'Q', 'T', 'T', /* protocol name */
           0x04,                           /* level 3.1.1 */
           0x02,                           /* clean session */
           0x00, 60,                       /* keep alive */
           0x00, 0x02, 't', 'w');          /* client identifier */
    bench_expect_silence(&b);              /* nothing before CONNACK */
    bench_expect_no_event(&b);
}

static void test_connect_will_bytes(void **s) {
    struct bench b;
    bench_start(&b, "proto=mqtt id=tw topic=a will=1 qos=2 clean=0 keepalive_s=300");
    EXPECT(&b, 0x10, 26, 0x00, 0x04, 'M', 'Q', 'T', 'T', 0x04,
           0x14,                                     /* will, will QoS 2, session kept */
           0x01, 0x2c,                               /* keep alive 300 s */
           0x00, 0x02, 't', 'w',                     /* client identifier */
           0x00, 0x06, 'a', '/', 'w', 'i', 'l', 'l', /* will topic */
           0x00, 0x02, 't', 'w');                    /* will message */
}

static void test_publish_qos0_bytes(void **s) {
    struct bench b;
    connect_with(&b, "qos=0");
    assert_int_equal(bench_publish(&b, 7, 6), TW_PUBLISHED);
    EXPECT(&b, 0x30, 9,                   /* PUBLISH, QoS 0 */
           0x00, 0x01, 't',               /* topic */
           't', 'w', ':', '7', '.', '.'); /* payload */
    bench_expect_no_event(&b);            /* QoS 0 has no acknowledgement */
}

static void test_publish_qos1_bytes_and_ack(void **s) {
    struct bench b;
    connect_with(&b, "qos=1");
    bench_publish(&b, 7, 4);
    EXPECT(&b, 0x32, 9,                 /* PUBLISH, QoS 1 */
           0x00, 0x01, 't', 0x00, 0x01, /* topic, packet identifier 1 */
           't', 'w', ':', '7');
    assert_false(b.engine->idle(&b.state));
    FEED(&b, 0x40, 0x02, 0x00, 0x01); /* PUBACK 1 */
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
    assert_true(b.engine->idle(&b.state));
}

static void test_publish_qos2_flow(void **s) {
    struct bench b;
    connect_with(&b, "qos=2");
    bench_publish(&b, 7, 4);
    EXPECT(&b, 0x34, 9, 0x00, 0x01, 't', 0x00, 0x01, 't', 'w', ':', '7');
    FEED(&b, 0x50, 0x02, 0x00, 0x01);   /* PUBREC 1 */
    EXPECT(&b, 0x62, 0x02, 0x00, 0x01); /* PUBREL 1, reserved flags 2 [MQTT-3.6.1-1] */
    bench_expect_no_event(&b);
    FEED(&b, 0x70, 0x02, 0x00, 0x01); /* PUBCOMP 1 */
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
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
    }
    bench_publish(&b, 7, 4);
    EXPECT(&b, 0x32, 9, 0x00, 0x01, 't', 0x00, 0x02, 't', 'w', ':', '7'); /* not 0, and not 1 */
}

static void test_long_publish_uses_two_length_bytes(void **s) {
    struct bench b;
    uint8_t data[2048];
    connect_with(&b, "qos=0");
    bench_publish(&b, 1, 1440);
    assert_int_equal(bench_take(&b, data, sizeof data), 3 + 3 + 1440);
    assert_memory_equal(data, ((uint8_t[]){0x30, 0xa3, 0x0b, 0x00, 0x01, 't'}), 6); /* 1443 */
}

static void test_unknown_puback_is_ignored(void **s) {
    struct bench b;
    connect_with(&b, "qos=1");
    FEED(&b, 0x40, 0x02, 0x12, 0x34);
    bench_expect_no_event(&b);
    bench_expect_silence(&b);
}

static void test_unknown_pubrec_is_answered(void **s) {
    struct bench b;
    connect_with(&b, "qos=2");
    FEED(&b, 0x50, 0x02, 0x12, 0x34);
    EXPECT(&b, 0x62, 0x02, 0x12, 0x34); /* lets the server finish its half */
}

static void test_refused_connection_is_an_error(void **s) {
    struct bench b;
    bench_start(&b, "proto=mqtt");
    FEED(&b, 0x20, 0x02, 0x00, 0x05); /* CONNACK: not authorised */
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "connection_refused");
}

static void test_session_present_after_clean_is_an_error(void **s) {
    struct bench b;
    bench_start(&b, "proto=mqtt clean=1");
    FEED(&b, CONNACK_RESUMED); /* [MQTT-3.2.2-1] */
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "unexpected_connack");
}

static void test_packet_before_connack_is_an_error(void **s) {
    struct bench b;
    bench_start(&b, "proto=mqtt");
    FEED(&b, 0xd0, 0x00); /* PINGRESP [MQTT-3.2.0-1] */
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "connack_expected");
}

static void test_missing_connack_is_an_error(void **s) {
    struct bench b;
    bench_start(&b, "proto=mqtt");
    bench_sleep(&b);
    assert_int_equal(b.now, TW_SECONDS(11));
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "no_connack");
}

static void test_keep_alive_pings_when_silent(void **s) {
    struct bench b;
    connect_with(&b, "keepalive_s=20");
    bench_sleep(&b);
    assert_int_equal(b.now, TW_SECONDS(16)); /* three quarters of the keep alive after CONNECT */
    EXPECT(&b, 0xc0, 0x00);                  /* PINGREQ */
    FEED(&b, 0xd0, 0x00);                    /* PINGRESP */
    bench_sleep(&b);
    assert_int_equal(b.now, TW_SECONDS(31));
    bench_expect_no_event(&b);
}

static void test_publishing_postpones_the_ping(void **s) {
    struct bench b;
    connect_with(&b, "keepalive_s=20 qos=0");
    b.now = TW_SECONDS(10);
    bench_publish(&b, 1, 10);
    bench_skip(&b);
    assert_int_equal(b.engine->deadline(&b.state), TW_SECONDS(25));
}

static void test_missing_pingresp_is_an_error(void **s) {
    struct bench b;
    connect_with(&b, "keepalive_s=60");
    bench_sleep(&b);
    bench_wait(&b, TW_SECONDS(10));
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "no_pingresp");
}

static void test_pingresp_behind_a_long_message_is_not_late(void **s) {
    struct bench b;
    connect_with(&b, "keepalive_s=60");
    FEED(&b, 0x30, 0xff, 0x7f, 0, 1, 't'); /* 16 kB on a slow link */
    bench_sleep(&b);
    EXPECT(&b, 0xc0, 0x00);
    for (int second = 0; second < 60; second++) {
        FEED(&b, 'x');
        bench_wait(&b, TW_SECONDS(1));
    }
    bench_expect_no_event(&b);
    bench_wait(&b, TW_SECONDS(10)); /* and then silence */
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "no_pingresp");
}

static void test_pingreq_behind_a_long_message_is_not_late(void **s) {
    static uint8_t data[17000];
    struct bench b;
    size_t size = 0;
    connect_with(&b, "qos=0 keepalive_s=20");
    bench_publish(&b, 7, 16384);
    for (int i = 0; i < 41; i++) { /* 400 bytes each 5 s */
        size += bench_take_slowly(&b, data, sizeof data, 400, 1);
        bench_wait(&b, TW_SECONDS(5));
    }
    bench_expect_no_event(&b);
    assert_true(size < 16384);
    bench_wait(&b, TW_SECONDS(10)); /* and then nothing passes */
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "no_pingresp");
}

static void test_keep_alive_zero_never_pings(void **s) {
    struct bench b;
    connect_with(&b, "keepalive_s=0");
    assert_true(b.engine->deadline(&b.state) == TW_NEVER);
}

static void test_resumed_session_resends_in_order_with_dup(void **s) {
    struct bench b;
    connect_with(&b, "qos=2 clean=0");
    bench_publish(&b, 1, 4);
    bench_publish(&b, 2, 4);
    bench_skip(&b);
    FEED(&b, 0x50, 0x02, 0x00, 0x01); /* PUBREC for the first only */
    bench_skip(&b);
    reconnect(&b, true);
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    EXPECT(&b, 0x62, 0x02, 0x00, 0x01,                                /* PUBREL 1 */
           0x3c, 9, 0x00, 0x01, 't', 0x00, 0x02, 't', 'w', ':', '2'); /* PUBLISH 2, DUP */
    bench_expect_message(&b, TW_EVENT_RETRANSMITTED, 1, NULL);
    bench_expect_message(&b, TW_EVENT_RETRANSMITTED, 2, NULL);
    FEED(&b, 0x70, 0x02, 0x00, 0x01);
    bench_expect_message(&b, TW_EVENT_ACKED, 1, NULL);
}

/* A device that was reset meets the session of before, in which PUBLISH 1 may be open. */
static void test_unknown_session_is_discarded_at_qos2(void **s) {
    struct bench b;
    bench_start(&b, "proto=mqtt id=tw qos=2 clean=0");
    bench_skip(&b);
    FEED(&b, CONNACK_RESUMED);
    assert_string_equal(bench_expect_event(&b, TW_EVENT_CLOSE)->reason, "session_unknown");
    EXPECT(&b, 0xe0, 0x00);
    for (int i = 0; i < 2; i++) { /* a clean connection that fails is tried again */
        bench_close(&b);
        bench_open(&b, 0);
        EXPECT(&b, 0x10, 14, 0x00, 0x04, 'M', 'Q', 'T', 'T', 0x04, 0x02, 0x00, 60, 0x00, 0x02, 't',
               'w');
    }
    FEED(&b, CONNACK_NEW);
    assert_string_equal(bench_expect_event(&b, TW_EVENT_CLOSE)->reason, "session_discarded");
    EXPECT(&b, 0xe0, 0x00);
    bench_close(&b);
    bench_open(&b, 0);
    EXPECT(&b, 0x10, 14, 0x00, 0x04, 'M', 'Q', 'T', 'T', 0x04, 0x00, 0x00, 60, 0x00, 0x02, 't',
           'w');
    FEED(&b, CONNACK_NEW);
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    reconnect(&b, true); /* this one is ours */
    bench_expect_event(&b, TW_EVENT_CONNECTED);
}

static void test_unknown_session_goes_on_where_no_identifier_is_open(void **s) {
    static const char *const configs[] = {"proto=mqtt qos=1 clean=0",
                                          "proto=mqtt qos=2 clean=0 role=subscribe"};
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
        struct bench b;
        bench_start(&b, configs[i]);
        FEED(&b, CONNACK_RESUMED);
        if (i)
            FEED(&b, 0x90, 0x03, 0x00, 0x01, 0x02);
        bench_expect_event(&b, TW_EVENT_CONNECTED);
    }
}

static void test_session_survives_deep_sleep(void **s) {
    struct bench b;
    bench_wake(&b, "proto=mqtt qos=2 clean=0");
    FEED(&b, CONNACK_RESUMED);
    bench_expect_event(&b, TW_EVENT_CONNECTED);
}

static void test_lost_session_resends_as_new(void **s) {
    struct bench b;
    connect_with(&b, "qos=1 clean=0");
    bench_publish(&b, 1, 4);
    bench_skip(&b);
    reconnect(&b, false); /* the server came back without its sessions */
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    EXPECT(&b, 0x32, 9, 0x00, 0x01, 't', 0x00, 0x01, 't', 'w', ':', '1'); /* DUP is not set */
}

static void test_lost_session_fails_what_the_server_owned(void **s) {
    struct bench b;
    connect_with(&b, "qos=2 clean=0");
    bench_publish(&b, 1, 4);
    FEED(&b, 0x50, 0x02, 0x00, 0x01);
    bench_skip(&b);
    reconnect(&b, false);
    bench_expect_message(&b, TW_EVENT_FAILED, 1, "session_lost");
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    bench_expect_silence(&b);
}

static void test_clean_session_fails_what_is_open(void **s) {
    struct bench b;
    connect_with(&b, "qos=1 clean=1");
    bench_publish(&b, 1, 4);
    bench_close(&b);
    bench_expect_message(&b, TW_EVENT_FAILED, 1, "connection_lost");
}

static void test_offline_depends_on_the_guarantee(void **s) {
    struct bench b;
    bench_start(&b, "proto=mqtt qos=0");
    assert_int_equal(bench_publish(&b, 1, 10), TW_OFFLINE);
    bench_start(&b, "proto=mqtt qos=1");
    assert_int_equal(bench_publish(&b, 1, 10), TW_BUSY);
}

static void test_inflight_limit(void **s) {
    struct bench b;
    connect_with(&b, "qos=1 inflight=2");
    assert_int_equal(bench_publish(&b, 1, 4), TW_PUBLISHED);
    assert_int_equal(bench_publish(&b, 2, 4), TW_PUBLISHED);
    assert_int_equal(bench_publish(&b, 3, 4), TW_BUSY);
    FEED(&b, 0x40, 0x02, 0x00, 0x02); /* PUBACK, out of order */
    assert_int_equal(bench_publish(&b, 3, 4), TW_PUBLISHED);
}

static void test_blocked_network_makes_publish_busy(void **s) {
    struct bench b;
    connect_with(&b, "qos=0");
    assert_int_equal(bench_publish(&b, 1, 1440), TW_PUBLISHED);
    assert_int_equal(bench_publish(&b, 2, 1440), TW_BUSY);
    bench_skip(&b);
    assert_int_equal(bench_publish(&b, 2, 1440), TW_PUBLISHED);
}

static void expect_malformed(const uint8_t *data, size_t size) {
    struct bench b;
    connect_with(&b, "qos=1");
    bench_feed(&b, data, size);
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "malformed_packet");
    bench_feed(&b, data, size); /* and nothing more is read */
    bench_expect_no_event(&b);
}

static void test_malformed_packets_are_errors(void **s) {
    expect_malformed(BYTES(0x36, 6, 0, 1, 't', 0, 1, 'a'));      /* QoS 3 [MQTT-3.3.1-4] */
    expect_malformed(BYTES(0x30, 0xff, 0xff, 0xff, 0xff, 0x01)); /* five length bytes */
    expect_malformed(BYTES(0x30, 3, 0, 9, 't'));                 /* topic longer than the packet */
    expect_malformed(BYTES(0x30, 3, 0, 0, 't'));                 /* empty topic [MQTT-4.7.3-1] */
    expect_malformed(BYTES(0x32, 6, 0, 1, 't', 0, 0, 'a'));      /* identifier 0 [MQTT-2.3.1-1] */
    expect_malformed(BYTES(0x60, 2, 0, 1));                      /* PUBREL flags [MQTT-3.6.1-1] */
    expect_malformed(BYTES(0x41, 2, 0, 1));                      /* PUBACK flags [MQTT-2.2.2-2] */
    expect_malformed(BYTES(0x40, 3, 0, 1, 0));                   /* PUBACK of three bytes */
    expect_malformed(BYTES(0x10, 0));                            /* CONNECT from a server */
    expect_malformed(BYTES(0x00, 0));                            /* type 0 */
}

static void test_topics_that_are_no_text_are_errors(void **s) {
    expect_malformed(BYTES(0x30, 5, 0, 3, 't', 0, 'a'));            /* U+0000 */
    expect_malformed(BYTES(0x30, 4, 0, 2, 0xc3, 0x28));             /* cut short within */
    expect_malformed(BYTES(0x32, 6, 0, 2, 't', 0xc3, 0, 1));        /* and at the end */
    expect_malformed(BYTES(0x30, 4, 0, 2, 0xc0, 0x80));             /* overlong */
    expect_malformed(BYTES(0x30, 5, 0, 3, 0xed, 0xa0, 0x80));       /* a surrogate */
    expect_malformed(BYTES(0x30, 6, 0, 4, 0xf4, 0x90, 0x80, 0x80)); /* above U+10FFFF */
    expect_malformed(BYTES(0x30, 5, 0, 3, 't', '/', '+'));          /* [MQTT-3.3.2-2] */
    expect_malformed(BYTES(0x30, 3, 0, 1, '#'));
}

static void test_finish_disconnects(void **s) {
    struct bench b;
    connect_with(&b, "qos=0");
    b.engine->finish(&b.state, b.now);
    EXPECT(&b, 0xe0, 0x00); /* DISCONNECT [MQTT-3.14.4-1] */
    bench_expect_event(&b, TW_EVENT_CLOSE);
    assert_int_not_equal(bench_publish(&b, 1, 4), TW_PUBLISHED);
    bench_expect_silence(&b); /* nothing more [MQTT-3.14.4-2] */
}

static void test_unusable_configuration_is_named(void **s) {
    struct bench b;
    assert_string_equal(bench_init(&b, "proto=mqtt qos=-1"), "qos");
    assert_string_equal(bench_init(&b, "proto=mqtt role=serve"), "role");
}

/* A payload that the buffer does not hold is made as it leaves; what is answered meanwhile leaves
 * after it. */
static void test_the_largest_payload_leaves_in_pieces(void **s) {
    static uint8_t data[17000], payload[16384];
    struct bench b;
    connect_with(&b, "qos=2");
    bench_publish(&b, 1, 4);
    bench_take(&b, data, sizeof data);
    assert_int_equal(bench_publish(&b, 2, sizeof payload), TW_PUBLISHED);
    size_t size = bench_take_slowly(&b, data, sizeof data, 1000, 3);
    FEED(&b, 0x50, 0x02, 0x00, 0x01); /* PUBREC of the first */
    assert_int_equal(bench_publish(&b, 3, sizeof payload), TW_BUSY);
    size += bench_take_slowly(&b, data + size, sizeof data - size, 1000, SIZE_MAX);
    bench_payload(&b, 2, sizeof payload, payload);
    assert_int_equal(size, 4 + 5 + sizeof payload + 4);
    assert_memory_equal(
        data, ((const uint8_t[]){0x34, 0x85, 0x80, 0x01, 0x00, 0x01, 't', 0x00, 0x02}), 9);
    assert_memory_equal(data + 9, payload, sizeof payload);
    assert_memory_equal(data + 9 + sizeof payload, ((const uint8_t[]){0x62, 0x02, 0x00, 0x01}),
                        4); /* PUBREL */
    assert_int_equal(bench_publish(&b, 3, 4), TW_PUBLISHED);
}

static void test_a_closed_connection_forgets_what_was_to_be_made(void **s) {
    uint8_t data[64];
    struct bench b;
    connect_with(&b, "qos=0");
    bench_publish(&b, 1, 16384);
    reconnect(&b, false);
    bench_expect_silence(&b);
    assert_int_equal(bench_publish(&b, 2, 4), TW_PUBLISHED);
    assert_int_equal(bench_take(&b, data, sizeof data), 9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_connect_bytes),
        cmocka_unit_test(test_connect_will_bytes),
        cmocka_unit_test(test_publish_qos0_bytes),
        cmocka_unit_test(test_publish_qos1_bytes_and_ack),
        cmocka_unit_test(test_publish_qos2_flow),
        cmocka_unit_test(test_identifiers_are_unused_and_never_0),
        cmocka_unit_test(test_long_publish_uses_two_length_bytes),
        cmocka_unit_test(test_unknown_puback_is_ignored),
        cmocka_unit_test(test_unknown_pubrec_is_answered),
        cmocka_unit_test(test_refused_connection_is_an_error),
        cmocka_unit_test(test_session_present_after_clean_is_an_error),
        cmocka_unit_test(test_packet_before_connack_is_an_error),
        cmocka_unit_test(test_missing_connack_is_an_error),
        cmocka_unit_test(test_keep_alive_pings_when_silent),
        cmocka_unit_test(test_publishing_postpones_the_ping),
        cmocka_unit_test(test_missing_pingresp_is_an_error),
        cmocka_unit_test(test_pingresp_behind_a_long_message_is_not_late),
        cmocka_unit_test(test_pingreq_behind_a_long_message_is_not_late),
        cmocka_unit_test(test_keep_alive_zero_never_pings),
        cmocka_unit_test(test_resumed_session_resends_in_order_with_dup),
        cmocka_unit_test(test_unknown_session_is_discarded_at_qos2),
        cmocka_unit_test(test_unknown_session_goes_on_where_no_identifier_is_open),
        cmocka_unit_test(test_session_survives_deep_sleep),
        cmocka_unit_test(test_lost_session_resends_as_new),
        cmocka_unit_test(test_lost_session_fails_what_the_server_owned),
        cmocka_unit_test(test_clean_session_fails_what_is_open),
        cmocka_unit_test(test_offline_depends_on_the_guarantee),
        cmocka_unit_test(test_inflight_limit),
        cmocka_unit_test(test_blocked_network_makes_publish_busy),
        cmocka_unit_test(test_malformed_packets_are_errors),
        cmocka_unit_test(test_topics_that_are_no_text_are_errors),
        cmocka_unit_test(test_finish_disconnects),
        cmocka_unit_test(test_unusable_configuration_is_named),
        cmocka_unit_test(test_the_largest_payload_leaves_in_pieces),
        cmocka_unit_test(test_a_closed_connection_forgets_what_was_to_be_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
