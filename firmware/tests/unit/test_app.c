/* The application: log, schedule, reconnection, back-pressure, end of the run. */
#include <stdio.h>

#include "bench.h"
#include "board.h"

#define MQTT "nonce=cafe id=b proto=mqtt topic=t peer=10.0.0.2 "

static const uint8_t connack[] = {0x20, 2, 0, 0};

/* Connects an MQTT application. */
static void connect_mqtt(struct test_board *b) {
    tw_app_on_open(b->app, 0);
    board_feed(b, connack, sizeof connack);
}

static void test_log_of_a_whole_run(void **s) {
    static struct test_board b;
    board_start(&b, MQTT "qos=1 messages=1 start_ms=0 keepalive_s=0");
    b.now = 2000;
    connect_mqtt(&b);
    board_run(&b, 500);
    board_feed(&b, BYTES(0x40, 2, 0, 1));
    board_run(&b, 500);
    assert_string_equal(
        b.log,
        "{\"t\":1000,\"nonce\":\"cafe\",\"ev\":\"boot\",\"reason\":\"power_on\",\"heap_bytes\":"
        "1000,"
        "\"build\":\"test\"}\n"
        "{\"t\":1000,\"nonce\":\"cafe\",\"ev\":\"up\",\"ip\":\"10.0.0.1\"}\n"
        "{\"t\":2000,\"nonce\":\"cafe\",\"ev\":\"connected\",\"n\":1}\n"
        "{\"t\":2000,\"nonce\":\"cafe\",\"ev\":\"sent\",\"seq\":1}\n"
        "{\"t\":2500,\"nonce\":\"cafe\",\"ev\":\"acked\",\"seq\":1,\"rtt_us\":500}\n"
        "{\"t\":2500,\"nonce\":\"cafe\",\"ev\":\"disconnected\",\"reason\":\"finished\"}\n"
        "{\"t\":2500,\"nonce\":\"cafe\",\"ev\":\"stat\",\"sent\":1,\"acked\":1,\"received\":0,"
        "\"failed\":0,\"served\":0,\"retransmitted\":0,\"unsent\":0,\"connects\":1,\"backlog\":0,"
        "\"heap_used\":100,\"heap_free_min\":0,\"stack_free_min\":0,"
        "\"frames_received\":0,\"frames_sent\":0,\"frames_dropped\":0}\n"
        "{\"t\":2500,\"nonce\":\"cafe\",\"ev\":\"end\",\"sent\":1,\"acked\":1,\"received\":0,"
        "\"failed\":0}\n");
    assert_true(tw_app_ended(b.app));
    assert_int_equal(b.closes, 1);
    assert_true(tw_app_poll(b.app) == TW_NEVER);
    size_t size = b.log_size;
    tw_app_up(b.app, 0x0a000001); /* the network comes and goes */
    assert_int_equal(b.log_size, size);
}

static void test_configuration_error_is_logged_and_nothing_else_happens(void **s) {
    static struct test_board b;
    board_start(&b, "nonce=cafe qos=7");
    assert_int_equal(board_logged(&b, "\"ev\":\"config_error\",\"key\":\"qos\""), 1);
    assert_null(tw_app_config(b.app));
    board_run(&b, TW_SECONDS(100));
    assert_int_equal(b.opens, 0);
    board_start(&b, "nonce=cafe proto=smtp");
    assert_int_equal(board_logged(&b, "\"ev\":\"config_error\",\"key\":\"proto\""), 1);
    board_start(&b, "nonce=cafe proto=mqtt qos=-1"); /* known key, unusable for the protocol */
    assert_int_equal(board_logged(&b, "\"ev\":\"config_error\",\"key\":\"qos\""), 1);
}

static void test_registered_port_is_the_default(void **s) {
    static struct test_board b;
    board_start(&b, "proto=coap");
    assert_int_equal(tw_app_config(b.app)->port, 5683);
    board_start(&b, "proto=coap port=99");
    assert_int_equal(tw_app_config(b.app)->port, 99);
}

static void test_reconnection_backs_off_and_recovers(void **s) {
    static struct test_board b;
    board_start(&b, MQTT "qos=0 interval_ms=100000");
    tw_time pause = TW_MS(500);
    for (int i = 0; i < 7; i++) {
        unsigned opens = b.opens;
        tw_app_on_close(b.app, 0, "refused");
        board_run(&b, pause - 1);
        assert_int_equal(b.opens, opens);
        board_run(&b, pause / 4 + 1); /* up to a quarter at random */
        assert_int_equal(b.opens, opens + 1);
        pause = pause * 2 < TW_SECONDS(16) ? pause * 2 : TW_SECONDS(16);
    }
    connect_mqtt(&b);
    tw_app_on_close(b.app, 0, "reset");
    unsigned opens = b.opens;
    board_run(&b, TW_MS(625)); /* a session starts the back-off anew */
    assert_int_equal(b.opens, opens + 1);
    assert_int_equal(board_logged(&b, "\"ev\":\"disconnected\",\"reason\":\"refused\""), 7);
}

static void test_connecting_that_hangs_is_given_up(void **s) {
    static struct test_board b;
    board_start(&b, MQTT);
    board_run(&b, TW_SECONDS(10));
    assert_int_equal(b.aborts, 1);
    assert_int_equal(board_logged(&b, "connect_timeout"), 1);
}

static void test_schedule_waits_for_the_session(void **s) {
    static struct test_board b;
    board_start(&b, MQTT "qos=0 interval_ms=1000 messages=3");
    b.now += TW_SECONDS(5);
    connect_mqtt(&b);
    board_run(&b, TW_SECONDS(10));
    assert_int_equal(board_logged(&b, "\"ev\":\"sent\""), 3); /* none lost before connecting */
    assert_int_equal(board_logged(&b, "\"ev\":\"failed\""), 0);
}

static void test_outage_loses_qos0_and_keeps_qos1(void **s) {
    static struct test_board b;
    for (int qos = 0; qos <= 1; qos++) {
        board_start(&b, qos ? MQTT "qos=1 clean=0 interval_ms=1000 keepalive_s=0"
                            : MQTT "qos=0 clean=0 interval_ms=1000 keepalive_s=0");
        connect_mqtt(&b);
        board_run(&b, 1); /* the first message leaves */
        b.open_result = TW_OPEN_FAILED;
        tw_app_on_close(b.app, 0, "reset");
        board_run(&b, TW_MS(10500));
        assert_int_equal(board_logged(&b, "\"reason\":\"offline\""), qos ? 0 : 10);
        b.open_result = TW_OPEN_PENDING;
        board_run(&b, TW_SECONDS(9));
        connect_mqtt(&b);
        board_run(&b, 1000);
        if (qos)
            assert_true(board_logged(&b, "\"ev\":\"sent\"") >= 16); /* a full window at once */
    }
}

static void test_back_pressure_keeps_the_order(void **s) {
    static struct test_board b;
    board_start(&b, MQTT "qos=0 interval_ms=10 payload_bytes=10 messages=300 keepalive_s=0");
    connect_mqtt(&b);
    b.sent_size = 0;
    b.room = 7; /* then the window is full */
    board_run(&b, TW_SECONDS(1));
    assert_int_equal(b.sent_size, 7);
    assert_int_equal(board_logged(&b, "\"ev\":\"failed\""), 0); /* buffered, then backlogged */
    b.room = SIZE_MAX;
    tw_app_on_room(b.app, 0);
    for (size_t i = 0, seq = 1; i + 15 <= b.sent_size; i += 15, seq++) {
        char payload[16];
        snprintf(payload, sizeof payload, "b:%zu.........", seq);
        assert_memory_equal(b.sent + i, "\x30\x0d\x00\x01t", 5);
        assert_memory_equal(b.sent + i + 5, payload, 10);
    }
    assert_true(b.sent_size >= 100 * 15);
}

/* The last message was made before the one before it was acknowledged, on a connection for one. */
static void test_a_message_that_waits_for_its_connection_has_it_after_the_run(void **s) {
    static struct test_board b;
    board_start(&b, MQTT "qos=1 interval_ms=1000 messages=2 keepalive_s=0 connection_messages=1");
    connect_mqtt(&b);
    board_run(&b, TW_MS(1500));
    assert_int_equal(board_logged(&b, "\"ev\":\"sent\""), 1);
    board_feed(&b, "\x40\x02\x00\x01", 4);
    board_run(&b, TW_SECONDS(1));
    assert_int_equal(b.opens, 2);
    connect_mqtt(&b);
    board_run(&b, 1000);
    assert_int_equal(board_logged(&b, "\"ev\":\"sent\",\"seq\":2"), 1);
    board_feed(&b, "\x40\x02\x00\x02", 4);
    board_run(&b, TW_SECONDS(1));
    assert_int_equal(board_logged(&b, "\"ev\":\"end\",\"sent\":2,\"acked\":2"), 1);
    assert_int_equal(b.opens, 2); /* none more for nothing */
}

static void test_full_backlog_fails_the_newest(void **s) {
    static struct test_board b;
    board_start(&b, MQTT "qos=1 clean=0 interval_ms=10 keepalive_s=0");
    connect_mqtt(&b);
    b.open_result = TW_OPEN_FAILED;
    tw_app_on_close(b.app, 0, "reset");
    board_run(&b, TW_MS(1400)); /* 140 messages, one in flight, 128 kept */
    assert_true(board_logged(&b, "\"reason\":\"backlog_full\"") > 0);
    assert_int_equal(board_logged(&b, "\"seq\":2,\"reason\":\"backlog_full\""), 0);
}

static void test_protocol_error_resets_and_reconnects(void **s) {
    static struct test_board b;
    board_start(&b, MQTT);
    connect_mqtt(&b);
    board_feed(&b, BYTES(0x00, 0x00));
    assert_int_equal(b.aborts, 1);
    assert_int_equal(board_logged(&b, "\"reason\":\"malformed_packet\""), 1);
    board_run(&b, TW_SECONDS(1));
    assert_int_equal(b.opens, 2);
}

static void test_received_messages_are_logged_and_counted(void **s) {
    static struct test_board b;
    board_start(&b, MQTT "role=subscribe qos=0 messages=3 keepalive_s=0");
    connect_mqtt(&b);
    board_feed(&b, BYTES(0x90, 3, 0, 1, 0));
    board_feed(&b, TEXT("\x30\x0d\x00\x01tb:42......"));
    board_feed(&b, TEXT("\x30\x0d\x00\x01t\"\\\n:42...."));
    board_feed(&b, TEXT("\x30\x08\x00\x01thello"));
    board_run(&b, 1000);
    assert_int_equal(
        board_logged(&b, "\"ev\":\"received\",\"from\":\"b\",\"seq\":42,\"bytes\":10}"), 1);
    assert_int_equal(board_logged(&b, "\"from\":\"???\",\"seq\":42,\"bytes\":10}"), 1);
    assert_int_equal(board_logged(&b, "\"ev\":\"received\",\"bytes\":5}"), 1);
    assert_true(tw_app_ended(b.app)); /* three were to come */
}

static void test_own_message_gives_a_round_trip(void **s) {
    static struct test_board b;
    board_start(&b, MQTT "role=subscribe qos=0 keepalive_s=0");
    connect_mqtt(&b);
    board_feed(&b, BYTES(0x90, 3, 0, 1, 0));
    b.now = 5000;
    board_feed(&b, TEXT("\x30\x1b\x00\x01t"
                        "b 1 2000 ..............."));
    assert_int_equal(board_logged(&b, "\"rtt_us\":3000}"), 1);
}

static void test_echo_answers_with_the_same_sequence_and_size(void **s) {
    static struct test_board b;
    board_start(&b, MQTT "role=echo qos=0 keepalive_s=0");
    connect_mqtt(&b);
    board_feed(&b, BYTES(0x90, 3, 0, 1, 0));
    b.sent_size = 0;
    board_feed(&b, TEXT("\x30\x0d\x00\x01tx:42......"));
    assert_int_equal(b.sent_size, 20);
    assert_memory_equal(b.sent, "\x30\x12\x00\x06t/echob:42......", 20);
}

static void test_periodic_statistics(void **s) {
    static struct test_board b;
    board_start(&b, MQTT "qos=0 stat_ms=1000 keepalive_s=0 interval_ms=5000");
    connect_mqtt(&b);
    board_run(&b, TW_MS(3500));
    assert_int_equal(board_logged(&b, "\"ev\":\"stat\""), 3);
}

static void test_unacknowledged_messages_fail_when_the_run_ends(void **s) {
    static struct test_board b;
    board_start(&b, MQTT "qos=1 messages=2 interval_ms=10 drain_ms=1000 keepalive_s=0");
    connect_mqtt(&b);
    board_run(&b, TW_MS(900));
    assert_false(tw_app_ended(b.app)); /* waits for the acknowledgements */
    board_run(&b, TW_MS(200));
    assert_true(tw_app_ended(b.app));
    assert_int_equal(board_logged(&b, "\"reason\":\"connection_lost\""), 2);
    assert_int_equal(
        board_logged(&b, "\"ev\":\"end\",\"sent\":2,\"acked\":0,\"received\":0,\"failed\":2"), 1);
}

static void test_run_ends_when_the_peer_has_all(void **s) {
    static struct test_board b;
    board_start(&b, MQTT "qos=0 messages=1 start_ms=0 keepalive_s=0 drain_ms=5000");
    connect_mqtt(&b);
    b.unacked = 44; /* the last message is in TCP's hands, and may be lost on its way */
    board_run(&b, TW_SECONDS(4));
    assert_false(tw_app_ended(b.app));
    b.unacked = 0;
    board_run(&b, TW_MS(11));
    assert_true(tw_app_ended(b.app));
    board_start(&b, MQTT "qos=0 messages=1 start_ms=0 keepalive_s=0 drain_ms=5000");
    connect_mqtt(&b);
    b.unacked = 44;
    board_run(&b, TW_MS(5001)); /* not for ever */
    assert_true(tw_app_ended(b.app));
}

static void test_run_that_never_connects_ends_with_its_duration(void **s) {
    static struct test_board b;
    board_start(&b, MQTT "qos=1 duration_ms=5000");
    b.open_result = TW_OPEN_FAILED;
    tw_app_on_close(b.app, 0, "refused");
    board_run(&b, TW_SECONDS(6));
    assert_true(tw_app_ended(b.app));
}

static void test_connection_per_request(void **s) {
    static struct test_board b;
    board_start(&b,
                "id=b proto=http topic=t keep_alive=0 interval_ms=1000 messages=2 start_ms=100");
    assert_int_equal(b.opens, 0); /* not before there is something to send */
    board_run(&b, TW_MS(100));
    assert_int_equal(b.opens, 1);
    b.now += 5000; /* connecting takes 5 ms */
    tw_app_on_open(b.app, 0);
    assert_int_equal(board_logged(&b, "\"ev\":\"sent\""), 1);
    b.now += 2000;
    board_feed(&b, TEXT("HTTP/1.1 204 No Content\r\n\r\n"));
    assert_int_equal(board_logged(&b, "\"rtt_us\":7000"), 1); /* connecting is part of it */
    assert_int_equal(b.closes, 1);
    board_run(&b, TW_SECONDS(1));
    assert_int_equal(b.opens, 2);
    tw_app_on_open(b.app, 0);
    board_feed(&b, TEXT("HTTP/1.1 204 No Content\r\n\r\n"));
    board_run(&b, 1000);
    assert_true(tw_app_ended(b.app));
}

static void test_server_counts_what_it_serves(void **s) {
    static struct test_board b;
    board_start(&b, "id=b proto=http role=serve topic=t messages=2");
    tw_app_on_open(b.app, 0);
    tw_app_on_open(b.app, 1);
    board_feed(&b, TEXT("GET /t HTTP/1.1\r\nHost: b\r\n\r\n"));
    tw_app_on_bytes(b.app, 1, NULL, (const uint8_t *)"GET /t HTTP/1.1\r\nHost: b\r\n\r\n", 28);
    board_run(&b, 1000);
    assert_true(tw_app_ended(b.app));
    assert_int_equal(b.closes, 2);
}

static void test_refused_datagram_is_lost_and_counted(void **s) {
    static struct test_board b;
    board_start(&b, "id=b proto=udp confirmable=0 interval_ms=10 messages=3");
    b.open_result = TW_OPEN_DONE;
    tw_app_on_close(b.app, 0, "down");
    b.room = 0;
    board_run(&b, TW_SECONDS(3));
    assert_int_equal(board_logged(&b, "\"unsent\":3"), 1);
}

static void test_a_request_is_answered_when_it_has_been_worked_out(void **s) {
    static struct test_board b;
    static const char get[] = "GET /t HTTP/1.1\r\nHost: b\r\n\r\n";
    board_start(&b, "proto=http role=serve topic=t processing_ms=20");
    tw_app_on_open(b.app, 0);
    tw_app_on_open(b.app, 1);
    board_feed(&b, get, sizeof get - 1);
    assert_true(tw_app_busy(b.app));
    assert_int_equal(b.sent_size, 0);
    assert_true(tw_app_poll(b.app) <= b.now + TW_MS(20)); /* it wakes for it */
    board_run(&b, TW_MS(19));
    assert_int_equal(b.sent_size, 0);
    board_run(&b, TW_MS(1));
    assert_false(tw_app_busy(b.app));
    size_t one = b.sent_size;
    assert_true(one > 0);
    /* the network hands over the next request at the very time the first one's answer is due */
    board_feed(&b, get, sizeof get - 1);
    b.now += TW_MS(20);
    board_feed(&b, get, sizeof get - 1);
    assert_int_equal(b.sent_size, 2 * one);
    board_run(&b, TW_MS(20));
    assert_int_equal(b.sent_size, 3 * one);
}

static void test_a_message_is_acknowledged_before_it_is_worked_on(void **s) {
    static struct test_board b;
    board_start(&b, MQTT "role=subscribe qos=1 processing_ms=20");
    connect_mqtt(&b);
    board_feed(&b, BYTES(0x90, 3, 0, 1, 1));
    size_t before = b.sent_size;
    board_feed(&b, BYTES(0x32, 6, 0, 1, 't', 0, 7, 'a', 0x32, 6, 0, 1, 't', 0, 8, 'b'));
    assert_int_equal(b.sent_size, before + 8); /* two PUBACK */
    b.now += TW_MS(40) - 1;                    /* both of them take their time */
    assert_true(tw_app_busy(b.app));
    b.now++;
    assert_false(tw_app_busy(b.app));
}

/* How long the device is busy with each of `count` messages, ms. */
static void work_times(uint32_t seed, unsigned *ms, size_t count) {
    static struct test_board b;
    char config[160];
    snprintf(config, sizeof config,
             MQTT "role=subscribe qos=0 seed=%u processing_ms=5 processing_steps=10,20",
             (unsigned)seed);
    board_start(&b, config);
    connect_mqtt(&b);
    board_feed(&b, BYTES(0x90, 3, 0, 1, 0));
    for (size_t i = 0; i < count; i++) {
        board_feed(&b, BYTES(0x30, 4, 0, 1, 't', 'a'));
        for (ms[i] = 0; tw_app_busy(b.app); ms[i]++)
            b.now += TW_MS(1);
    }
}

static void test_each_message_takes_one_of_the_times(void **s) {
    unsigned first[90], again[90], other[90], counts[21] = {0};
    work_times(1, first, 90);
    work_times(1, again, 90);
    work_times(2, other, 90);
    for (size_t i = 0; i < 90; i++) {
        assert_true(first[i] <= 20);
        counts[first[i]]++;
    }
    assert_int_equal(counts[5] + counts[10] + counts[20], 90);
    assert_true(counts[5] > 15 && counts[10] > 15 && counts[20] > 15); /* 30 each, sd 4.5 */
    assert_memory_equal(first, again, sizeof first);
    assert_memory_not_equal(first, other, sizeof first);
}

static void test_a_subscriber_publishes_too(void **s) {
    static struct test_board b;
    board_start(&b, MQTT "role=subscribe qos=0 publish_ms=10000 interval_ms=1 messages=2 "
                         "start_ms=0 payload_bytes=10 keepalive_s=0");
    connect_mqtt(&b);
    board_feed(&b, BYTES(0x90, 3, 0, 1, 0));
    size_t before = b.sent_size;
    board_run(&b, TW_MS(9999));
    assert_int_equal(board_logged(&b, "\"ev\":\"sent\""), 1); /* the first at once */
    static const uint8_t publish[] = {0x30, 17, 0, 5, 't', '/', 'o', 'u', 't'};
    assert_memory_equal(b.sent + before, publish, sizeof publish);
    board_run(&b, TW_SECONDS(20));
    assert_int_equal(board_logged(&b, "\"ev\":\"sent\""), 3); /* `messages` counts received ones */
    assert_false(tw_app_ended(b.app));
    board_feed(&b, BYTES(0x30, 4, 0, 1, 't', 'a', 0x30, 4, 0, 1, 't', 'b'));
    board_run(&b, TW_SECONDS(1));
    assert_true(tw_app_ended(b.app));
    board_start(&b, "nonce=cafe proto=coap role=subscribe publish_ms=1000");
    assert_int_equal(board_logged(&b, "\"ev\":\"config_error\",\"key\":\"publish_ms\""), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_log_of_a_whole_run),
        cmocka_unit_test(test_configuration_error_is_logged_and_nothing_else_happens),
        cmocka_unit_test(test_registered_port_is_the_default),
        cmocka_unit_test(test_reconnection_backs_off_and_recovers),
        cmocka_unit_test(test_connecting_that_hangs_is_given_up),
        cmocka_unit_test(test_schedule_waits_for_the_session),
        cmocka_unit_test(test_outage_loses_qos0_and_keeps_qos1),
        cmocka_unit_test(test_back_pressure_keeps_the_order),
        cmocka_unit_test(test_a_message_that_waits_for_its_connection_has_it_after_the_run),
        cmocka_unit_test(test_full_backlog_fails_the_newest),
        cmocka_unit_test(test_protocol_error_resets_and_reconnects),
        cmocka_unit_test(test_received_messages_are_logged_and_counted),
        cmocka_unit_test(test_own_message_gives_a_round_trip),
        cmocka_unit_test(test_echo_answers_with_the_same_sequence_and_size),
        cmocka_unit_test(test_periodic_statistics),
        cmocka_unit_test(test_unacknowledged_messages_fail_when_the_run_ends),
        cmocka_unit_test(test_run_ends_when_the_peer_has_all),
        cmocka_unit_test(test_run_that_never_connects_ends_with_its_duration),
        cmocka_unit_test(test_connection_per_request),
        cmocka_unit_test(test_a_request_is_answered_when_it_has_been_worked_out),
        cmocka_unit_test(test_a_message_is_acknowledged_before_it_is_worked_on),
        cmocka_unit_test(test_each_message_takes_one_of_the_times),
        cmocka_unit_test(test_a_subscriber_publishes_too),
        cmocka_unit_test(test_server_counts_what_it_serves),
        cmocka_unit_test(test_refused_datagram_is_lost_and_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
