/* Closed loops: one's own message out, the peer's in, and what the device's clock says of it. */
#include "bench.h"
#include "board.h"

#define MQTT "nonce=cafe id=b proto=mqtt topic=t peer=10.0.0.2 keepalive_s=0 start_ms=0 "
#define ASKS MQTT "pace=answer interval_ms=0 payload_bytes=5 "
#define EMPTY_ANSWER "\x30\x08\x00\x06t/echo"
#define CALL_US 70

static size_t (*plain_send)(void *ctx, uint8_t link, const struct tw_output *out);

/* A network whose calls take time. */
static size_t slow_send(void *ctx, uint8_t link, const struct tw_output *out) {
    ((struct test_board *)ctx)->now += CALL_US;
    return plain_send(ctx, link, out);
}

/* A session over MQTT with a subscription, and a network whose calls take CALL_US. */
static void join(struct test_board *b, const char *config) {
    board_start(b, config);
    tw_app_on_open(b->app, 0);
    board_feed(b, TEXT("\x20\x02\x00\x00"));
    board_feed(b, TEXT("\x90\x03\x00\x01\x00"));
    plain_send = b->board.send;
    b->board.send = slow_send;
    b->sent_size = 0;
}

static void test_a_publisher_hears_its_answers(void **s) {
    static struct test_board b;
    board_start(&b, ASKS);
    tw_app_on_open(b.app, 0);
    b.sent_size = 0;
    board_feed(&b, TEXT("\x20\x02\x00\x00"));
    assert_int_equal(b.sent_size, 13);
    assert_memory_equal(b.sent, "\x82\x0b\x00\x01\x00\x06t/echo\x00", 13);
}

static void test_the_next_message_leaves_when_the_answer_is_there(void **s) {
    static struct test_board b;
    join(&b, ASKS "messages=3");
    for (unsigned n = 1; n <= 3; n++) {
        board_run(&b, TW_SECONDS(2));
        assert_int_equal(board_logged(&b, "\"ev\":\"sent\""), n);
        board_feed(&b, TEXT(EMPTY_ANSWER));
        assert_int_equal(board_logged(&b, "\"ev\":\"acked\""), n);
    }
    assert_memory_equal(b.sent,
                        "\x30\x08\x00\x01tb:1..\x30\x08\x00\x01tb:2..\x30\x08\x00\x01tb:3..", 30);
    board_run(&b, 1000);
    assert_true(tw_app_ended(b.app));
    assert_int_equal(board_logged(&b, "\"sent\":3,\"acked\":3,\"received\":0,\"failed\":0}"), 1);
}

static void test_times_of_a_question(void **s) {
    static struct test_board b;
    join(&b, ASKS "messages=1");
    tw_app_poll(b.app);
    tw_time asked = b.now - CALL_US;
    b.now += 5000;
    for (size_t i = 0; i < sizeof EMPTY_ANSWER - 1; i++) { /* each byte takes 4 us to read */
        board_feed(&b, EMPTY_ANSWER + i, 1);
        b.now += i + 2 < sizeof EMPTY_ANSWER ? 4 : 0;
    }
    assert_true(b.now == asked + CALL_US + 5000 + 36);
    assert_int_equal(
        board_logged(&b, "\"seq\":1,\"bytes\":5,\"rtt_us\":5106,\"call_us\":70,\"read_us\":36}"),
        1);
}

static void test_messages_keep_their_least_distance(void **s) {
    static struct test_board b;
    join(&b, MQTT "pace=answer interval_ms=100");
    board_run(&b, 0);
    board_feed(&b, TEXT(EMPTY_ANSWER));
    board_run(&b, TW_MS(99));
    assert_int_equal(board_logged(&b, "\"ev\":\"sent\""), 1);
    board_run(&b, TW_MS(2));
    assert_int_equal(board_logged(&b, "\"ev\":\"sent\""), 2);
}

static void test_a_question_without_answer_is_given_up(void **s) {
    static struct test_board b;
    join(&b, ASKS "messages=2 drain_ms=1000");
    board_run(&b, TW_MS(9990));
    assert_int_equal(board_logged(&b, "\"ev\":\"failed\""), 0);
    board_run(&b, TW_MS(20));
    assert_int_equal(board_logged(&b, "\"seq\":1,\"reason\":\"no_response\""), 1);
    assert_int_equal(board_logged(&b, "\"ev\":\"sent\",\"seq\":2"), 1);
    board_run(&b, TW_MS(1100)); /* the last one is waited for as long as drain_ms says */
    assert_int_equal(board_logged(&b, "\"seq\":2,\"reason\":\"unfinished\""), 1);
    assert_true(tw_app_ended(b.app));
}

static void test_the_loop_goes_on_after_a_lost_connection(void **s) {
    static struct test_board b;
    join(&b, ASKS);
    board_run(&b, 0);
    tw_app_on_close(b.app, 0, "reset");
    board_run(&b, TW_SECONDS(1));
    tw_app_on_open(b.app, 0);
    board_feed(&b, TEXT("\x20\x02\x00\x00"));
    board_feed(&b, TEXT("\x90\x03\x00\x02\x00"));
    assert_int_equal(board_logged(&b, "\"seq\":1,\"reason\":\"connection_lost\""), 1);
    board_run(&b, 0);
    assert_int_equal(board_logged(&b, "\"ev\":\"sent\",\"seq\":2"), 1);
}

static void test_an_echo_may_answer_without_payload(void **s) {
    static struct test_board b;
    join(&b, MQTT "role=echo empty_answers=1");
    board_feed(&b, TEXT("\x30\x08\x00\x01tx:42."));
    assert_int_equal(b.sent_size, 10);
    assert_memory_equal(b.sent, EMPTY_ANSWER, 10);
}

static void test_times_of_an_echo(void **s) {
    static struct test_board b;
    join(&b, MQTT "role=echo empty_answers=1");
    b.now += 1000;
    board_feed(&b, TEXT("\x30\x08\x00\x01tx:"));
    b.now += 30;
    board_feed(&b, TEXT("42."));
    assert_int_equal(board_logged(&b, "\"from\":\"x\",\"seq\":42,\"bytes\":5,\"read_us\":30}"), 1);
    b.now += 2000;
    board_feed(&b, TEXT("\x30\x08\x00\x01tx:43."));
    assert_int_equal(
        board_logged(&b, "\"seq\":43,\"bytes\":5,\"read_us\":0,\"call_us\":70,\"rtt_us\":2070}"),
        1);
    board_feed(&b, TEXT("\x30\x08\x00\x01tx:44.\x30\x08\x00\x01tx:45.")); /* two at once */
    assert_int_equal(board_logged(&b, "\"ev\":\"received\""), 4);
    assert_int_equal(board_logged(&b, "\"seq\":45,\"bytes\":5,\"read_us\":0}"), 1);
}

static void test_payloads_take_equal_shares(void **s) {
    static struct test_board b;
    static const unsigned sizes[] = {5, 5, 9, 9, 4, 4, 4};
    join(&b, ASKS "messages=7 payload_steps=9,4");
    for (size_t i = 0; i < 7; i++) {
        size_t before = b.sent_size;
        board_run(&b, 10);
        assert_int_equal(b.sent_size - before, 5 + sizes[i]);
        board_feed(&b, TEXT(EMPTY_ANSWER));
    }
}

static void test_what_makes_no_loop_is_refused(void **s) {
    static const struct {
        const char *config, *key;
    } wrong[] = {
        {MQTT "pace=answer role=subscribe", "\"key\":\"pace\""},
        {MQTT "pace=answer role=echo", "\"key\":\"pace\""},
        {"proto=coap pace=answer", "\"key\":\"pace\""},
        {"proto=mqtt pace=never", "\"key\":\"pace\""},
        {ASKS "payload_steps=9", "\"key\":\"payload_steps\""}, /* shares of no number */
        {ASKS "payload_steps=", "\"key\":\"payload_steps\""},
        {ASKS "payload_steps=9,,9", "\"key\":\"payload_steps\""},
        {ASKS "payload_steps=9,16385", "\"key\":\"payload_steps\""},
        {ASKS "payload_steps=2,3,4,5,6,7,8,9,10,11,12,13,14", "\"key\":\"payload_steps\""},
        {MQTT "role=subscribe processing_steps=9", "\"key\":\"processing_steps\""},
        {MQTT "processing_ms=1 processing_steps=0", "\"key\":\"processing_steps\""},
        {MQTT "processing_ms=1 processing_steps=60001", "\"key\":\"processing_steps\""},
        {MQTT "clock_ppm=10001", "\"key\":\"clock_ppm\""},
        {MQTT "interval_ms=0", "\"key\":\"interval_ms\""},
    };
    static struct test_board b;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        board_start(&b, wrong[i].config);
        assert_int_equal(board_logged(&b, wrong[i].key), 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_publisher_hears_its_answers),
        cmocka_unit_test(test_the_next_message_leaves_when_the_answer_is_there),
        cmocka_unit_test(test_times_of_a_question),
        cmocka_unit_test(test_messages_keep_their_least_distance),
        cmocka_unit_test(test_a_question_without_answer_is_given_up),
        cmocka_unit_test(test_the_loop_goes_on_after_a_lost_connection),
        cmocka_unit_test(test_an_echo_may_answer_without_payload),
        cmocka_unit_test(test_times_of_an_echo),
        cmocka_unit_test(test_payloads_take_equal_shares),
        cmocka_unit_test(test_what_makes_no_loop_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
