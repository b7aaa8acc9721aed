/* CoAP client: what belongs to an exchange, an observation or a representation. */
#include "coap_bench.h"

/* Answers `r`: an ACK with its message ID, another type with 0x5500 + `mid`. */
static void respond(struct bench *b, struct request r, uint8_t type, uint8_t code, uint8_t mid,
                    const void *rest, size_t size) {
    if (type != 0x60) {
        r.mid[0] = 0x55;
        r.mid[1] = mid;
    }
    answer(b, &r, type, code, rest, size);
}

static void test_copy_of_a_block_answer_is_ignored(void **s) {
    struct bench b;
    bench_start(&b, "proto=coap topic=a block_bytes=16");
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    bench_publish(&b, 7, 48);
    struct request first = take_request(&b);
    respond(&b, first, 0x50, 0x5f, 1, BYTES(0xd1, 0x0e, 0x08));
    struct request second = take_request(&b);
    assert_memory_not_equal(first.data + 4, second.data + 4, 4); /* a token for each block */
    respond(&b, first, 0x50, 0x5f, 1, BYTES(0xd1, 0x0e, 0x08));  /* the network doubled it */
    bench_expect_silence(&b);
    respond(&b, second, 0x50, 0x5f, 2, BYTES(0xd1, 0x0e, 0x18));
    assert_int_equal(take_request(&b).data[13], 0x20); /* block 2, the last one */
}

static void test_message_id_of_a_response_is_free_after_its_lifetime(void **s) {
    struct bench b;
    bench_start(&b, "proto=coap topic=a role=subscribe");
    struct request r = take_request(&b);
    respond(&b, r, 0x60, 0x45, 0, BYTES(0x61, 0x05, 0xff, 'a'));
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    bench_expect_received(&b, "a");
    respond(&b, r, 0x40, 0x45, 1, BYTES(0x61, 0x06, 0xff, 'b'));
    bench_expect_received(&b, "b");
    bench_skip(&b);
    respond(&b, r, 0x40, 0x45, 1, BYTES(0x61, 0x07, 0xff, 'c')); /* the same message ID: a copy */
    bench_expect_no_event(&b);
    bench_skip(&b);
    b.now += TW_SECONDS(248); /* EXCHANGE_LIFETIME (section 4.8.2) */
    respond(&b, r, 0x40, 0x45, 1, BYTES(0x61, 0x08, 0xff, 'd'));
    bench_expect_received(&b, "d");
}

/* An observer that heard number 9 and registers again now. */
static struct request registers_again(struct bench *b) {
    bench_start(b, "proto=coap topic=a role=subscribe");
    struct request r = take_request(b);
    respond(b, r, 0x60, 0x45, 0, BYTES(0x61, 0x09, 0xff, 'a'));
    bench_expect_event(b, TW_EVENT_CONNECTED);
    bench_expect_received(b, "a");
    bench_sleep(b);
    return take_request(b);
}

static void test_registration_begins_the_order_anew(void **s) {
    struct bench b;
    struct request r = registers_again(&b);
    respond(&b, r, 0x50, 0x45, 1, BYTES(0x61, 0x08, 0xff, 'x')); /* late: not the response */
    bench_expect_no_event(&b);
    respond(&b, r, 0x60, 0x45, 0, BYTES(0x61, 0x02, 0xff, 'b')); /* of a server that restarted */
    bench_expect_received(&b, "b");
    respond(&b, r, 0x50, 0x45, 2, BYTES(0x61, 0x03, 0xff, 'c'));
    bench_expect_received(&b, "c");
}

static void test_notification_does_not_answer_a_registration(void **s) {
    struct bench b;
    uint8_t data[64];
    struct request r = registers_again(&b);
    respond(&b, r, 0x50, 0x45, 1, BYTES(0x61, 0x0a, 0xff, 'b'));
    bench_expect_received(&b, "b");
    bench_sleep(&b); /* unacknowledged: repeated */
    assert_int_equal(bench_take(&b, data, sizeof data), r.size);
    assert_memory_equal(data, r.data, r.size);
    FEED(&b, 0x60, 0x00, r.data[2], r.data[3]); /* the notification may have been the response */
    assert_true(b.engine->idle(&b.state));
    bench_expect_message(&b, TW_EVENT_RETRANSMITTED, 0, NULL);
    bench_expect_no_event(&b);
}

static void test_notification_does_not_answer_a_cancellation(void **s) {
    struct bench b;
    bench_start(&b, "proto=coap topic=a role=subscribe");
    struct request r = take_request(&b);
    respond(&b, r, 0x60, 0x45, 0, BYTES(0x61, 0x09, 0xff, 'a'));
    b.engine->finish(&b.state, b.now);
    struct request cancel = take_request(&b);
    respond(&b, cancel, 0x40, 0x45, 1, BYTES(0x61, 0x0a, 0xff, 'b'));
    EXPECT(&b, 0x70, 0x00, 0x55, 1);
    assert_false(b.engine->idle(&b.state));
    respond(&b, cancel, 0x60, 0x45, 0, BYTES(0xff, 'c'));
    assert_true(b.engine->idle(&b.state));
}

static void test_notification_of_an_ended_observation_is_rejected(void **s) {
    struct bench b;
    bench_start(&b, "proto=coap topic=a role=subscribe");
    struct request r = take_request(&b);
    respond(&b, r, 0x60, 0x45, 0, BYTES(0x61, 0x09, 0xff, 'a'));
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    bench_expect_received(&b, "a");
    r.token[3] ^= 1; /* the token of an earlier life */
    respond(&b, r, 0x50, 0x45, 1, BYTES(0x61, 0x0a, 0xff, 'b'));
    EXPECT(&b, 0x70, 0x00, 0x55, 1);
    respond(&b, r, 0x50, 0x45, 2, BYTES(0xff, 'b'));
    bench_expect_silence(&b); /* a NON that is no notification is dropped */
    bench_expect_no_event(&b);
}

static void test_reserved_code_classes_are_rejected(void **s) {
    static const uint8_t codes[] = {0x21, 0xc0, 0xe1}; /* 1.01, 6.00, 7.01 */
    struct bench b;
    bench_start(&b, "proto=coap topic=a");
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    bench_publish(&b, 7, 4);
    struct request r = take_request(&b);
    for (size_t i = 0; i < sizeof codes; i++) {
        respond(&b, r, 0x60, codes[i], 0, NULL, 0);
        respond(&b, r, 0x50, codes[i], 1, NULL, 0);
        bench_expect_silence(&b);
        respond(&b, r, 0x40, codes[i], 2, NULL, 0);
        EXPECT(&b, 0x70, 0x00, 0x55, 2);
    }
    bench_expect_no_event(&b);
}

static void test_path_options_of_a_request(void **s) {
    static const char *const topics[] = {"topic=a//b/", "topic=/a//b/"};
    struct bench b;
    char text[256];
    for (size_t i = 0; i < 2; i++) {
        bench_join(text, "proto=coap role=subscribe observe=0 ", topics[i]);
        bench_start(&b, text);
        bench_publish(&b, 1, 4);
        struct request r = take_request(&b);
        assert_int_equal(r.size, 14);
        assert_memory_equal(r.data + 8, ((uint8_t[]){0xb1, 'a', 0x00, 0x01, 'b', 0x00}), 6);
    }
}

static void test_smaller_blocks_of_an_upload(void **s) {
    struct bench b;
    bench_start(&b, "proto=coap topic=a block_bytes=64");
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    bench_publish(&b, 7, 200);
    struct request r = take_request(&b);
    respond(&b, r, 0x60, 0x5f, 0, BYTES(0xd1, 0x0e, 0x0a));
    r = take_request(&b);
    assert_int_equal(r.data[13], 0x1a);                     /* block 1 of 64 */
    respond(&b, r, 0x60, 0x5f, 0, BYTES(0xd1, 0x0e, 0x18)); /* 16, please (RFC 7959 2.3) */
    r = take_request(&b);
    assert_int_equal(r.data[13], 0x88); /* bytes 128 to 143 are block 8 of 16 */
}

static void test_too_large_names_smaller_blocks(void **s) {
    static const char *const configs[] = {"proto=coap topic=a block_bytes=64",
                                          "proto=coap topic=a"};
    struct bench b;
    for (size_t i = 0; i < 2; i++) {
        bench_start(&b, configs[i]);
        bench_expect_event(&b, TW_EVENT_CONNECTED);
        bench_publish(&b, 7, 100);
        struct request r = take_request(&b);
        respond(&b, r, 0x60, 0x8d, 0, BYTES(0xd1, 0x0e, 0x01)); /* 4.13, 32 bytes at most */
        r = take_request(&b);
        assert_int_equal(r.data[13], 0x09); /* block 0 of 32, more */
        bench_expect_no_event(&b);
        respond(&b, r, 0x60, 0x8d, 0, BYTES(0xd1, 0x0e, 0x01)); /* which is too large, too */
        bench_expect_message(&b, TW_EVENT_FAILED, 7, "refused");
    }
}

static void test_blocks_of_one_representation(void **s) {
    const struct {
        const uint8_t *rest;
        size_t size;
        const char *reason; /* NULL: taken */
    } seconds[] = {
        {BYTES(0x41, 'v', 0xd1, 0x06, 0x10, 0xff, 'b'), NULL},
        {BYTES(0x41, 'w', 0xd1, 0x06, 0x10, 0xff, 'b'), "block_order"},  /* another ETag */
        {BYTES(0xd1, 0x0a, 0x10, 0xff, 'b'), NULL},                      /* none */
        {BYTES(0x41, 'v', 0xd1, 0x06, 0x20, 0xff, 'b'), "block_order"}}; /* not the next bytes */
    struct bench b;
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++) {
        bench_start(&b, "proto=coap topic=a role=subscribe observe=0 block_bytes=16");
        bench_expect_event(&b, TW_EVENT_CONNECTED);
        bench_publish(&b, 7, 4);
        struct request r = take_request(&b);
        respond(&b, r, 0x60, 0x45, 0,
                TEXT("\x41v\xd1\x06\x08\xff"
                     "0123456789abcdef"));
        r = take_request(&b);
        respond(&b, r, 0x60, 0x45, 0, seconds[i].rest, seconds[i].size);
        if (!seconds[i].reason)
            bench_expect_received(&b, "0123456789abcdefb");
        bench_expect_message(&b, seconds[i].reason ? TW_EVENT_FAILED : TW_EVENT_ACKED, 7,
                             seconds[i].reason);
    }
}

static void test_server_halves_the_blocks_of_a_download(void **s) {
    struct bench b;
    bench_start(&b, "proto=coap topic=a role=subscribe observe=0 block_bytes=32");
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    bench_publish(&b, 7, 4);
    struct request r = take_request(&b);
    respond(&b, r, 0x60, 0x45, 0,
            TEXT("\xd1\x0a\x09\xff"
                 "0123456789abcdef0123456789abcdef"));
    r = take_request(&b);
    respond(&b, r, 0x60, 0x45, 0,
            TEXT("\xd1\x0a\x28\xff"
                 "0123456789abcdef")); /* 2 of 16 */
    r = take_request(&b);
    assert_int_equal(r.data[11], 0x30); /* 3 of 16 */
    bench_expect_no_event(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copy_of_a_block_answer_is_ignored),
        cmocka_unit_test(test_message_id_of_a_response_is_free_after_its_lifetime),
        cmocka_unit_test(test_registration_begins_the_order_anew),
        cmocka_unit_test(test_notification_does_not_answer_a_registration),
        cmocka_unit_test(test_notification_does_not_answer_a_cancellation),
        cmocka_unit_test(test_notification_of_an_ended_observation_is_rejected),
        cmocka_unit_test(test_reserved_code_classes_are_rejected),
        cmocka_unit_test(test_path_options_of_a_request),
        cmocka_unit_test(test_smaller_blocks_of_an_upload),
        cmocka_unit_test(test_too_large_names_smaller_blocks),
        cmocka_unit_test(test_blocks_of_one_representation),
        cmocka_unit_test(test_server_halves_the_blocks_of_a_download),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
