/* AMQP 0-9-1 client; method numbers and frames as in the specification and its XML. */
#include "amqp_bench.h"

static void test_opening_bytes(void **s) {
    struct bench b;
    bench_start(&b, "proto=amqp user=u password=pw keepalive_s=30 confirmable=1");
    EXPECT(&b, 'A', 'M', 'Q', 'P', 0, 0, 9, 1); /* protocol header */
    bench_expect_silence(&b);
    FEED(&b, START);
    EXPECT(&b, 1, 0, 0, 0, 0, 0, 29,         /* method frame, channel 0, size */
           0, 10, 0, 11,                     /* connection.start-ok */
           0, 0, 0, 0,                       /* client-properties: none */
           5, 'P', 'L', 'A', 'I', 'N',       /* mechanism */
           0, 0, 0, 5, 0, 'u', 0, 'p', 'w',  /* response (RFC 4616) */
           5, 'e', 'n', '_', 'U', 'S', END); /* locale */
    FEED(&b, TUNE);
    EXPECT(&b, 1, 0, 0, 0, 0, 0, 12, 0, 10, 0, 31, /* connection.tune-ok */
           0, 1,                                   /* channel-max */
           0, 0, 0x10, 0,                          /* frame-max 4096 */
           0, 30, END);                            /* heartbeat: the smaller of 60 and 30 */
    EXPECT(&b, 1, 0, 0, 0, 0, 0, 8, 0, 10, 0, 40, 1, '/', 0, 0, END); /* connection.open */
    FEED(&b, OPEN_OK);
    EXPECT(&b, 1, 0, 1, 0, 0, 0, 5, 0, 20, 0, 10, 0, END); /* channel.open */
    FEED(&b, CHANNEL_OPEN_OK);
    EXPECT(&b, 1, 0, 1, 0, 0, 0, 14, 0, 50, 0, 10, 0, 0, 2, 't', 'w', 0, 0, 0, 0, 0,
           END); /* queue.declare tw, not durable */
    FEED(&b, DECLARE_OK);
    EXPECT(&b, 1, 0, 1, 0, 0, 0, 5, 0, 85, 0, 10, 0, END); /* confirm.select */
    bench_expect_no_event(&b);
    FEED(&b, SELECT_OK);
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    bench_expect_silence(&b);
}

static void test_publish_bytes(void **s) {
    struct bench b;
    publisher(&b, "confirmable=1");
    assert_int_equal(bench_publish(&b, 7, 4), TW_PUBLISHED);
    EXPECT(&b, 1, 0, 1, 0, 0, 0, 11, 0, 60, 0, 40, 0, 0, /* basic.publish */
           0, 2, 't', 'w', 0, END,                       /* default exchange, routing key */
           2, 0, 1, 0, 0, 0, 26, 0, 60, 0, 0,            /* content header, class basic */
           0, 0, 0, 0, 0, 0, 0, 4,                       /* body size */
           0x90, 0x00,                                   /* content-type, delivery-mode */
           10, 't', 'e', 'x', 't', '/', 'p', 'l', 'a', 'i', 'n', 1, END, 3, 0, 1, 0, 0, 0, 4, 't',
           'w', ':', '7', END); /* body */
    bench_expect_silence(&b);
}

static void test_durable_when_the_session_is_kept(void **s) {
    struct bench b;
    uint8_t data[256];
    bench_start(&b, "proto=amqp clean=0 confirmable=1");
    FEED(&b, START);
    FEED(&b, TUNE);
    FEED(&b, OPEN_OK);
    bench_take(&b, data, sizeof data);
    FEED(&b, CHANNEL_OPEN_OK);
    EXPECT(&b, 1, 0, 1, 0, 0, 0, 14, 0, 50, 0, 10, 0, 0, 2, 't', 'w', 2, 0, 0, 0, 0, END);
    FEED(&b, DECLARE_OK, SELECT_OK);
    bench_take(&b, data, sizeof data);
    bench_publish(&b, 7, 4);
    bench_take(&b, data, sizeof data);
    assert_int_equal(data[19 + 7 + 14 + 11], 2); /* delivery-mode persistent */
}

static void test_confirm(void **s) {
    struct bench b;
    publisher(&b, "confirmable=1");
    bench_publish(&b, 7, 4);
    bench_publish(&b, 8, 4);
    FEED(&b, ACK(2, 0)); /* tags count from 1 */
    bench_expect_message(&b, TW_EVENT_ACKED, 8, NULL);
    FEED(&b, ACK(1, 0));
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
    bench_skip(&b);
    assert_true(b.engine->idle(&b.state));
}

static void test_multiple_confirm(void **s) {
    struct bench b;
    publisher(&b, "confirmable=1");
    for (uint32_t seq = 1; seq <= 3; seq++)
        bench_publish(&b, seq, 4);
    FEED(&b, ACK(2, 1));
    bench_expect_message(&b, TW_EVENT_ACKED, 1, NULL);
    bench_expect_message(&b, TW_EVENT_ACKED, 2, NULL);
    bench_expect_no_event(&b);
}

static void test_tag_0_confirms_all_so_far(void **s) {
    struct bench b;
    publisher(&b, "confirmable=1");
    bench_publish(&b, 7, 4);
    bench_publish(&b, 8, 4);
    FEED(&b, ACK(0, 0)); /* without multiple it is no tag at all */
    bench_expect_no_event(&b);
    FEED(&b, ACK(0, 1));
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
    bench_expect_message(&b, TW_EVENT_ACKED, 8, NULL);
    bench_publish(&b, 9, 4);
    FEED(&b, 1, 0, 1, 0, 0, 0, 13, 0, 60, 0, 120, 0, 0, 0, 0, 0, 0, 0, 0, 1, END);
    bench_expect_message(&b, TW_EVENT_FAILED, 9, "refused");
}

static void test_nack_fails(void **s) {
    struct bench b;
    publisher(&b, "confirmable=1");
    bench_publish(&b, 7, 4);
    FEED(&b, 1, 0, 1, 0, 0, 0, 13, 0, 60, 0, 120, 0, 0, 0, 0, 0, 0, 0, 1, 0, END);
    bench_expect_message(&b, TW_EVENT_FAILED, 7, "refused");
}

static void test_without_confirms(void **s) {
    struct bench b;
    connect_with(&b, "confirmable=0");
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    bench_publish(&b, 7, 4);
    bench_expect_no_event(&b);
}

static void test_kept_messages_are_published_again(void **s) {
    struct bench b;
    publisher(&b, "confirmable=1 clean=0");
    bench_publish(&b, 7, 4);
    bench_skip(&b);
    bench_close(&b);
    bench_expect_no_event(&b);
    bench_open(&b, 0);
    FEED(&b, START);
    FEED(&b, TUNE);
    FEED(&b, OPEN_OK);
    FEED(&b, CHANNEL_OPEN_OK);
    FEED(&b, DECLARE_OK);
    FEED(&b, SELECT_OK);
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    bench_expect_message(&b, TW_EVENT_RETRANSMITTED, 7, NULL);
    FEED(&b, ACK(1, 0)); /* with a tag of the new channel */
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
}

static void test_lost_connection_fails_what_is_open(void **s) {
    struct bench b;
    publisher(&b, "confirmable=1 clean=1");
    bench_publish(&b, 7, 4);
    bench_close(&b);
    bench_expect_message(&b, TW_EVENT_FAILED, 7, "connection_lost");
}

static void test_consume_bytes(void **s) {
    struct bench b;
    bench_start(&b, "proto=amqp role=subscribe confirmable=1");
    FEED(&b, START);
    FEED(&b, TUNE);
    FEED(&b, OPEN_OK);
    FEED(&b, CHANNEL_OPEN_OK);
    bench_skip(&b);
    FEED(&b, DECLARE_OK);
    EXPECT(&b, 1, 0, 1, 0, 0, 0, 11, 0, 60, 0, 10, 0, 0, 0, 0, 0, 16, 0, END); /* basic.qos 16 */
    FEED(&b, QOS_OK);
    EXPECT(&b, 1, 0, 1, 0, 0, 0, 17, 0, 60, 0, 20, 0, 0, /* basic.consume */
           2, 't', 'w', 2, 't', 'w',                     /* queue, consumer tag */
           0, 0, 0, 0, 0, END);                          /* with acknowledgement */
    FEED(&b, CONSUME_OK);
    bench_expect_event(&b, TW_EVENT_CONNECTED);
}

static void test_delivery_is_acknowledged(void **s) {
    struct bench b;
    consumer(&b, "confirmable=1");
    FEED(&b, DELIVER(5), HEADER(5), 3, 0, 1, 0, 0, 0, 2, 'h', 'e', END);
    bench_expect_no_event(&b);
    bench_expect_silence(&b);
    FEED(&b, 3, 0, 1, 0, 0, 0, 3, 'l', 'l', 'o', END); /* a second body frame */
    bench_expect_received(&b, "hello");
    EXPECT(&b, 1, 0, 1, 0, 0, 0, 13, 0, 60, 0, 80, 0, 0, 0, 0, 0, 0, 0, 5, 0, END); /* ack 5 */
}

static void test_delivery_without_acknowledgement(void **s) {
    struct bench b;
    consumer(&b, "confirmable=0");
    FEED(&b, DELIVER(5), HEADER(1), 3, 0, 1, 0, 0, 0, 1, 'x', END);
    bench_expect_received(&b, "x");
    bench_expect_silence(&b);
}

static void test_empty_delivery(void **s) {
    struct bench b;
    consumer(&b, "confirmable=0");
    FEED(&b, DELIVER(5), HEADER(0));
    bench_expect_received(&b, "");
}

static void test_delivery_in_single_bytes(void **s) {
    static const uint8_t frames[] = {DELIVER(5), HEADER(2), 3, 0, 1, 0, 0, 0, 2, 'h', 'i', END};
    struct bench b;
    consumer(&b, "");
    for (size_t i = 0; i < sizeof frames; i++)
        bench_feed(&b, frames + i, 1);
    bench_expect_received(&b, "hi");
}

static void test_a_method_ends_the_content_before_it(void **s) {
    struct bench b;
    /* a server closes whenever it must, and may give up a content (section 4.2.6) */
    consumer(&b, "confirmable=0");
    FEED(&b, DELIVER(1), HEADER(2), DELIVER(2), HEADER(1), 3, 0, 1, 0, 0, 0, 1, 'x', END);
    bench_expect_received(&b, "x");
    FEED(&b, DELIVER(3), DELIVER(4), HEADER(1), 3, 0, 1, 0, 0, 0, 1, 'y', END);
    bench_expect_received(&b, "y");
    FEED(&b, DELIVER(5), HEADER(1), CLOSE(1, 20, 40));
    EXPECT(&b, 1, 0, 1, 0, 0, 0, 4, 0, 20, 0, 41, END);
    consumer(&b, "confirmable=0");
    FEED(&b, DELIVER(6), HEADER(1), CLOSE(0, 10, 50));
    EXPECT(&b, 1, 0, 0, 0, 0, 0, 4, 0, 10, 0, 51, END);
    assert_string_equal(bench_expect_event(&b, TW_EVENT_CLOSE)->reason, "closed_by_server");
}

static void test_a_heartbeat_within_a_content_is_taken(void **s) {
    struct bench b;
    consumer(&b, "confirmable=0");
    FEED(&b, DELIVER(1), 8, 0, 0, 0, 0, 0, 0, END, HEADER(1), 8, 0, 0, 0, 0, 0, 0, END, 3, 0, 1, 0,
         0, 0, 1, 'x', END);
    bench_expect_received(&b, "x");
}

static void test_close_ok_behind_a_long_message_is_not_late(void **s) {
    static const uint8_t piece[100];
    struct bench b;
    consumer(&b, "confirmable=0 keepalive_s=0");
    FEED(&b, DELIVER(1), 2, 0, 1, 0, 0, 0, 14, 0, 60, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, END);
    b.engine->finish(&b.state, b.now);
    FEED(&b, 3, 0, 1, 0, 0, 4, 0);
    for (int i = 0; i < 10; i++) {
        bench_wait(&b, TW_SECONDS(5));
        bench_feed(&b, piece, sizeof piece);
    }
    bench_expect_no_event(&b);
    bench_wait(&b, TW_SECONDS(10));
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "no_answer");
}

static void test_close_behind_a_long_message_is_not_late(void **s) {
    static uint8_t data[17000];
    struct bench b;
    publisher(&b, "confirmable=1");
    bench_publish(&b, 7, 16384);
    b.engine->finish(&b.state, b.now);
    for (int i = 0; i < 20; i++) { /* 400 bytes each 5 s */
        bench_take_slowly(&b, data, sizeof data, 400, 1);
        bench_wait(&b, TW_SECONDS(5));
    }
    bench_expect_no_event(&b);
}

static void test_returned_message_is_passed_over(void **s) {
    struct bench b;
    publisher(&b, "confirmable=1");
    FEED(&b, 1, 0, 1, 0, 0, 0, 8, 0, 60, 0, 50, 1, 0x38, 0, 0, END, HEADER(1), 3, 0, 1, 0, 0, 0, 1,
         'x', END);
    bench_expect_no_event(&b);
}

static void test_heartbeats(void **s) {
    struct bench b;
    publisher(&b, "keepalive_s=20");
    bench_sleep(&b);
    assert_int_equal(b.now, TW_SECONDS(11)); /* half of the agreed 20 s */
    EXPECT(&b, 8, 0, 0, 0, 0, 0, 0, END);
    bench_sleep(&b);
    EXPECT(&b, 8, 0, 0, 0, 0, 0, 0, END);
    FEED(&b, 8, 0, 0, 0, 0, 0, 0, END); /* the server's */
    bench_wait(&b, TW_SECONDS(39));
    bench_expect_no_event(&b);
    bench_wait(&b, TW_SECONDS(2)); /* two intervals of silence */
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "no_heartbeat");
}

static void test_connection_closed_by_the_server(void **s) {
    struct bench b;
    publisher(&b, "");
    FEED(&b, CLOSE(0, 10, 50));
    EXPECT(&b, 1, 0, 0, 0, 0, 0, 4, 0, 10, 0, 51, END); /* connection.close-ok */
    assert_string_equal(bench_expect_event(&b, TW_EVENT_CLOSE)->reason, "closed_by_server");
}

static void test_channel_closed_by_the_server(void **s) {
    struct bench b;
    publisher(&b, "");
    FEED(&b, 1, 0, 1, 0, 0, 0, 11, 0, 20, 0, 40, 1, 0x94, 0, 0, 0, 0, 0, END);
    EXPECT(&b, 1, 0, 1, 0, 0, 0, 4, 0, 20, 0, 41, END); /* channel.close-ok */
    EXPECT(&b, 1, 0, 0, 0, 0, 0, 11, 0, 10, 0, 50, 0, 200, 0, 0, 0, 0, 0, END);
}

static void test_finish_closes_the_connection(void **s) {
    struct bench b;
    publisher(&b, "");
    b.engine->finish(&b.state, b.now);
    EXPECT(&b, 1, 0, 0, 0, 0, 0, 11, 0, 10, 0, 50, 0, 200, 0, 0, 0, 0, 0, END);
    bench_expect_no_event(&b);
    FEED(&b, 1, 0, 0, 0, 0, 0, 4, 0, 10, 0, 51, END);
    bench_expect_event(&b, TW_EVENT_CLOSE);
}

static void expect_error(const uint8_t *data, size_t size, const char *reason) {
    struct bench b;
    consumer(&b, "");
    bench_feed(&b, data, size);
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, reason);
}

static void test_errors(void **s) {
    expect_error(BYTES(1, 0, 1, 0, 0, 0, 4, 0, 60, 0, 11, 0), "malformed_frame"); /* no frame end */
    expect_error(BYTES(5, 0, 1, 0, 0, 0, 0), "malformed_frame");                  /* frame type 5 */
    expect_error(BYTES(3, 0, 1, 0, 0, 0x10, 0), "malformed_frame");         /* above frame-max */
    expect_error(BYTES('A', 'M', 'Q', 'P', 0, 0, 9, 1), "malformed_frame"); /* version refused */
    expect_error(BYTES(HEADER(1)), "unexpected_content");
    expect_error(BYTES(3, 0, 1, 0, 0, 0, 1, 'x', END), "unexpected_content");
    expect_error(BYTES(DELIVER(1), HEADER(1), 3, 0, 1, 0, 0, 0, 2, 'x', 'y', END),
                 "unexpected_content"); /* body longer than announced */
    expect_error(BYTES(DELIVER(1), HEADER(1), HEADER(1)), "unexpected_content");
    expect_error(
        BYTES(DELIVER(1), 2, 0, 1, 0, 0, 0, 14, 0, 50, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, END),
        "unexpected_content"); /* of another class (section 4.2.6.1) */
    expect_error(BYTES(QOS_OK), "unexpected_method");
    expect_error(BYTES(1, 0, 1, 0, 0, 0, 4, 0, 10, 0, 51, END), "wrong_channel"); /* connection */
    expect_error(BYTES(1, 0, 2, 0, 0, 0, 5, 0, 20, 0, 20, 1, END), "wrong_channel");
    expect_error(BYTES(8, 0, 1, 0, 0, 0, 0, END), "wrong_channel"); /* heartbeat (4.2.7) */
    expect_error(BYTES(DELIVER(1), HEADER(1), 3, 0, 2, 0, 0, 0, 1, 'x', END), "wrong_channel");
}

static void test_methods_out_of_order_are_errors(void **s) {
    struct bench b;
    bench_start(&b, "proto=amqp");
    FEED(&b, TUNE); /* before Start */
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "unexpected_method");
}

static void test_missing_answer_is_an_error(void **s) {
    struct bench b;
    bench_start(&b, "proto=amqp");
    bench_wait(&b, TW_SECONDS(10));
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "no_answer");
}

/* In frames of at most 4096 bytes, to which both sides have agreed. */
static void test_the_largest_payload_leaves_in_frames(void **s) {
    static uint8_t data[17000], payload[16384], body[16384];
    struct bench b;
    size_t at, got = 0, frames = 0;
    publisher(&b, "confirmable=1");
    assert_int_equal(bench_publish(&b, 7, sizeof payload), TW_PUBLISHED);
    bench_payload(&b, 7, sizeof payload, payload);
    size_t size = bench_take_slowly(&b, data, sizeof data, 999, SIZE_MAX);
    for (at = 0; at < size; frames++) {
        size_t length = (size_t)(data[at + 5] << 8 | data[at + 6]);
        assert_memory_equal(data + at + 1, ((const uint8_t[]){0, 1, 0, 0}), 4); /* our channel */
        assert_true(7 + length + 1 <= 4096);
        assert_int_equal(data[at + 7 + length], END);
        if (data[at] == 3) {
            memcpy(body + got, data + at + 7, length);
            got += length;
        }
        at += 7 + length + 1;
    }
    assert_int_equal(at, size);
    assert_int_equal(frames, 2 + 5);
    assert_int_equal(got, sizeof payload);
    assert_memory_equal(body, payload, sizeof payload);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_opening_bytes),
        cmocka_unit_test(test_publish_bytes),
        cmocka_unit_test(test_durable_when_the_session_is_kept),
        cmocka_unit_test(test_confirm),
        cmocka_unit_test(test_multiple_confirm),
        cmocka_unit_test(test_tag_0_confirms_all_so_far),
        cmocka_unit_test(test_nack_fails),
        cmocka_unit_test(test_without_confirms),
        cmocka_unit_test(test_kept_messages_are_published_again),
        cmocka_unit_test(test_lost_connection_fails_what_is_open),
        cmocka_unit_test(test_consume_bytes),
        cmocka_unit_test(test_delivery_is_acknowledged),
        cmocka_unit_test(test_delivery_without_acknowledgement),
        cmocka_unit_test(test_empty_delivery),
        cmocka_unit_test(test_delivery_in_single_bytes),
        cmocka_unit_test(test_a_method_ends_the_content_before_it),
        cmocka_unit_test(test_a_heartbeat_within_a_content_is_taken),
        cmocka_unit_test(test_close_ok_behind_a_long_message_is_not_late),
        cmocka_unit_test(test_close_behind_a_long_message_is_not_late),
        cmocka_unit_test(test_returned_message_is_passed_over),
        cmocka_unit_test(test_heartbeats),
        cmocka_unit_test(test_connection_closed_by_the_server),
        cmocka_unit_test(test_channel_closed_by_the_server),
        cmocka_unit_test(test_finish_closes_the_connection),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_methods_out_of_order_are_errors),
        cmocka_unit_test(test_missing_answer_is_an_error),
        cmocka_unit_test(test_the_largest_payload_leaves_in_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
