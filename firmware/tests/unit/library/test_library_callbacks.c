/*
 * A build for a library that calls back (firmware/libraries/lwip) under the whole application: it
 * connects later, is full, acknowledges from a callback, gives messages up, and is not polled.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "board.h"
#include "libraries/adapter.h"
#include "net/net.h"

#define WORDS "nonce=n id=b proto=mqtt topic=t peer=10.0.0.2 port=1883 messages=2 "

static struct test_board b;
static struct {
    bool up, called_back;
    unsigned polls, offers, disconnects;
    enum tw_library_publish result;
    uint16_t tags[4];
} script;

static const char *refuses(const struct tw_config *config) {
    (void)config;
    return NULL;
}

static bool confirms(const struct tw_config *config) {
    return config->qos > 0;
}

static bool connect(const struct tw_config *config) {
    (void)config;
    script.called_back = false;
    return true;
}

static bool connected(void) {
    return script.up;
}

static bool available(void) {
    return script.called_back;
}

static void poll(void) {
    script.called_back = false;
    script.polls++;
}

static enum tw_library_publish publish(const struct tw_config *config, const uint8_t *data,
                                       size_t size, uint16_t tag) {
    (void)config, (void)data, (void)size;
    assert_true(script.offers < 4);
    script.tags[script.offers++] = tag;
    return script.result;
}

static void disconnect(void) {
    script.disconnects++;
    script.up = false;
}

static tw_time now_us(void) {
    return b.now;
}

const struct tw_library_adapter tw_adapter = {
    .name = "Scripted 1.0",
    .payload_bytes = 50,
    .refuses = refuses,
    .confirms = confirms,
    .connect = connect,
    .connected = connected,
    .available = available,
    .poll = poll,
    .publish = publish,
    .disconnect = disconnect,
    .now_us = now_us,
    .calls_back = true,
};

/* Passes of a board's loop, a millisecond apart. */
static void pass(unsigned count) {
    while (count--) {
        assert_true(tw_net_poll(b.now) == TW_NEVER);
        b.next = tw_app_poll(b.app);
        b.now += 1000;
    }
}

static void call_back(bool up) {
    script.up = up;
    script.called_back = true;
    pass(2);
}

static void start(const char *words) {
    board_start(&b, words); /* its first transport is pending */
    tw_net_start(b.app);
    b.open_result = TW_OPEN_DONE;
    tw_app_on_close(b.app, 0, "none");
    b.now += 1000000;
    pass(4);
}

static unsigned logged(const char *text) {
    return (unsigned)board_logged(&b, text);
}

static int fresh(void **state) {
    (void)state;
    memset(&script, 0, sizeof script);
    return 0;
}

static void test_it_is_connected_when_it_says_so(void **state) {
    (void)state;
    start(WORDS "qos=1");
    assert_int_equal(logged("\"ev\":\"connected\""), 0);
    assert_true(b.next > b.now + 500000); /* nothing is asked of it meanwhile */
    assert_int_equal(script.polls, 0);
    call_back(true);
    assert_int_equal(logged("\"ev\":\"connected\",\"n\":1"), 1);
}

static void test_a_refused_connection_is_tried_again(void **state) {
    (void)state;
    start(WORDS "qos=1");
    call_back(false);
    assert_int_equal(logged("\"ev\":\"disconnected\",\"reason\":\"refused\""), 1);
    b.now += 2000000;
    pass(3);
    call_back(true);
    assert_int_equal(logged("\"ev\":\"connected\",\"n\":1"), 1);
}

static void test_an_acknowledgement_is_timed_when_it_comes(void **state) {
    (void)state;
    start(WORDS "qos=1 interval_ms=60000");
    call_back(true);
    assert_int_equal(script.offers, 1);
    tw_time offered = b.now - 2000; /* in the first of two passes */
    unsigned polls = script.polls;
    b.now += 20000000; /* longer than a library for Arduino gets */
    pass(1);
    assert_int_equal(script.polls, polls);
    assert_int_equal(logged("\"ev\":\"failed\""), 0);
    tw_time heard = b.now;
    tw_library_acked(script.tags[0]);
    b.now += 7000; /* the application hears of it later */
    call_back(true);
    char line[64];
    snprintf(line, sizeof line, "\"seq\":1,\"rtt_us\":%u}", (unsigned)(heard - offered));
    if (logged(line) != 1)
        print_error("not once: %s\n%s", line, b.log);
    assert_int_equal(logged(line), 1);
}

static void test_a_message_that_it_gives_up_has_failed(void **state) {
    (void)state;
    start(WORDS "qos=1 interval_ms=60000");
    call_back(true);
    tw_library_lost(script.tags[0]);
    call_back(true);
    assert_int_equal(logged("\"ev\":\"failed\",\"seq\":1,\"reason\":\"no_response\"}"), 1);
}

static void test_a_full_library_is_offered_the_message_again(void **state) {
    (void)state;
    script.result = TW_LIBRARY_FULL;
    start(WORDS "qos=1 interval_ms=60000");
    call_back(true);
    assert_int_equal(logged("\"ev\":\"sent\""), 0);
    assert_true(script.offers > 0);
    script.result = TW_LIBRARY_SENT;
    call_back(true);
    assert_int_equal(logged("\"ev\":\"sent\",\"seq\":1}"), 1);
    assert_int_equal(logged("\"ev\":\"failed\""), 0);
}

static void test_a_lost_connection_is_made_anew(void **state) {
    (void)state;
    start(WORDS "qos=1 interval_ms=60000");
    call_back(true);
    call_back(false);
    assert_int_equal(logged("\"ev\":\"disconnected\",\"reason\":\"closed\""), 1);
    assert_int_equal(logged("\"ev\":\"failed\",\"seq\":1,\"reason\":\"connection_lost\"}"), 1);
    b.now += 2000000;
    pass(3);
    call_back(true);
    assert_int_equal(logged("\"ev\":\"connected\",\"n\":2"), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_it_is_connected_when_it_says_so, fresh),
        cmocka_unit_test_setup(test_a_refused_connection_is_tried_again, fresh),
        cmocka_unit_test_setup(test_an_acknowledgement_is_timed_when_it_comes, fresh),
        cmocka_unit_test_setup(test_a_message_that_it_gives_up_has_failed, fresh),
        cmocka_unit_test_setup(test_a_full_library_is_offered_the_message_again, fresh),
        cmocka_unit_test_setup(test_a_lost_connection_is_made_anew, fresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
