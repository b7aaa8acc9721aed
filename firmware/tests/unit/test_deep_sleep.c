/* Deep sleep: when a device goes to sleep, what it keeps, and how it goes on. */
#include "bench.h"
#include "board.h"

#define SLEEPER                                                                                    \
    "nonce=cafe id=b proto=mqtt qos=1 topic=t peer=10.0.0.2 keepalive_s=0 interval_ms=10000 "      \
    "connection_messages=1 deep_sleep=1 "

static const uint8_t connack[] = {0x20, 2, 0, 0};

static void join(struct test_board *b) {
    tw_app_on_open(b->app, 0);
    board_feed(b, connack, sizeof connack);
    board_run(b, 100);
}

/* Lets it run so long; true if it fell asleep. */
static bool slept(struct test_board *b, tw_time duration) {
    if (setjmp(board_memory.back))
        return true;
    board_run(b, duration);
    return false;
}

static void test_it_sleeps_once_its_message_is_acknowledged(void **s) {
    static struct test_board b;
    board_start(&b, SLEEPER "messages=3");
    join(&b);
    assert_false(slept(&b, TW_SECONDS(8))); /* a message is under way */
    board_feed(&b, BYTES(0x40, 2, 0, 1));
    assert_true(slept(&b, TW_SECONDS(1)));
    assert_int_equal(board_logged(&b, "\"ev\":\"sleeping\""), 1);
    assert_int_equal(b.closes, 1);
    assert_int_equal(board_memory.until, 1000 + TW_SECONDS(10)); /* from the first message */
    board_memory.full = false;
}

static void test_an_awakened_device_goes_on_with_the_next_message(void **s) {
    static struct test_board b;
    board_start(&b, SLEEPER "messages=2");
    join(&b);
    board_feed(&b, BYTES(0x40, 2, 0, 1));
    assert_true(slept(&b, TW_SECONDS(1)));
    board_start(&b, SLEEPER "messages=2"); /* anew, with the same words */
    assert_int_equal(board_logged(&b, "\"reason\":\"deep_sleep\""), 1);
    assert_true(tw_app_config(b.app)->seed != 1);
    join(&b);
    assert_int_equal(board_logged(&b, "\"ev\":\"sent\",\"seq\":2"), 1);
    board_feed(&b, BYTES(0x40, 2, 0, 1));
    assert_false(slept(&b, TW_SECONDS(30))); /* nothing is left to send */
    assert_int_equal(board_logged(&b, "\"ev\":\"end\",\"sent\":2,\"acked\":2"), 1);
}

static void test_an_awakened_device_has_its_session(void **s) {
    static const char config[] =
        "nonce=cafe id=b proto=mqtt5 qos=1 topic=t peer=10.0.0.2 keepalive_s=0 interval_ms=10000 "
        "connection_messages=1 deep_sleep=1 clean=0 messages=2";
    static struct test_board b;
    board_start(&b, config);
    tw_app_on_open(b.app, 0);
    board_feed(&b, BYTES(0x20, 3, 0, 0, 0));
    board_run(&b, 100);
    board_feed(&b, BYTES(0x40, 2, 0, 1));
    assert_true(slept(&b, TW_SECONDS(1)));
    board_start(&b, config);
    tw_app_on_open(b.app, 0);
    board_feed(&b, BYTES(0x20, 3, 1, 0, 0)); /* the server has it, too */
    assert_int_equal(board_logged(&b, "\"ev\":\"connected\""), 1);
}

static void test_a_run_of_some_time_ends_in_its_sleep(void **s) {
    static struct test_board b;
    board_start(&b, SLEEPER "duration_ms=5000");
    join(&b);
    board_feed(&b, BYTES(0x40, 2, 0, 1));
    assert_true(slept(&b, TW_SECONDS(1)));
    assert_int_equal(board_memory.until, 1000 + TW_SECONDS(5));
    tw_time until = board_memory.until;
    board_start(&b, SLEEPER "duration_ms=5000"); /* at 1000 us, but its clock goes on */
    b.now = until;
    board_run(&b, 1);
    assert_int_equal(board_logged(&b, "\"ev\":\"end\",\"sent\":1,\"acked\":1"), 1);
}

static void test_another_start_is_no_awakening(void **s) {
    static struct test_board b;
    board_start(&b, SLEEPER "messages=2");
    assert_int_equal(board_logged(&b, "\"reason\":\"power_on\""), 1);
    assert_int_equal(tw_app_config(b.app)->seed, 1);
    join(&b);
    assert_int_equal(board_logged(&b, "\"ev\":\"sent\",\"seq\":1"), 1);
}

static void test_who_cannot_sleep_says_so(void **s) {
    static struct test_board b;
    board_start(&b, "proto=mqtt deep_sleep=1");
    assert_int_equal(board_logged(&b, "\"key\":\"connection_messages\""), 1);
    board_start(&b, "proto=mqtt deep_sleep=1 connection_messages=1 role=subscribe");
    assert_int_equal(board_logged(&b, "\"key\":\"deep_sleep\""), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_it_sleeps_once_its_message_is_acknowledged),
        cmocka_unit_test(test_an_awakened_device_goes_on_with_the_next_message),
        cmocka_unit_test(test_an_awakened_device_has_its_session),
        cmocka_unit_test(test_a_run_of_some_time_ends_in_its_sleep),
        cmocka_unit_test(test_another_start_is_no_awakening),
        cmocka_unit_test(test_who_cannot_sleep_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
