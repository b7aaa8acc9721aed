/* The client under OSCORE (RFC 8613): what leaves, what is believed, and the sequence number. */
#include "kept_memory.h"
#include "oscore_bench.h"

#define CHANGED "\x44"
/* 4.01 with an Echo option of four bytes: delta 252, length 4. */
#define ECHO_WANTED                                                                                \
    "\x81\xd4\xef"                                                                                 \
    "echo"

static void test_request_is_a_post_with_the_option(void **s) {
    struct bench b, plain;
    oscore_publisher(&b, "");
    bench_publish(&b, 7, 4);
    struct oscore_request r = take_protected(&b);
    const uint8_t inner[] = {TW_COAP_POST, 0xb1, 'a', 0x01, 'b', 0x10, 0xff, 't', 'w', ':', '7'};
    assert_int_equal(r.data[0], 0x44); /* CON, a token of four bytes */
    assert_int_equal(r.plain_size, sizeof inner);
    assert_memory_equal(r.plain, inner, sizeof inner);
    bench_start(&plain, "proto=coap topic=a/b");
    bench_publish(&plain, 7, 4);
    uint8_t data[256];
    assert_int_equal(r.size, bench_take(&plain, data, sizeof data) + 13);
}

static void test_non_request_is_non(void **s) {
    struct bench b;
    oscore_publisher(&b, "confirmable=0");
    bench_publish(&b, 7, 4);
    assert_int_equal(take_protected(&b).data[0], 0x54);
}

static void test_sender_id_is_the_kid(void **s) {
    struct bench b;
    oscore_publisher(&b, "sender_id=dev7");
    bench_publish(&b, 7, 4);
    struct oscore_request r = take_protected(&b);
    assert_int_equal(r.kid.size, 4);
    assert_memory_equal(r.kid.bytes, "dev7", 4);
}

static void test_response_acknowledges(void **s) {
    struct bench b;
    oscore_publisher(&b, "");
    bench_publish(&b, 7, 4);
    struct oscore_request r = take_protected(&b);
    oscore_answer(&b, &r, 0x60, TEXT(CHANGED));
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
    assert_true(b.engine->idle(&b.state));
}

static void test_protected_refusal_fails(void **s) {
    struct bench b;
    oscore_publisher(&b, "");
    bench_publish(&b, 7, 4);
    struct oscore_request r = take_protected(&b);
    oscore_answer(&b, &r, 0x60, TEXT("\x84")); /* 4.04, behind an outer 2.04 */
    bench_expect_message(&b, TW_EVENT_FAILED, 7, "refused");
}

static void test_separate_response(void **s) {
    struct bench b;
    oscore_publisher(&b, "");
    bench_publish(&b, 7, 4);
    struct oscore_request r = take_protected(&b);
    FEED(&b, 0x60, 0x00, r.mid[0], r.mid[1]);
    r.mid[0] = 0x12, r.mid[1] = 0x34;
    for (int i = 0; i < 2; i++) { /* and its repetition */
        oscore_answer(&b, &r, 0x40, TEXT(CHANGED));
        EXPECT(&b, 0x60, 0x00, 0x12, 0x34);
    }
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
    bench_expect_no_event(&b);
}

static void test_response_with_its_own_number(void **s) {
    struct bench b;
    uint8_t data[256];
    struct tw_oscore_id piv = tw_oscore_piv(300);
    oscore_publisher(&b, "");
    bench_publish(&b, 7, 4);
    struct oscore_request r = take_protected(&b);
    bench_feed(&b, data, oscore_respond(&b, &r, 0x60, &piv, TEXT(CHANGED), data));
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
}

static void test_empty_messages_have_no_oscore(void **s) {
    struct bench b;
    oscore_publisher(&b, "");
    FEED(&b, 0x40, 0x00, 0x12, 0x34); /* a ping */
    EXPECT(&b, 0x70, 0x00, 0x12, 0x34);
    bench_publish(&b, 7, 4);
    struct oscore_request r = take_protected(&b);
    FEED(&b, 0x70, 0x00, r.mid[0], r.mid[1]);
    bench_expect_message(&b, TW_EVENT_FAILED, 7, "reset");
}

static void test_retransmission_has_the_same_bytes(void **s) {
    struct bench b;
    uint8_t again[OSCORE_TEXT];
    oscore_publisher(&b, "");
    bench_publish(&b, 7, 4);
    struct oscore_request r = take_protected(&b);
    bench_sleep(&b);
    assert_int_equal(bench_take(&b, again, sizeof again), r.size);
    assert_memory_equal(again, r.data, r.size);
}

static void test_each_request_has_the_next_number(void **s) {
    struct bench b;
    oscore_publisher(&b, "confirmable=0");
    for (uint8_t i = 0; i < 20; i++) { /* more than there are records of requests */
        bench_publish(&b, i + 1u, 4);
        struct oscore_request r = take_protected(&b);
        assert_int_equal(r.piv.size, 1);
        assert_int_equal(r.piv.bytes[0], i);
        if (i % 2)
            oscore_answer(&b, &r, 0x50, TEXT(CHANGED));
    }
}

static void test_forged_response_is_ignored(void **s) {
    struct bench b;
    uint8_t data[256], again[OSCORE_TEXT];
    oscore_publisher(&b, "");
    bench_publish(&b, 7, 4);
    struct oscore_request r = take_protected(&b);
    size_t size = oscore_respond(&b, &r, 0x60, NULL, TEXT(CHANGED), data);
    data[size - 1] ^= 1;
    bench_feed(&b, data, size);
    bench_expect_no_event(&b);
    bench_sleep(&b); /* it goes on */
    assert_int_equal(bench_take(&b, again, sizeof again), r.size);
}

static void test_forged_confirmable_response_is_reset(void **s) {
    struct bench b;
    uint8_t data[256];
    oscore_publisher(&b, "");
    bench_publish(&b, 7, 4);
    struct oscore_request r = take_protected(&b);
    size_t size = oscore_respond(&b, &r, 0x40, NULL, TEXT(CHANGED), data);
    data[size - 1] ^= 1;
    bench_feed(&b, data, size);
    EXPECT(&b, 0x70, 0x00, r.mid[0], r.mid[1]);
    bench_expect_no_event(&b);
}

static void test_response_to_another_request_is_ignored(void **s) {
    struct bench b;
    oscore_publisher(&b, "confirmable=0");
    bench_publish(&b, 7, 4);
    struct oscore_request first = take_protected(&b);
    bench_publish(&b, 8, 4);
    struct oscore_request second = take_protected(&b);
    memcpy(first.token, second.token,
           sizeof first.token); /* not encrypted: anybody can change it */
    oscore_answer(&b, &first, 0x50, TEXT(CHANGED));
    bench_expect_no_event(&b);
}

static void test_unprotected_success_is_ignored(void **s) {
    struct bench b;
    oscore_publisher(&b, "");
    bench_publish(&b, 7, 4);
    struct oscore_request r = take_protected(&b);
    const uint8_t *t = r.token;
    FEED(&b, 0x64, 0x44, r.mid[0], r.mid[1], t[0], t[1], t[2], t[3]);
    bench_expect_no_event(&b);
    FEED(&b, 0x44, 0x44, 0x12, 0x34, t[0], t[1], t[2], t[3]);
    bench_expect_no_event(&b);
    EXPECT(&b, 0x70, 0x00, 0x12, 0x34);
}

static void test_unprotected_error_fails(void **s) {
    struct bench b;
    oscore_publisher(&b, "");
    bench_publish(&b, 7, 4);
    struct oscore_request r = take_protected(&b);
    const uint8_t *t = r.token;
    FEED(&b, 0x64, 0x81, r.mid[0], r.mid[1], t[0], t[1], t[2], t[3]); /* 4.01: no such context */
    bench_expect_message(&b, TW_EVENT_FAILED, 7, "refused");
}

static void test_malformed_response_is_ignored(void **s) {
    struct bench b;
    oscore_publisher(&b, "");
    bench_publish(&b, 7, 4);
    struct oscore_request r = take_protected(&b);
    const uint8_t *t = r.token;
    FEED(&b, 0x64, 0x44, r.mid[0], r.mid[1], t[0], t[1], t[2], t[3], 0x90); /* nothing to decrypt */
    bench_expect_no_event(&b);
    oscore_answer(&b, &r, 0x60, TEXT(CHANGED));
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
}

static void test_a_request_within_the_ciphertext_is_ignored(void **s) {
    struct bench b;
    oscore_publisher(&b, "");
    bench_publish(&b, 7, 4);
    struct oscore_request r = take_protected(&b);
    uint8_t data[256], out[256];
    size_t size = oscore_respond(&b, &r, 0x60, NULL, TEXT("\x02"), data);
    struct tw_oscore_bytes datagram = {data, size};
    const struct tw_oscore_context *context = &b.state.oscore.context;
    assert_int_equal(tw_oscore_verify(context, context, &r.piv, datagram, out, &size),
                     TW_OSCORE_INVALID);
    bench_feed(&b, data, datagram.size);
    bench_expect_no_event(&b);
}

static void test_echo_is_repeated_in_a_new_message(void **s) {
    struct bench b;
    uint8_t again[OSCORE_TEXT];
    oscore_publisher(&b, "");
    bench_publish(&b, 7, 4);
    struct oscore_request r = take_protected(&b);
    oscore_answer(&b, &r, 0x60, TEXT(ECHO_WANTED));
    bench_expect_message(&b, TW_EVENT_RETRANSMITTED, 7, NULL);
    struct oscore_request fresh = take_protected(&b);
    assert_memory_not_equal(fresh.mid, r.mid, 2);
    assert_int_equal(fresh.piv.bytes[0], 1);
    /* Content-Format 12, then Echo 252: a delta of 240. */
    const uint8_t inner[] = {TW_COAP_POST, 0xb1, 'a', 0x01, 'b', 0x10, 0xd4, 0xe3, 'e',
                             'c',          'h',  'o', 0xff, 't', 'w',  ':',  '7'};
    assert_int_equal(fresh.plain_size, sizeof inner);
    assert_memory_equal(fresh.plain, inner, sizeof inner);
    bench_sleep(&b); /* its retransmission is the same message */
    assert_int_equal(bench_take(&b, again, sizeof again), fresh.size);
    assert_memory_equal(again, fresh.data, fresh.size);
    oscore_answer(&b, &fresh, 0x60, TEXT(CHANGED));
    bench_expect_event(&b, TW_EVENT_RETRANSMITTED);
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
    bench_publish(&b, 8, 4);
    assert_int_equal(take_protected(&b).plain_size, 11); /* once, and no more */
}

static void test_echo_in_a_confirmable_response_is_acknowledged(void **s) {
    struct bench b;
    oscore_publisher(&b, "");
    bench_publish(&b, 7, 4);
    struct oscore_request r = take_protected(&b);
    r.mid[0] = 0x12, r.mid[1] = 0x34;
    oscore_answer(&b, &r, 0x40, TEXT(ECHO_WANTED));
    EXPECT(&b, 0x60, 0x00, 0x12, 0x34);
    assert_int_equal(take_protected(&b).plain_size, 17);
}

static void test_echo_again_is_a_refusal(void **s) {
    struct bench b;
    oscore_publisher(&b, "");
    bench_publish(&b, 7, 4);
    struct oscore_request r = take_protected(&b);
    oscore_answer(&b, &r, 0x60, TEXT(ECHO_WANTED));
    bench_expect_event(&b, TW_EVENT_RETRANSMITTED);
    r = take_protected(&b);
    oscore_answer(&b, &r, 0x60, TEXT(ECHO_WANTED));
    bench_expect_message(&b, TW_EVENT_FAILED, 7, "refused");
}

static void test_echo_of_another_value_changes_no_retransmission(void **s) {
    struct bench b;
    uint8_t again[OSCORE_TEXT];
    oscore_publisher(&b, "inflight=2");
    bench_publish(&b, 7, 4);
    struct oscore_request first = take_protected(&b);
    bench_publish(&b, 8, 4);
    struct oscore_request second = take_protected(&b);
    oscore_answer(&b, &first, 0x60, TEXT(ECHO_WANTED));
    bench_expect_event(&b, TW_EVENT_RETRANSMITTED);
    first = take_protected(&b);
    oscore_answer(&b, &second, 0x60,
                  TEXT("\x81\xd4\xef"
                       "ohce"));
    bench_expect_message(&b, TW_EVENT_FAILED, 8, "refused");
    bench_sleep(&b);
    assert_int_equal(bench_take(&b, again, sizeof again), first.size);
    assert_memory_equal(again, first.data, first.size);
}

static void test_blocks_are_within(void **s) {
    struct bench b;
    oscore_publisher(&b, "block_bytes=16");
    bench_publish(&b, 7, 20);
    struct oscore_request r = take_protected(&b);
    /* Content-Format 12, then Block1 27: number 0, more, 16 bytes. */
    const uint8_t inner[] = {TW_COAP_POST, 0xb1, 'a', 0x01, 'b', 0x10, 0xd1, 0x02, 0x08, 0xff};
    assert_memory_equal(r.plain, inner, sizeof inner);
    oscore_answer(&b, &r, 0x60, TEXT("\x5f\xd1\x0e\x08")); /* 2.31, Block1 */
    r = take_protected(&b);
    assert_int_equal(r.piv.bytes[0], 1);
    assert_int_equal(r.plain[8], 0x10);
    oscore_answer(&b, &r, 0x60, TEXT("\x44\xd1\x0e\x10"));
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
}

/* ---- the sequence number over a restart ---- */

/* Starts the engine with that memory. */
static void start_with_memory(struct bench *b, const char *config) {
    assert_null(bench_init(b, config));
    restart_with_memory(b);
    bench_open(b, 0);
}

static void test_number_survives_a_restart(void **s) {
    struct bench b;
    kept = 0;
    start_with_memory(&b, "proto=oscore");
    bench_publish(&b, 1, 4);
    assert_int_equal(take_protected(&b).piv.bytes[0], 0);
    start_with_memory(&b, "proto=oscore"); /* without a response, as after a crash */
    bench_publish(&b, 2, 4);
    assert_int_equal(take_protected(&b).piv.bytes[0], 1);
    start_with_memory(&b, "proto=oscore sender_id=x"); /* other keys begin anew */
    bench_publish(&b, 3, 4);
    assert_int_equal(take_protected(&b).piv.bytes[0], 0);
}

static void test_no_number_is_used_after_the_last(void **s) {
    struct bench b;
    struct tw_oscore_context client;
    uint8_t data[OSCORE_TEXT];
    assert_true(tw_oscore_derive(&client, &tw_oscore_credentials));
    client.next = TW_OSCORE_LAST;
    tw_oscore_save(&client, memory);
    kept = 1;
    start_with_memory(&b, "proto=oscore confirmable=0");
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    bench_publish(&b, 1, 4);
    assert_int_equal(take_protected(&b).piv.size, 5);
    bench_publish(&b, 2, 4);
    assert_int_equal(bench_take(&b, data, sizeof data), 0);
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "sequence_exhausted");
}

static void test_what_it_cannot_be_is_refused(void **s) {
    struct bench b;
    assert_string_equal(bench_init(&b, "proto=oscore role=serve"), "role");
    assert_string_equal(bench_init(&b, "proto=oscore role=subscribe"), "role");
    assert_string_equal(bench_init(&b, "proto=oscore sender_id=server"), "sender_id");
    assert_string_equal(bench_init(&b, "proto=oscore payload_bytes=1409"), "payload_bytes");
    assert_null(bench_init(&b, "proto=oscore payload_bytes=1408"));
    assert_null(bench_init(&b, "proto=oscore payload_bytes=16384 block_bytes=1024"));
}

static void test_largest_payload(void **s) {
    struct bench b;
    oscore_publisher(&b, "payload_bytes=1408");
    bench_publish(&b, 7, 1408);
    assert_true(take_protected(&b).size <= 1472); /* IPv4 and UDP take 28 of 1500 bytes */
    assert_int_equal(bench_publish(&b, 8, 1409), TW_UNSUPPORTED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_request_is_a_post_with_the_option),
        cmocka_unit_test(test_non_request_is_non),
        cmocka_unit_test(test_sender_id_is_the_kid),
        cmocka_unit_test(test_response_acknowledges),
        cmocka_unit_test(test_protected_refusal_fails),
        cmocka_unit_test(test_separate_response),
        cmocka_unit_test(test_response_with_its_own_number),
        cmocka_unit_test(test_empty_messages_have_no_oscore),
        cmocka_unit_test(test_retransmission_has_the_same_bytes),
        cmocka_unit_test(test_each_request_has_the_next_number),
        cmocka_unit_test(test_forged_response_is_ignored),
        cmocka_unit_test(test_forged_confirmable_response_is_reset),
        cmocka_unit_test(test_response_to_another_request_is_ignored),
        cmocka_unit_test(test_unprotected_success_is_ignored),
        cmocka_unit_test(test_unprotected_error_fails),
        cmocka_unit_test(test_malformed_response_is_ignored),
        cmocka_unit_test(test_a_request_within_the_ciphertext_is_ignored),
        cmocka_unit_test(test_echo_is_repeated_in_a_new_message),
        cmocka_unit_test(test_echo_in_a_confirmable_response_is_acknowledged),
        cmocka_unit_test(test_echo_again_is_a_refusal),
        cmocka_unit_test(test_echo_of_another_value_changes_no_retransmission),
        cmocka_unit_test(test_blocks_are_within),
        cmocka_unit_test(test_number_survives_a_restart),
        cmocka_unit_test(test_no_number_is_used_after_the_last),
        cmocka_unit_test(test_what_it_cannot_be_is_refused),
        cmocka_unit_test(test_largest_payload),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
