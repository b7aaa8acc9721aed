/* CoAP client: what belongs to an exchange, an observation or a representation. */
#include "bench.h"

/* A request's message ID and token, and the bytes behind them. */
struct request {
    uint8_t data[256];
    size_t size;
};

static struct request take(struct bench *b) {
    struct request r;
    r.size = bench_take(b, r.data, sizeof r.data);
    assert_true(r.size >= 8);
    return r;
}

/* Answers with this first byte and code; an ACK by the request's message ID, another by `mid`. */
static void answer(struct bench *b, const struct request *r, uint8_t first, uint8_t code,
                   uint8_t mid, const char *rest, size_t size) {
    uint8_t data[64] = {first, code, 0x55, mid};
    if (first >> 4 == 6)
        memcpy(data + 2, r->data + 2, 2);
    memcpy(data + 4, r->data + 4, 4);
    if (size)
        memcpy(data + 8, rest, size);
    bench_feed(b, data, 8 + size);
}

static void test_copy_of_a_block_answer_is_ignored(void **s) {
    struct bench b;
    (void)s;
    bench_start(&b, "proto=coap topic=a block_bytes=16");
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    bench_publish(&b, 7, 48);
    struct request first = take(&b);
    answer(&b, &first, 0x54, 0x5f, 1, TEXT("\xd1\x0e\x08"));
    struct request second = take(&b);
    assert_memory_not_equal(first.data + 4, second.data + 4, 4); /* a token for each block */
    answer(&b, &first, 0x54, 0x5f, 1, TEXT("\xd1\x0e\x08"));     /* the network doubled it */
    bench_expect_silence(&b);
    answer(&b, &second, 0x54, 0x5f, 2, TEXT("\xd1\x0e\x18"));
    assert_int_equal(take(&b).data[13], 0x20); /* block 2, the last one */
}

static void test_message_id_of_a_response_is_free_after_its_lifetime(void **s) {
    struct bench b;
    uint8_t data[64];
    (void)s;
    bench_start(&b, "proto=coap topic=a role=subscribe");
    struct request r = take(&b);
    answer(&b, &r, 0x64, 0x45, 0,
           TEXT("\x61\x05\xff"
                "a"));
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    bench_expect_received(&b, "a");
    answer(&b, &r, 0x44, 0x45, 1,
           TEXT("\x61\x06\xff"
                "b"));
    bench_expect_received(&b, "b");
    bench_take(&b, data, sizeof data);
    answer(&b, &r, 0x44, 0x45, 1,
           TEXT("\x61\x07\xff"
                "c")); /* the same message ID: a copy */
    bench_expect_no_event(&b);
    bench_take(&b, data, sizeof data);
    b.now += TW_SECONDS(248); /* EXCHANGE_LIFETIME (section 4.8.2) */
    answer(&b, &r, 0x44, 0x45, 1,
           TEXT("\x61\x08\xff"
                "d"));
    bench_expect_received(&b, "d");
}

/* An observer that heard number 9 and registers again now. */
static struct request registers_again(struct bench *b) {
    bench_start(b, "proto=coap topic=a role=subscribe");
    struct request r = take(b);
    answer(b, &r, 0x64, 0x45, 0,
           TEXT("\x61\x09\xff"
                "a"));
    bench_expect_event(b, TW_EVENT_CONNECTED);
    bench_expect_received(b, "a");
    bench_sleep(b);
    return take(b);
}

static void test_registration_begins_the_order_anew(void **s) {
    struct bench b;
    (void)s;
    struct request r = registers_again(&b);
    answer(&b, &r, 0x54, 0x45, 1,
           TEXT("\x61\x08\xff"
                "x")); /* late: not the response */
    bench_expect_no_event(&b);
    answer(&b, &r, 0x64, 0x45, 0,
           TEXT("\x61\x02\xff"
                "b")); /* of a server that restarted */
    bench_expect_received(&b, "b");
    answer(&b, &r, 0x54, 0x45, 2,
           TEXT("\x61\x03\xff"
                "c"));
    bench_expect_received(&b, "c");
}

static void test_notification_does_not_answer_a_registration(void **s) {
    struct bench b;
    uint8_t data[64];
    (void)s;
    struct request r = registers_again(&b);
    answer(&b, &r, 0x54, 0x45, 1,
           TEXT("\x61\x0a\xff"
                "b"));
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
    (void)s;
    bench_start(&b, "proto=coap topic=a role=subscribe");
    struct request r = take(&b);
    answer(&b, &r, 0x64, 0x45, 0,
           TEXT("\x61\x09\xff"
                "a"));
    b.engine->finish(&b.state, b.now);
    struct request cancel = take(&b);
    answer(&b, &cancel, 0x44, 0x45, 1,
           TEXT("\x61\x0a\xff"
                "b"));
    EXPECT(&b, 0x70, 0x00, 0x55, 1);
    assert_false(b.engine->idle(&b.state));
    answer(&b, &cancel, 0x64, 0x45, 0,
           TEXT("\xff"
                "c"));
    assert_true(b.engine->idle(&b.state));
}

static void test_notification_of_an_ended_observation_is_rejected(void **s) {
    struct bench b;
    (void)s;
    bench_start(&b, "proto=coap topic=a role=subscribe");
    struct request r = take(&b);
    answer(&b, &r, 0x64, 0x45, 0,
           TEXT("\x61\x09\xff"
                "a"));
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    bench_expect_received(&b, "a");
    r.data[7] ^= 1; /* the token of an earlier life */
    answer(&b, &r, 0x54, 0x45, 1,
           TEXT("\x61\x0a\xff"
                "b"));
    EXPECT(&b, 0x70, 0x00, 0x55, 1);
    answer(&b, &r, 0x54, 0x45, 2,
           TEXT("\xff"
                "b"));
    bench_expect_silence(&b); /* a NON that is no notification is dropped */
    bench_expect_no_event(&b);
}

static void test_reserved_code_classes_are_rejected(void **s) {
    static const uint8_t codes[] = {0x21, 0xc0, 0xe1}; /* 1.01, 6.00, 7.01 */
    struct bench b;
    (void)s;
    bench_start(&b, "proto=coap topic=a");
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    bench_publish(&b, 7, 4);
    struct request r = take(&b);
    for (size_t i = 0; i < sizeof codes; i++) {
        answer(&b, &r, 0x64, codes[i], 0, NULL, 0);
        answer(&b, &r, 0x54, codes[i], 1, NULL, 0);
        bench_expect_silence(&b);
        answer(&b, &r, 0x44, codes[i], 2, NULL, 0);
        EXPECT(&b, 0x70, 0x00, 0x55, 2);
    }
    bench_expect_no_event(&b);
}

static void test_path_options_of_a_request(void **s) {
    static const char *const topics[] = {"topic=a//b/", "topic=/a//b/"};
    struct bench b;
    char text[256];
    (void)s;
    for (size_t i = 0; i < 2; i++) {
        bench_join(text, "proto=coap role=subscribe observe=0 ", topics[i]);
        bench_start(&b, text);
        bench_publish(&b, 1, 4);
        struct request r = take(&b);
        assert_int_equal(r.size, 14);
        assert_memory_equal(r.data + 8, ((uint8_t[]){0xb1, 'a', 0x00, 0x01, 'b', 0x00}), 6);
    }
}

static void test_smaller_blocks_of_an_upload(void **s) {
    struct bench b;
    (void)s;
    bench_start(&b, "proto=coap topic=a block_bytes=64");
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    bench_publish(&b, 7, 200);
    struct request r = take(&b);
    answer(&b, &r, 0x64, 0x5f, 0, TEXT("\xd1\x0e\x0a"));
    r = take(&b);
    assert_int_equal(r.data[13], 0x1a);                  /* block 1 of 64 */
    answer(&b, &r, 0x64, 0x5f, 0, TEXT("\xd1\x0e\x18")); /* 16, please (RFC 7959 2.3) */
    r = take(&b);
    assert_int_equal(r.data[13], 0x88); /* bytes 128 to 143 are block 8 of 16 */
}

static void test_too_large_names_smaller_blocks(void **s) {
    static const char *const configs[] = {"proto=coap topic=a block_bytes=64",
                                          "proto=coap topic=a"};
    struct bench b;
    (void)s;
    for (size_t i = 0; i < 2; i++) {
        bench_start(&b, configs[i]);
        bench_expect_event(&b, TW_EVENT_CONNECTED);
        bench_publish(&b, 7, 100);
        struct request r = take(&b);
        answer(&b, &r, 0x64, 0x8d, 0, TEXT("\xd1\x0e\x01")); /* 4.13, 32 bytes at most */
        r = take(&b);
        assert_int_equal(r.data[13], 0x09); /* block 0 of 32, more */
        bench_expect_no_event(&b);
        answer(&b, &r, 0x64, 0x8d, 0, TEXT("\xd1\x0e\x01")); /* which is too large, too */
        bench_expect_message(&b, TW_EVENT_FAILED, 7, "refused");
    }
}

static void test_blocks_of_one_representation(void **s) {
    static const struct {
        const char *rest;
        size_t size;
        const char *reason; /* NULL: taken */
    } seconds[] = {{TEXT("\x41v\xd1\x06\x10\xff"
                         "b"),
                    NULL},
                   {TEXT("\x41w\xd1\x06\x10\xff"
                         "b"),
                    "block_order"}, /* another ETag */
                   {TEXT("\xd1\x0a\x10\xff"
                         "b"),
                    NULL}, /* none */
                   {TEXT("\x41v\xd1\x06\x20\xff"
                         "b"),
                    "block_order"}}; /* not the next bytes */
    struct bench b;
    (void)s;
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++) {
        bench_start(&b, "proto=coap topic=a role=subscribe observe=0 block_bytes=16");
        bench_expect_event(&b, TW_EVENT_CONNECTED);
        bench_publish(&b, 7, 4);
        struct request r = take(&b);
        answer(&b, &r, 0x64, 0x45, 0,
               TEXT("\x41v\xd1\x06\x08\xff"
                    "0123456789abcdef"));
        r = take(&b);
        answer(&b, &r, 0x64, 0x45, 0, seconds[i].rest, seconds[i].size);
        if (!seconds[i].reason)
            bench_expect_received(&b, "0123456789abcdefb");
        bench_expect_message(&b, seconds[i].reason ? TW_EVENT_FAILED : TW_EVENT_ACKED, 7,
                             seconds[i].reason);
    }
}

static void test_server_halves_the_blocks_of_a_download(void **s) {
    struct bench b;
    (void)s;
    bench_start(&b, "proto=coap topic=a role=subscribe observe=0 block_bytes=32");
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    bench_publish(&b, 7, 4);
    struct request r = take(&b);
    answer(&b, &r, 0x64, 0x45, 0,
           TEXT("\xd1\x0a\x09\xff"
                "0123456789abcdef0123456789abcdef"));
    r = take(&b);
    answer(&b, &r, 0x64, 0x45, 0,
           TEXT("\xd1\x0a\x28\xff"
                "0123456789abcdef")); /* 2 of 16 */
    r = take(&b);
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
