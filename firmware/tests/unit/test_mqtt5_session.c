/* MQTT 5 client, sessions and ends of connections: each test asks one question; MQTT-x.y.z-n are
 * the standard's own labels. */
#include "mqtt5_bench.h"

/* ---- sessions ---- */

static void test_resumed_session_resends_in_order_with_dup(void **s) {
    struct bench b;
    connect_with(&b, "qos=2 clean=0");
    bench_publish(&b, 1, 4);
    bench_publish(&b, 2, 4);
    FEED(&b, 0x50, 0x02, 0x00, 0x01);
    reopen(&b);
    FEED(&b, CONNACK5_RESUMED);
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    EXPECT(&b, 0x62, 0x02, 0x00, 0x01, /* PUBREL 1, then PUBLISH 2 */
           0x3c, 10, 0x00, 0x01, 't', 0x00, 0x02, 0x00, 't', 'w', ':', '2');
    bench_expect_message(&b, TW_EVENT_RETRANSMITTED, 1, NULL);
    bench_expect_message(&b, TW_EVENT_RETRANSMITTED, 2, NULL);
}

#define CONNECT5                                                                                   \
    0x10, 20, 0x00, 0x04, 'M', 'Q', 'T', 'T', 0x05, 0x00, 0x00, 60, 0x05, 0x11, 0, 0, 0, 9, 0x00,  \
        0x02, 't', 'w'

/* A device that was reset has no session, whatever the server has. */
static void test_unknown_session_is_discarded(void **s) {
    struct bench b;
    bench_start(&b, "proto=mqtt5 id=tw clean=0 session_expiry_s=9");
    EXPECT(&b, CONNECT5);
    FEED(&b, CONNACK5_RESUMED);
    assert_string_equal(bench_expect_event(&b, TW_EVENT_CLOSE)->reason, "session_unknown");
    EXPECT(&b, 0xe0, 0x07, 0x00, 0x05, 0x11, 0, 0, 0, 0); /* with a session expiry of 0 */
    bench_expect_silence(&b);
    for (int i = 0; i < 2; i++) {
        bench_close(&b);
        bench_open(&b, 0);
        EXPECT(&b, CONNECT5);
        if (i)
            FEED(&b, CONNACK5_RESUMED); /* this one is ours */
        else
            FEED(&b, CONNACK5);
        bench_expect_event(&b, TW_EVENT_CONNECTED);
    }
}

static void test_session_survives_deep_sleep(void **s) {
    struct bench b;
    bench_wake(&b, "proto=mqtt5 id=tw clean=0 session_expiry_s=9");
    EXPECT(&b, CONNECT5);
    FEED(&b, CONNACK5_RESUMED);
    bench_expect_event(&b, TW_EVENT_CONNECTED);
}

static void test_lost_session_resends_as_new(void **s) {
    struct bench b;
    connect_with(&b, "qos=2 clean=0");
    bench_publish(&b, 1, 4);
    bench_publish(&b, 2, 4);
    FEED(&b, 0x50, 0x02, 0x00, 0x01);
    reopen(&b);
    FEED(&b, CONNACK5);
    bench_expect_message(&b, TW_EVENT_FAILED, 1, "session_lost"); /* the server owned it */
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    EXPECT(&b, 0x34, 10, 0x00, 0x01, 't', 0x00, 0x02, 0x00, 't', 'w', ':', '2');
}

static void test_clean_session_fails_what_is_open(void **s) {
    struct bench b;
    connect_with(&b, "qos=1");
    bench_publish(&b, 1, 4);
    bench_close(&b);
    bench_expect_message(&b, TW_EVENT_FAILED, 1, "connection_lost");
}

static void test_assigned_identifier_is_used_again(void **s) {
    struct bench b;
    bench_start(&b, "proto=mqtt5 assigned_id=1 clean=0 session_expiry_s=9");
    EXPECT(&b, 0x10, 18, 0x00, 0x04, 'M', 'Q', 'T', 'T', 0x05, 0x00, 0x00, 60, /* */
           0x05, 0x11, 0, 0, 0, 9, 0x00, 0x00);                                /* no identifier */
    FEED(&b, 0x20, 0x09, 0x00, 0x00, 0x06, 0x12, 0x00, 0x03, 'a', '-', '7');
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    bench_close(&b);
    bench_open(&b, 0);
    EXPECT(&b, 0x10, 21, 0x00, 0x04, 'M', 'Q', 'T', 'T', 0x05, 0x00, 0x00, 60, /* */
           0x05, 0x11, 0, 0, 0, 9, 0x00, 0x03, 'a', '-', '7');
    FEED(&b, CONNACK5_RESUMED);
    bench_expect_event(&b, TW_EVENT_CONNECTED);
}

static void test_missing_assigned_identifier_is_an_error(void **s) {
    struct bench b;
    open_with(&b, "assigned_id=1");
    FEED(&b, CONNACK5);
    expect_refusal(&b, 0x82, "protocol_error");
}

/* ---- ends ---- */

static void test_refused_connection_is_named(void **s) {
    struct bench b;
    open_with(&b, "");
    FEED(&b, 0x20, 0x03, 0x00, 0x87, 0x00);
    assert_string_equal(bench_expect_event(&b, TW_EVENT_CLOSE)->reason, "not_authorized");
    bench_expect_silence(&b);
}

static void test_wrong_connacks_are_errors(void **s) {
    static const uint8_t connacks[][5] = {
        {0x20, 0x03, 0x01, 0x00, 0x00}, /* a session after a clean start [MQTT-3.2.2-2] */
        {0x20, 0x03, 0x01, 0x87, 0x00}, /* and with a refusal [MQTT-3.2.2-6] */
        {0x20, 0x03, 0x00, 0x01, 0x00}, /* a code of SUBACK */
    };
    for (size_t i = 0; i < sizeof connacks / sizeof *connacks; i++) {
        struct bench b;
        if (i == 1)
            bench_wake(&b, "proto=mqtt5 clean=0"); /* with a session of its own */
        else
            bench_start(&b, "proto=mqtt5");
        bench_skip(&b);
        bench_feed(&b, connacks[i], sizeof connacks[i]);
        expect_refusal(&b, 0x82, "unexpected_connack");
    }
    struct bench b;
    open_with(&b, "");
    FEED(&b, 0x20, 0x03, 0x02, 0x00, 0x00); /* a reserved flag [MQTT-3.2.2-1] */
    expect_refusal(&b, 0x81, "malformed_packet");
}

static void test_packet_before_connack_is_an_error(void **s) {
    struct bench b;
    open_with(&b, "");
    FEED(&b, 0xd0, 0x00);
    expect_refusal(&b, 0x82, "connack_expected");
    open_with(&b, "");
    FEED(&b, 0x30, 0x04, 0x00, 0x01, 't', 0x00);
    expect_refusal(&b, 0x82, "connack_expected");
}

static void test_authentication_is_refused(void **s) {
    struct bench b;
    open_with(&b, "");
    FEED(&b, 0xf0, 0x06, 0x18, 0x04, 0x15, 0x00, 0x01, 'x'); /* AUTH */
    expect_refusal(&b, 0x82, "unexpected_auth");
    open_with(&b, "");
    FEED(&b, 0x20, 0x07, 0x00, 0x00, 0x04, 0x15, 0x00, 0x01, 'x'); /* a method in CONNACK */
    expect_refusal(&b, 0x82, "protocol_error");
}

static void test_qos_that_the_server_has_not_is_named(void **s) {
    struct bench b;
    open_with(&b, "qos=2");
    FEED(&b, 0x20, 0x05, 0x00, 0x00, 0x02, 0x24, 0x01); /* maximum QoS 1 */
    expect_refusal(&b, 0x83, "qos_not_supported");
    open_with(&b, "qos=1");
    FEED(&b, 0x20, 0x05, 0x00, 0x00, 0x02, 0x24, 0x01);
    bench_expect_event(&b, TW_EVENT_CONNECTED);
}

static void test_disconnect_of_the_server_is_named(void **s) {
    struct bench b;
    connect_with(&b, "");
    FEED(&b, 0xe0, 0x01, 0x8e);
    assert_string_equal(bench_expect_event(&b, TW_EVENT_CLOSE)->reason, "session_taken_over");
    bench_expect_silence(&b);
    connect_with(&b, "");
    FEED(&b, 0xe0, 0x00); /* the code is left out */
    assert_string_equal(bench_expect_event(&b, TW_EVENT_CLOSE)->reason, "normal_disconnection");
    connect_with(&b, "");
    FEED(&b, 0xe0, 0x01, 0x04); /* a client's alone */
    expect_refusal(&b, 0x82, "protocol_error");
}

static void test_finish_disconnects(void **s) {
    struct bench b;
    connect_with(&b, "qos=1");
    b.engine->finish(&b.state, b.now);
    assert_string_equal(bench_expect_event(&b, TW_EVENT_CLOSE)->reason, "finished");
    EXPECT(&b, 0xe0, 0x00);
    FEED(&b, 0x32, 0x07, 0x00, 0x01, 't', 0x00, 0x01, 0x00, 'x');
    bench_expect_silence(&b); /* [MQTT-3.14.4-2] */
    assert_int_equal(bench_publish(&b, 1, 4), TW_BUSY);
}

static void test_last_packet_that_cannot_leave_ends_in_time(void **s) {
    struct bench b;
    connect_with(&b, "");
    FEED(&b, 0x20, 0x00);
    assert_string_equal(bench_expect_event(&b, TW_EVENT_CLOSE)->reason, "malformed_packet");
    bench_sleep(&b);
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "disconnect_blocked");
    assert_int_equal(b.engine->deadline(&b.state), TW_NEVER);
}

/* ---- time ---- */

static void test_missing_answers_are_errors(void **s) {
    struct bench b;
    open_with(&b, "");
    bench_sleep(&b);
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "no_connack");
    open_with(&b, "role=subscribe");
    FEED(&b, CONNACK5);
    bench_skip(&b);
    bench_sleep(&b);
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "no_suback");
    connect_with(&b, "keepalive_s=40");
    bench_sleep(&b);
    EXPECT(&b, 0xc0, 0x00);
    bench_sleep(&b);
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "no_pingresp");
}

static void test_keep_alive_pings_when_silent(void **s) {
    struct bench b;
    connect_with(&b, "keepalive_s=20");
    bench_sleep(&b);
    assert_int_equal(b.now, TW_SECONDS(16));
    EXPECT(&b, 0xc0, 0x00);
    FEED(&b, 0xd0, 0x00);
    bench_sleep(&b);
    assert_int_equal(b.now, TW_SECONDS(31));
    bench_expect_no_event(&b);
}

static void test_keep_alive_of_the_server_replaces_ours(void **s) {
    struct bench b;
    open_with(&b, "keepalive_s=60");
    FEED(&b, 0x20, 0x06, 0x00, 0x00, 0x03, 0x13, 0x00, 0x04); /* server keep alive 4 s */
    bench_sleep(&b);
    assert_int_equal(b.now, TW_SECONDS(4));
    EXPECT(&b, 0xc0, 0x00);
    open_with(&b, "keepalive_s=60");
    FEED(&b, 0x20, 0x06, 0x00, 0x00, 0x03, 0x13, 0x00, 0x00); /* none */
    assert_int_equal(b.engine->deadline(&b.state), TW_NEVER);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resumed_session_resends_in_order_with_dup),
        cmocka_unit_test(test_unknown_session_is_discarded),
        cmocka_unit_test(test_session_survives_deep_sleep),
        cmocka_unit_test(test_lost_session_resends_as_new),
        cmocka_unit_test(test_clean_session_fails_what_is_open),
        cmocka_unit_test(test_assigned_identifier_is_used_again),
        cmocka_unit_test(test_missing_assigned_identifier_is_an_error),
        cmocka_unit_test(test_refused_connection_is_named),
        cmocka_unit_test(test_wrong_connacks_are_errors),
        cmocka_unit_test(test_packet_before_connack_is_an_error),
        cmocka_unit_test(test_authentication_is_refused),
        cmocka_unit_test(test_qos_that_the_server_has_not_is_named),
        cmocka_unit_test(test_disconnect_of_the_server_is_named),
        cmocka_unit_test(test_finish_disconnects),
        cmocka_unit_test(test_last_packet_that_cannot_leave_ends_in_time),
        cmocka_unit_test(test_missing_answers_are_errors),
        cmocka_unit_test(test_keep_alive_pings_when_silent),
        cmocka_unit_test(test_keep_alive_of_the_server_replaces_ours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
