/* CoAP client: RFC 7252 and blocks (RFC 7959). */
#include "coap_bench.h"

static void test_con_request_bytes(void **s) {
    struct bench b;
    publisher(&b, "confirmable=1");
    assert_int_equal(bench_publish(&b, 7, 4), TW_PUBLISHED);
    struct request r = take_request(&b);
    const uint8_t expected[] = {
        0x44,       0x02,       r.mid[0],   r.mid[1],         /* version 1, CON, token of 4; POST */
        r.token[0], r.token[1], r.token[2], r.token[3],       /* token */
        0xb1,       'a',        0x01,       'b',              /* Uri-Path a, b */
        0x10,                                                 /* Content-Format text/plain */
        0xff,       't',        'w',        ':',        '7'}; /* marker, payload */
    assert_int_equal(r.size, sizeof expected);
    assert_memory_equal(r.data, expected, sizeof expected);
}

static void test_non_request_is_non(void **s) {
    struct bench b;
    publisher(&b, "confirmable=0");
    bench_publish(&b, 7, 4);
    assert_int_equal(take_request(&b).data[0], 0x54);
}

static void test_piggybacked_response_acknowledges(void **s) {
    struct bench b;
    publisher(&b, "");
    bench_publish(&b, 7, 4);
    struct request r = take_request(&b);
    answer(&b, &r, 0x60, 0x44, NULL, 0); /* ACK 2.04 */
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
    assert_true(b.engine->idle(&b.state));
    bench_expect_silence(&b);
}

static void test_separate_response(void **s) {
    struct bench b;
    publisher(&b, "");
    bench_publish(&b, 7, 4);
    struct request r = take_request(&b);
    FEED(&b, 0x60, 0x00, r.mid[0], r.mid[1]); /* empty ACK: the answer comes later */
    bench_wait(&b, TW_SECONDS(60));
    bench_expect_silence(&b); /* no retransmission any more */
    bench_expect_no_event(&b);
    r.mid[0] = 0x12, r.mid[1] = 0x34;
    answer(&b, &r, 0x40, 0x44, NULL, 0); /* CON 2.04 with its own message ID */
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
    EXPECT(&b, 0x60, 0x00, 0x12, 0x34); /* acknowledged (section 5.2.2) */
    answer(&b, &r, 0x40, 0x44, NULL, 0);
    EXPECT(&b, 0x60, 0x00, 0x12, 0x34); /* and again when repeated, without another event */
    bench_expect_no_event(&b);
}

static void test_separate_response_replaces_a_lost_ack(void **s) {
    struct bench b;
    publisher(&b, "");
    bench_publish(&b, 7, 4);
    struct request r = take_request(&b);
    r.mid[0] ^= 0xff;
    answer(&b, &r, 0x50, 0x44, NULL, 0); /* NON response while the ACK is outstanding */
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
}

static void test_missing_separate_response_fails(void **s) {
    struct bench b;
    publisher(&b, "");
    bench_publish(&b, 7, 4);
    struct request r = take_request(&b);
    FEED(&b, 0x60, 0x00, r.mid[0], r.mid[1]);
    bench_wait(&b, TW_SECONDS(93));
    bench_expect_message(&b, TW_EVENT_FAILED, 7, "no_response");
}

static void test_retransmission_doubles_and_gives_up(void **s) {
    struct bench b;
    uint8_t again[64];
    publisher(&b, "");
    bench_publish(&b, 7, 4);
    tw_time start = b.now, last = start;
    struct request r = take_request(&b);
    bench_sleep(&b);
    tw_time timeout = b.now - last;
    assert_in_range(timeout, TW_SECONDS(2), TW_SECONDS(3)); /* ACK_TIMEOUT * [1, 1.5] */
    for (int i = 0; i < 4; i++) {
        bench_expect_message(&b, TW_EVENT_RETRANSMITTED, 7, NULL);
        assert_int_equal(bench_take(&b, again, sizeof again), r.size);
        assert_memory_equal(again, r.data, r.size); /* the same bytes, the same message ID */
        last = b.now;
        timeout *= 2;
        bench_sleep(&b);
        assert_int_equal(b.now - last, timeout);
    }
    bench_expect_message(&b, TW_EVENT_FAILED, 7, "timeout");
    assert_true(b.now - start <= TW_SECONDS(93)); /* MAX_TRANSMIT_WAIT */
}

static void test_timeouts_spread_with_the_seed(void **s) {
    struct bench b;
    tw_time first;
    publisher(&b, "seed=1");
    bench_publish(&b, 7, 4);
    first = b.engine->deadline(&b.state);
    publisher(&b, "seed=2");
    bench_publish(&b, 7, 4);
    assert_true(b.engine->deadline(&b.state) != first);
}

static void test_non_request_without_response_fails(void **s) {
    struct bench b;
    publisher(&b, "confirmable=0");
    bench_publish(&b, 7, 4);
    take_request(&b);
    bench_wait(&b, TW_SECONDS(10));
    bench_expect_silence(&b); /* never repeated */
    bench_expect_message(&b, TW_EVENT_FAILED, 7, "no_response");
}

static void test_only_one_confirmable_request_at_once(void **s) {
    struct bench b;
    publisher(&b, ""); /* NSTART = 1 (section 4.7) */
    bench_publish(&b, 1, 4);
    assert_int_equal(bench_publish(&b, 2, 4), TW_BUSY);
    publisher(&b, "inflight=2");
    bench_publish(&b, 1, 4);
    assert_int_equal(bench_publish(&b, 2, 4), TW_PUBLISHED);
}

static void test_tokens_and_ids_differ(void **s) {
    struct bench b;
    publisher(&b, "inflight=2");
    bench_publish(&b, 1, 4);
    bench_publish(&b, 2, 4);
    struct request r1 = take_request(&b), r2 = take_request(&b);
    assert_memory_not_equal(r1.mid, r2.mid, 2);
    assert_memory_not_equal(r1.token, r2.token, 4);
}

static void test_reset_fails_the_request(void **s) {
    struct bench b;
    publisher(&b, "");
    bench_publish(&b, 7, 4);
    struct request r = take_request(&b);
    FEED(&b, 0x70, 0x00, r.mid[0], r.mid[1]);
    bench_expect_message(&b, TW_EVENT_FAILED, 7, "reset");
}

static void test_error_response_fails_the_request(void **s) {
    struct bench b;
    publisher(&b, "");
    bench_publish(&b, 7, 4);
    struct request r = take_request(&b);
    answer(&b, &r, 0x60, 0x84, NULL, 0); /* 4.04 */
    bench_expect_message(&b, TW_EVENT_FAILED, 7, "refused");
}

static void test_foreign_responses_do_nothing(void **s) {
    struct bench b;
    publisher(&b, "");
    bench_publish(&b, 7, 4);
    struct request r = take_request(&b);
    r.token[3] ^= 1;
    answer(&b, &r, 0x60, 0x44, NULL, 0); /* right message ID, wrong token */
    answer(&b, &r, 0x50, 0x44, NULL, 0);
    bench_expect_silence(&b);
    answer(&b, &r, 0x40, 0x44, NULL, 0);
    EXPECT(&b, 0x70, 0x00, r.mid[0], r.mid[1]); /* a CON that fits nothing is reset (4.2) */
    r.token[3] ^= 1, r.mid[0] ^= 1;
    answer(&b, &r, 0x60, 0x44, NULL, 0); /* right token, an ACK of another message */
    bench_expect_no_event(&b);
}

static void test_answers_of_strangers_do_nothing(void **s) {
    struct bench b;
    publisher(&b, "peer=10.0.0.1");
    bench_publish(&b, 7, 4);
    struct request r = take_request(&b);
    uint8_t answers[][8] = {{0x64, 0x44}, {0x54, 0x44}, {0x60, 0x00}, {0x70, 0x00}, {0x44, 0x44}};
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        size_t size = answers[i][0] & 4 ? 8 : 4;
        memcpy(answers[i] + 2, r.mid, 2);
        memcpy(answers[i] + 4, r.token, 4);
        bench_feed_from(&b, 0x0a000002, 5683, answers[i], size); /* another host */
        bench_feed_from(&b, 0x0a000001, 5684, answers[i], size); /* another port */
    }
    for (int i = 0; i < 2; i++)
        EXPECT(&b, 0x70, 0x00, r.mid[0], r.mid[1]); /* a CON that fits nothing is reset (4.2) */
    bench_expect_silence(&b);
    bench_expect_no_event(&b);
    bench_sleep(&b);
    bench_expect_message(&b, TW_EVENT_RETRANSMITTED, 7, NULL); /* nobody acknowledged it */
    answer(&b, &r, 0x60, 0x44, NULL, 0);
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
}

static void test_ping_is_reset(void **s) {
    struct bench b;
    publisher(&b, "");
    FEED(&b, 0x40, 0x00, 0x12, 0x34);
    EXPECT(&b, 0x70, 0x00, 0x12, 0x34);
}

static void test_malformed_messages(void **s) {
    struct bench b;
    publisher(&b, "");
    FEED(&b, 0x40, 0x45, 0x12, 0x34, 0xff); /* marker without payload (section 3) */
    EXPECT(&b, 0x70, 0x00, 0x12, 0x34);
    FEED(&b, 0x49, 0x45, 0x12, 0x34, 1, 2, 3, 4, 5, 6, 7, 8, 9); /* token of 9 bytes */
    EXPECT(&b, 0x70, 0x00, 0x12, 0x34);
    FEED(&b, 0x41, 0x00, 0x12, 0x34, 1); /* Empty with a token (section 4.1) */
    EXPECT(&b, 0x70, 0x00, 0x12, 0x34);
    FEED(&b, 0x40, 0x45, 0x12, 0x34, 0xf0); /* option delta 15 */
    EXPECT(&b, 0x70, 0x00, 0x12, 0x34);
    FEED(&b, 0x50, 0x45, 0x12, 0x34, 0xf0); /* the same in a NON is dropped */
    FEED(&b, 0x80, 0x45, 0x12, 0x34);       /* version 2 is dropped */
    FEED(&b, 0x40, 0x45, 0x12);             /* too short */
    bench_expect_silence(&b);
    bench_expect_no_event(&b);
}

static void test_malformed_acknowledgements_are_ignored(void **s) {
    struct bench b;
    uint8_t again[64];
    publisher(&b, "");
    bench_publish(&b, 7, 4);
    struct request r = take_request(&b);
    FEED(&b, 0x60, 0x00, r.mid[0], r.mid[1], 0xff); /* Empty, and five bytes (section 4.1) */
    answer(&b, &r, 0x60, 0x44, BYTES(0xff));        /* marker without payload (section 3) */
    bench_expect_no_event(&b);
    bench_sleep(&b);
    assert_int_equal(bench_take(&b, again, sizeof again), r.size); /* still unacknowledged */
}

static void test_unknown_critical_option_fails_the_request(void **s) {
    struct bench b;
    publisher(&b, "");
    bench_publish(&b, 7, 4);
    struct request r = take_request(&b);
    answer(&b, &r, 0x60, 0x44, BYTES(0x90)); /* option 9 (section 5.4.1) */
    bench_expect_message(&b, TW_EVENT_FAILED, 7, "bad_option");
}

static void test_separate_response_with_a_bad_option_is_reset(void **s) {
    struct bench b;
    publisher(&b, "");
    bench_publish(&b, 7, 4);
    struct request r = take_request(&b);
    r.mid[0] = 0x12, r.mid[1] = 0x34;
    for (int i = 0; i < 2; i++) { /* the repetition, too: nothing of it was taken */
        answer(&b, &r, 0x40, 0x44, BYTES(0x90));
        EXPECT(&b, 0x70, 0x00, 0x12, 0x34); /* rejected (sections 5.4.1 and 4.2) */
    }
    bench_expect_message(&b, TW_EVENT_FAILED, 7, "bad_option");
    bench_expect_no_event(&b);
}

static void test_options_of_a_request_reject_a_response(void **s) {
    struct bench b;
    publisher(&b, "");
    bench_publish(&b, 7, 4);
    struct request r = take_request(&b);
    answer(&b, &r, 0x60, 0x44, BYTES(0xb1, 'a')); /* Uri-Path (section 5.4) */
    bench_expect_message(&b, TW_EVENT_FAILED, 7, "bad_option");
}

static void test_slow_server_makes_the_oldest_request_fail(void **s) {
    struct bench b;
    struct request first = {0}, last = {0};
    publisher(&b, "confirmable=0");
    for (uint32_t seq = 1; seq <= 17; seq++) { /* one more than the client remembers */
        assert_int_equal(bench_publish(&b, seq, 4), TW_PUBLISHED);
        last = take_request(&b);
        if (seq == 1)
            first = last;
    }
    bench_expect_message(&b, TW_EVENT_FAILED, 1, "table_full");
    answer(&b, &first, 0x50, 0x44, NULL, 0); /* it had arrived: too late for the client to know */
    bench_expect_no_event(&b);
    answer(&b, &last, 0x50, 0x44, NULL, 0);
    bench_expect_message(&b, TW_EVENT_ACKED, 17, NULL);
}

static void test_upload_in_blocks(void **s) {
    struct bench b;
    publisher(&b, "block_bytes=16");
    bench_publish(&b, 7, 40);
    struct request r = take_request(&b);
    assert_memory_equal(r.data + 12, ((uint8_t[]){0x10, 0xd1, 2, 0x08, 0xff}), 5); /* 0, more */
    assert_int_equal(r.size, 17 + 16);
    answer(&b, &r, 0x60, 0x5f, BYTES(0xd1, 14, 0x08)); /* 2.31, Block1 0 */
    r = take_request(&b);
    assert_memory_equal(r.data + 12, ((uint8_t[]){0x10, 0xd1, 2, 0x18, 0xff}), 5); /* 1, more */
    answer(&b, &r, 0x60, 0x5f, BYTES(0xd1, 14, 0x18));
    r = take_request(&b);
    assert_memory_equal(r.data + 12, ((uint8_t[]){0x10, 0xd1, 2, 0x20, 0xff}), 5); /* 2, last */
    assert_int_equal(r.size, 17 + 8);
    bench_expect_no_event(&b);
    answer(&b, &r, 0x60, 0x44, BYTES(0xd1, 14, 0x20));
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
}

static void test_server_may_ask_for_smaller_blocks(void **s) {
    struct bench b;
    publisher(&b, "block_bytes=64");
    bench_publish(&b, 7, 100);
    struct request r = take_request(&b);
    assert_int_equal(r.data[15], 0x0a);                /* block 0, more, 64 bytes */
    answer(&b, &r, 0x60, 0x5f, BYTES(0xd1, 14, 0x08)); /* 16, please */
    r = take_request(&b);
    assert_int_equal(r.data[15], 0x48); /* bytes 64 to 79 are block 4 of 16 (RFC 7959 2.5) */
}

static void test_polling(void **s) {
    struct bench b;
    publisher(&b, "role=subscribe observe=0");
    assert_int_equal(bench_publish(&b, 1, 4), TW_PUBLISHED);
    struct request r = take_request(&b);
    assert_int_equal(r.data[1], 0x01); /* GET */
    assert_int_equal(r.size, 12);      /* and no payload */
    answer(&b, &r, 0x60, 0x45, BYTES(0xc0, 0xff, 'h', 'e', 'l', 'l', 'o'));
    bench_expect_received(&b, "hello");
    bench_expect_message(&b, TW_EVENT_ACKED, 1, NULL);
}

static void test_download_in_blocks(void **s) {
    struct bench b;
    publisher(&b, "role=subscribe observe=0");
    bench_publish(&b, 1, 4);
    struct request r = take_request(&b);
    answer(&b, &r, 0x60, 0x45,
           BYTES(0xc0, 0xb1, 0x08, 0xff, '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b',
                 'c', 'd', 'e', 'f'));
    r = take_request(&b);
    assert_memory_equal(r.data + 12, ((uint8_t[]){0xc1, 0x10}), 2); /* Block2 1 */
    answer(&b, &r, 0x60, 0x45, BYTES(0xc0, 0xb1, 0x10, 0xff, 'x', 'y', 'z'));
    bench_expect_received(&b, "0123456789abcdefxyz");
    bench_expect_message(&b, TW_EVENT_ACKED, 1, NULL);
}

static void test_closing_fails_what_is_open(void **s) {
    struct bench b;
    publisher(&b, "");
    bench_publish(&b, 7, 4);
    bench_close(&b);
    bench_expect_message(&b, TW_EVENT_FAILED, 7, "connection_lost");
}

static void test_the_largest_upload(void **s) {
    static uint8_t payload[16384];
    uint8_t block[2] = {0xd1, 0x02}; /* Block1 (27) behind Content-Format (12), of one byte */
    struct bench b;
    publisher(&b, "block_bytes=1024");
    assert_int_equal(bench_publish(&b, 7, sizeof payload), TW_PUBLISHED);
    bench_payload(&b, 7, sizeof payload, payload);
    for (size_t number = 0; number < 16; number++) {
        struct request r = take_request(&b);
        assert_memory_equal(r.data + 13, block, 2);
        assert_int_equal(r.data[15], number << 4 | (number < 15 ? 8 : 0) | 6);
        assert_memory_equal(r.data + r.size - 1024, payload + 1024 * number, 1024);
        uint8_t taken[3] = {0xd1, 0x0e, r.data[15]};
        answer(&b, &r, 0x60, number < 15 ? 0x5f : 0x44, taken, sizeof taken);
    }
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
}

static void test_what_no_datagram_carries_is_refused(void **s) {
    static const char *const protocols[] = {"proto=coap ", "proto=udp ", "proto=mqttsn "};
    struct bench b;
    char text[256];
    for (size_t i = 0; i < sizeof protocols / sizeof *protocols; i++) {
        bench_join(text, protocols[i], "payload_bytes=1441");
        assert_string_equal(bench_init(&b, text), "payload_bytes");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_con_request_bytes),
        cmocka_unit_test(test_non_request_is_non),
        cmocka_unit_test(test_piggybacked_response_acknowledges),
        cmocka_unit_test(test_separate_response),
        cmocka_unit_test(test_separate_response_replaces_a_lost_ack),
        cmocka_unit_test(test_missing_separate_response_fails),
        cmocka_unit_test(test_retransmission_doubles_and_gives_up),
        cmocka_unit_test(test_timeouts_spread_with_the_seed),
        cmocka_unit_test(test_non_request_without_response_fails),
        cmocka_unit_test(test_only_one_confirmable_request_at_once),
        cmocka_unit_test(test_tokens_and_ids_differ),
        cmocka_unit_test(test_reset_fails_the_request),
        cmocka_unit_test(test_error_response_fails_the_request),
        cmocka_unit_test(test_foreign_responses_do_nothing),
        cmocka_unit_test(test_answers_of_strangers_do_nothing),
        cmocka_unit_test(test_ping_is_reset),
        cmocka_unit_test(test_malformed_messages),
        cmocka_unit_test(test_malformed_acknowledgements_are_ignored),
        cmocka_unit_test(test_unknown_critical_option_fails_the_request),
        cmocka_unit_test(test_separate_response_with_a_bad_option_is_reset),
        cmocka_unit_test(test_options_of_a_request_reject_a_response),
        cmocka_unit_test(test_slow_server_makes_the_oldest_request_fail),
        cmocka_unit_test(test_upload_in_blocks),
        cmocka_unit_test(test_server_may_ask_for_smaller_blocks),
        cmocka_unit_test(test_polling),
        cmocka_unit_test(test_download_in_blocks),
        cmocka_unit_test(test_closing_fails_what_is_open),
        cmocka_unit_test(test_the_largest_upload),
        cmocka_unit_test(test_what_no_datagram_carries_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
