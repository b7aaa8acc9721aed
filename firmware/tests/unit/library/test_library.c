/*
 * A build for a library of Arduino (firmware/libraries) under the whole application: what the log
 * says of a library that waits, answers later, loses its connection or refuses. The library here
 * follows a script, and its calls take the time that they are given.
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

#define WORDS "nonce=n id=b proto=mqtt topic=t peer=10.0.0.2 port=1883 messages=1 drain_ms=100 "

static struct test_board b;
static struct {
    bool joins, up, confirms, waiting; /* waiting: bytes that it has not read */
    unsigned connect_us, publish_us;   /* what the calls take */
    enum tw_library_publish result;
    const char *heard; /* what its next poll reads */
    uint16_t tag;
    char sent[64];
    unsigned disconnects;
    struct tw_library_waits waits; /* the sketch's, so far */
} script;

static const char *refuses(const struct tw_config *config) {
    return config->keepalive_s == 7 ? "keepalive_s" : NULL;
}

static bool confirms(const struct tw_config *config) {
    (void)config;
    return script.confirms;
}

static bool connect(const struct tw_config *config) {
    (void)config;
    b.now += script.connect_us;
    return script.up = script.joins;
}

static bool connected(void) {
    return script.up;
}

static bool available(void) {
    return script.waiting;
}

static void poll(void) {
    const char *heard = script.heard;
    script.heard = NULL;
    script.waiting = false;
    b.now += 30;
    script.waits.count++;
    script.waits.us += 12;
    if (heard)
        tw_library_received((const uint8_t *)heard, strlen(heard));
}

static enum tw_library_publish publish(const struct tw_config *config, const uint8_t *data,
                                       size_t size, uint16_t tag) {
    (void)config;
    assert_true(size < sizeof script.sent);
    memcpy(script.sent, data, size);
    script.tag = tag;
    b.now += script.publish_us;
    return script.result;
}

static void disconnect(void) {
    script.disconnects += script.up;
    script.up = false;
}

static tw_time now_us(void) {
    return b.now;
}

static struct tw_library_waits waits(void) {
    return script.waits;
}

const struct tw_library_adapter tw_adapter = {
    "Scripted 1.0", 50,   true,    refuses,    confirms, connect, connected,
    available,      poll, publish, disconnect, now_us,   false,   waits,
};

/* Passes of a board's loop, a millisecond apart. */
static void pass(unsigned count) {
    while (count--) {
        tw_net_poll(b.now);
        b.next = tw_app_poll(b.app);
        b.now += 1000;
    }
}

static void start(const char *words) {
    board_start(&b, words); /* its first transport is pending */
    tw_net_start(b.app);
    b.open_result = TW_OPEN_DONE;
    tw_app_on_close(b.app, 0, "none");
    b.now += 1000000;
    pass(4);
}

static void logged(const char *text) {
    if (board_logged(&b, text) != 1)
        print_error("not once: %s\n%s", text, b.log);
    assert_int_equal(board_logged(&b, text), 1);
}

static int fresh(void **state) {
    (void)state;
    memset(&script, 0, sizeof script);
    script.joins = true;
    return 0;
}

static void test_the_round_trip_of_one_that_waits_is_its_call(void **state) {
    (void)state;
    script.confirms = true;
    script.result = TW_LIBRARY_ACKED;
    script.connect_us = 5000;
    script.publish_us = 4321;
    start(WORDS "qos=1");
    pass(3);
    logged("\"ev\":\"connected\",\"n\":1");
    logged("\"ev\":\"sent\",\"seq\":1}");
    logged("\"ev\":\"acked\",\"seq\":1,\"rtt_us\":4321}");
    logged("\"reason\":\"finished\"");
    logged("\"ev\":\"end\",\"sent\":1,\"acked\":1,\"received\":0,\"failed\":0}");
    assert_memory_equal(script.sent, "b 1 ", 4);
    assert_int_equal(script.disconnects, 1);
}

static void test_a_later_acknowledgement_is_timed_when_it_comes(void **state) {
    (void)state;
    script.confirms = true;
    start(WORDS "qos=1");
    logged("\"ev\":\"sent\",\"seq\":1}");
    tw_library_acked((uint16_t)(script.tag + 1)); /* of no message */
    pass(1);
    assert_int_equal(board_logged(&b, "\"ev\":\"acked\""), 0);
    tw_library_acked(script.tag);
    tw_library_acked(script.tag);
    pass(1);
    logged("\"ev\":\"acked\",\"seq\":1,\"rtt_us\":4090}"); /* four passes, three polls of 30 us */
}

static void test_a_message_without_answer_has_failed(void **state) {
    (void)state;
    script.confirms = true;
    script.result = TW_LIBRARY_UNHEARD;
    start(WORDS "qos=1");
    pass(1);
    logged("\"ev\":\"failed\",\"seq\":1,\"reason\":\"no_response\"}");

    fresh(NULL);
    script.confirms = true;
    start(WORDS "qos=1 drain_ms=20000");
    b.now += 10000000;
    pass(1);
    logged("\"ev\":\"failed\",\"seq\":1,\"reason\":\"no_response\"}");
}

static void test_what_is_not_sent_is_not_counted_as_sent(void **state) {
    (void)state;
    script.result = TW_LIBRARY_REFUSED;
    start(WORDS);
    logged("\"ev\":\"failed\",\"seq\":1,\"reason\":\"offline\"}");
    assert_int_equal(board_logged(&b, "\"ev\":\"sent\""), 0);
}

static void test_a_lost_connection_is_told_and_made_anew(void **state) {
    (void)state;
    script.joins = false;
    start(WORDS "qos=1 messages=2 interval_ms=60000");
    logged("\"ev\":\"disconnected\",\"reason\":\"refused\"");
    script.joins = script.confirms = true;
    b.now += 2000000;
    pass(4);
    logged("\"ev\":\"connected\",\"n\":1");
    script.up = false;
    pass(1);
    logged("\"ev\":\"disconnected\",\"reason\":\"closed\"");
    logged("\"ev\":\"failed\",\"seq\":1,\"reason\":\"connection_lost\"}");
    b.now += 2000000;
    pass(4);
    logged("\"ev\":\"connected\",\"n\":2");
}

/* UFRN's three times, in both directions: the library reads and writes on its own. */
static void test_closed_loops_are_timed(void **state) {
    (void)state;
    script.publish_us = 200;
    start(WORDS "pace=answer interval_ms=0");
    logged("\"ev\":\"sent\",\"seq\":1}");
    script.heard = "b 1 5";
    script.waiting = true;
    script.waits.frames_us += 7; /* the answer came in between two passes */
    pass(1);
    logged("\"ev\":\"acked\",\"seq\":1,\"bytes\":30,\"rtt_us\":3290,\"call_us\":200,\"read_us\":30,"
           "\"publish_rtt_us\":3290,\"loop_us\":30,\"yields\":1,\"yield_us\":12,\"frames_us\":7}");

    fresh(NULL);
    start(WORDS "pace=answer interval_ms=0");
    script.heard = "b 1 5"; /* comes while the library looks */
    pass(1);
    logged("\"read_us\":30,\"publish_rtt_us\":3090,\"loop_us\":30,");

    fresh(NULL);
    start(WORDS "role=echo");
    script.heard = "x 9 5";
    script.waiting = true;
    pass(1);
    logged("\"ev\":\"received\",\"from\":\"x\",\"seq\":9,\"bytes\":5,\"read_us\":30,"
           "\"loop_us\":30,\"yields\":1,\"yield_us\":12,\"frames_us\":0}");
    assert_memory_equal(script.sent, "b:9..", 5);
}

static void test_what_the_library_cannot_do_is_a_configuration_error(void **state) {
    static const char *const bad[][2] = {
        {"role=subscribe", "role"},
        {"pace=answer qos=1", "qos"},
        {"payload_bytes=51", "payload_bytes"},
        {"payload_steps=10,60", "payload_steps"},
        {"mss=1000", "mss"},
        {"clean=0", "clean"},
        {"keepalive_s=7", "keepalive_s"},
        {"proto=coap", "proto"},
        {"quirks=byte_at_a_time_read", "quirks"},
        {"security=psk", "security"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char words[256], error[64];
        snprintf(words, sizeof words, "%s%s", WORDS, bad[i][0]);
        snprintf(error, sizeof error, "\"ev\":\"config_error\",\"key\":\"%s\"}", bad[i][1]);
        board_start(&b, words);
        logged(error);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_the_round_trip_of_one_that_waits_is_its_call, fresh),
        cmocka_unit_test_setup(test_a_later_acknowledgement_is_timed_when_it_comes, fresh),
        cmocka_unit_test_setup(test_a_message_without_answer_has_failed, fresh),
        cmocka_unit_test_setup(test_what_is_not_sent_is_not_counted_as_sent, fresh),
        cmocka_unit_test_setup(test_a_lost_connection_is_told_and_made_anew, fresh),
        cmocka_unit_test_setup(test_closed_loops_are_timed, fresh),
        cmocka_unit_test_setup(test_what_the_library_cannot_do_is_a_configuration_error, fresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
