/* A new context of OSCORE (RFC 8613, appendix B.2): what the client asks, believes and keeps. */
#include "kept_memory.h"
#include "rederive_bench.h"

#define CHANGED "\x44"
#define UNAUTHORIZED "\x81"

/* The board's entropy: each number differs from those before. */
static uint8_t drawn;

static bool draw(void *ctx, uint8_t *out, size_t size) {
    (void)ctx;
    memset(out, 0x10 + drawn++, size);
    return true;
}

/* Starts the engine with what the memory holds. */
static void start(struct bench *b, const char *config) {
    char text[256];
    bench_join(text, "proto=oscore topic=a/b rederive=1 ", config);
    assert_null(bench_init(b, text));
    b->config.entropy = TW_ENTROPY_BOARD;
    b->host.random = draw;
    restart_with_memory(b);
    bench_open(b, 0);
    bench_expect_event(b, TW_EVENT_CONNECTED);
}

/* The same after a loss of power. */
static void start_anew(struct bench *b, const char *config) {
    kept = 0;
    start(b, config);
}

/* A client that has done request 1; it is in `first`. */
static void ask(struct bench *b, struct asked *first) {
    bench_publish(b, 7, 4);
    *first = take(b);
    assert_true(opens(first, unwrapped(first)));
}

/* A client that has done both exchanges; request 2 is in `second`. */
static void establish(struct bench *b, struct asked *second) {
    struct asked first;
    ask(b, &first);
    give_r2(b, &first, unwrapped(&first), false, 0x60, UNAUTHORIZED);
    bench_expect_message(b, TW_EVENT_RETRANSMITTED, 7, NULL);
    *second = take(b);
    assert_true(opens(second, unwrapped(second)));
    answer(b, second, TEXT(CHANGED));
    bench_expect_message(b, TW_EVENT_ACKED, 7, NULL);
}

static void test_request_1_names_a_number_of_the_client(void **s) {
    struct bench b;
    struct asked first, other;
    start_anew(&b, "");
    ask(&b, &first);
    assert_int_equal(first.piv.bytes[0], 0);
    assert_int_equal(unwrapped(&first).size, TW_OSCORE_R_BYTES);
    assert_int_equal(kept, 0); /* nothing is worth keeping before the server's number */
    start_anew(&b, "");
    ask(&b, &other);
    assert_memory_not_equal(unwrapped(&other).data, unwrapped(&first).data, TW_OSCORE_R_BYTES);
}

static void test_request_2_is_the_message_with_both_numbers(void **s) {
    struct bench b;
    struct asked first, second;
    start_anew(&b, "");
    ask(&b, &first);
    give_r2(&b, &first, unwrapped(&first), false, 0x60, UNAUTHORIZED);
    bench_expect_message(&b, TW_EVENT_RETRANSMITTED, 7, NULL);
    second = take(&b);
    struct tw_oscore_bytes id = unwrapped(&second);
    assert_int_equal(id.size, r2.size + TW_OSCORE_R_BYTES);
    assert_memory_equal(id.data, r2.data, r2.size);
    assert_memory_not_equal(id.data + r2.size, unwrapped(&first).data, TW_OSCORE_R_BYTES);
    assert_true(opens(&second, id));
    assert_memory_not_equal(second.mid, first.mid, 2);
    assert_int_equal(second.piv.bytes[0], 0);
    bench_expect_no_event(&b);
    answer(&b, &second, TEXT(CHANGED));
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
}

static void test_response_1_may_have_its_own_number(void **s) {
    struct bench b;
    struct asked first;
    start_anew(&b, "");
    ask(&b, &first);
    give_r2(&b, &first, unwrapped(&first), true, 0x60, UNAUTHORIZED);
    bench_expect_message(&b, TW_EVENT_RETRANSMITTED, 7, NULL);
}

/* The server of libcoap 4.3.5 answered a request of `sender_id=dev` with number 0 so. */
static void test_response_1_of_libcoap(void **s) {
    static const uint8_t r1[] = {0x54, 0xd8, 0x9d, 0xd3, 0x53, 0x24, 0x66, 0x93};
    static const uint8_t response[] = {0x64, 0x44, 0xf8, 0x4e, 0x79, 0xd9, 0x20, 0x59, 0x9b, 0x10,
                                       0x09, 0x48, 0xe6, 0x80, 0x1b, 0x23, 0x41, 0x57, 0x4c, 0xf6,
                                       0xff, 0xe9, 0xa7, 0xcf, 0x3f, 0x9b, 0x8c, 0x71, 0xc2, 0xe1};
    static const struct tw_oscore_id zero = {1, {0}};
    struct tw_oscore_bytes datagram = {response, sizeof response}, number;
    struct tw_oscore_input input = tw_oscore_credentials;
    struct tw_oscore_context first, second;
    uint8_t out[sizeof response];
    size_t size;
    input.sender_id = (struct tw_oscore_bytes){(const uint8_t *)"dev", 3};
    assert_true(tw_oscore_first(&first, &input, r1));
    assert_true(tw_oscore_read_r2(tw_oscore_kid_context_of(datagram), &number));
    assert_true(tw_oscore_second(&second, &input, number, &first));
    assert_int_equal(tw_oscore_verify(&second, &first, &zero, datagram, out, &size),
                     TW_OSCORE_VERIFIED);
    assert_int_equal(size, 8);
    assert_int_equal(out[1], 0x81); /* 4.01, and nothing else */
}

static void test_confirmable_response_1_is_acknowledged(void **s) {
    struct bench b;
    struct asked first;
    start_anew(&b, "");
    ask(&b, &first);
    first.mid[0] = 0x12, first.mid[1] = 0x34;
    give_r2(&b, &first, unwrapped(&first), false, 0x40, UNAUTHORIZED);
    EXPECT(&b, 0x60, 0x00, 0x12, 0x34);
    bench_expect_message(&b, TW_EVENT_RETRANSMITTED, 7, NULL);
}

static void test_non_is_sent_again_as_non(void **s) {
    struct bench b;
    struct asked first;
    start_anew(&b, "confirmable=0");
    ask(&b, &first);
    give_r2(&b, &first, unwrapped(&first), false, 0x50, UNAUTHORIZED);
    bench_expect_message(&b, TW_EVENT_RETRANSMITTED, 7, NULL);
    assert_int_equal(take(&b).data[0], 0x54);
    bench_wait(&b, TW_SECONDS(10));
    bench_expect_message(&b, TW_EVENT_FAILED, 7, "no_response");
}

/* Without the right one of these, response 1 could be of anybody, or of another exchange. */
static void test_response_1_that_does_not_verify_is_ignored(void **s) {
    struct bench b;
    struct asked first;
    uint8_t other[TW_OSCORE_R_BYTES] = {1}, data[256], named[64];
    start_anew(&b, "");
    ask(&b, &first);
    give_r2(&b, &first, (struct tw_oscore_bytes){other, sizeof other}, false, 0x60, UNAUTHORIZED);
    bench_expect_no_event(&b);
    give_r2(&b, &first, unwrapped(&first), false, 0x60, CHANGED); /* no error 4.01 */
    bench_expect_no_event(&b);
    /* A number that is not as long as it says, under the keys of what is there. */
    uint8_t id[TW_OSCORE_ID_CONTEXT_MAX];
    struct tw_oscore_bytes cut = wrapped(r2, named), r1 = unwrapped(&first);
    cut.size--;
    memcpy(id, r2.data, r2.size - 1);
    memcpy(id + r2.size - 1, r1.data, r1.size);
    struct tw_oscore_context server =
        server_of((struct tw_oscore_bytes){id, r2.size - 1 + r1.size});
    bench_feed(&b, data, respond(&first, &server, cut, false, 0x60, UNAUTHORIZED, 1, data));
    bench_expect_no_event(&b);
    bench_expect_silence(&b);
}

static void test_response_1_without_a_number_is_ignored(void **s) {
    struct bench b;
    struct asked first;
    start_anew(&b, "");
    ask(&b, &first);
    answer(&b, &first, TEXT(CHANGED));
    bench_expect_no_event(&b);
}

static void test_response_1_counts_once(void **s) {
    struct bench b;
    struct asked first;
    start_anew(&b, "");
    ask(&b, &first);
    struct tw_oscore_bytes id = unwrapped(&first);
    give_r2(&b, &first, id, false, 0x60, UNAUTHORIZED);
    bench_expect_message(&b, TW_EVENT_RETRANSMITTED, 7, NULL);
    take(&b);
    give_r2(&b, &first, id, false, 0x60, UNAUTHORIZED);
    bench_expect_no_event(&b);
    bench_expect_silence(&b);
}

static void test_other_messages_wait_for_the_context(void **s) {
    struct bench b;
    struct asked first;
    start_anew(&b, "confirmable=0");
    ask(&b, &first);
    assert_int_equal(bench_publish(&b, 8, 4), TW_BUSY);
    give_r2(&b, &first, unwrapped(&first), false, 0x50, UNAUTHORIZED);
    struct asked second = take(&b);
    assert_int_equal(bench_publish(&b, 8, 4), TW_BUSY);
    assert_true(opens(&second, unwrapped(&second)));
    static const struct tw_oscore_bytes none = {0};
    uint8_t data[256];
    bench_feed(&b, data, respond(&second, &second.server, none, false, 0x50, CHANGED, 1, data));
    assert_int_equal(bench_publish(&b, 8, 4), TW_PUBLISHED);
    assert_int_equal(bench_publish(&b, 9, 4), TW_PUBLISHED);
}

static void test_later_requests_name_the_context_as_it_is(void **s) {
    struct bench b;
    struct asked second, third;
    start_anew(&b, "");
    establish(&b, &second);
    struct tw_oscore_bytes id = unwrapped(&second);
    bench_publish(&b, 8, 4);
    third = take(&b);
    assert_int_equal(kid_context(&third).size, id.size);
    assert_memory_equal(kid_context(&third).data, id.data, id.size);
    assert_int_equal(third.piv.bytes[0], 1);
    assert_true(opens(&third, id));
}

static void test_later_requests_may_leave_it_out(void **s) {
    struct bench b;
    struct asked second, third;
    start_anew(&b, "kid_context=0");
    establish(&b, &second);
    bench_publish(&b, 8, 4);
    third = take(&b);
    assert_int_equal(third.named, 0);
    assert_true(opens(&third, unwrapped(&second)));
}

static void test_the_context_survives_a_restart(void **s) {
    struct bench b;
    struct asked second, third;
    start_anew(&b, "");
    establish(&b, &second);
    start(&b, "");
    bench_publish(&b, 8, 4);
    third = take(&b);
    assert_int_equal(third.piv.bytes[0], 1);
    assert_int_equal(kid_context(&third).size, r2.size + TW_OSCORE_R_BYTES); /* not in CBOR */
    assert_true(opens(&third, unwrapped(&second)));
}

static void test_a_restart_before_response_2_goes_on_with_request_2(void **s) {
    struct bench b;
    struct asked first, second, third;
    start_anew(&b, "");
    ask(&b, &first);
    give_r2(&b, &first, unwrapped(&first), false, 0x60, UNAUTHORIZED);
    second = take(&b);
    start(&b, "");
    bench_publish(&b, 8, 4);
    third = take(&b);
    assert_int_equal(third.piv.bytes[0], 1);
    assert_int_equal(unwrapped(&third).size, unwrapped(&second).size);
    assert_memory_equal(unwrapped(&third).data, unwrapped(&second).data, unwrapped(&second).size);
}

static void test_a_server_that_forgot_gives_another_number(void **s) {
    struct bench b;
    struct asked second, third, fourth;
    start_anew(&b, "");
    establish(&b, &second);
    bench_publish(&b, 8, 4);
    third = take(&b);
    assert_true(opens(&third, kid_context(&third)));
    give_r2(&b, &third, kid_context(&third), false, 0x60, UNAUTHORIZED);
    bench_expect_message(&b, TW_EVENT_RETRANSMITTED, 8, NULL);
    fourth = take(&b);
    assert_true(opens(&fourth, unwrapped(&fourth)));
    assert_int_equal(fourth.piv.bytes[0], 0);
    answer(&b, &fourth, TEXT(CHANGED));
    bench_expect_message(&b, TW_EVENT_ACKED, 8, NULL);
}

static void test_a_server_that_never_agrees_is_not_followed(void **s) {
    struct bench b;
    struct asked request;
    start_anew(&b, "");
    ask(&b, &request);
    for (int i = 0; i < 3; i++) {
        give_r2(&b, &request, unwrapped(&request), false, 0x60, UNAUTHORIZED);
        bench_expect_message(&b, TW_EVENT_RETRANSMITTED, 7, NULL);
        request = take(&b);
        assert_true(opens(&request, unwrapped(&request)));
    }
    give_r2(&b, &request, unwrapped(&request), false, 0x60, UNAUTHORIZED);
    bench_expect_no_event(&b);
}

static void refuse(struct bench *b, const struct asked *a) {
    FEED(b, 0x64, 0x81, a->mid[0], a->mid[1], a->token[0], a->token[1], a->token[2], a->token[3]);
}

static void test_a_refused_context_is_replaced_at_once(void **s) {
    struct bench b;
    struct asked second, third, fourth;
    start_anew(&b, "");
    establish(&b, &second);
    bench_publish(&b, 8, 4);
    third = take(&b);
    refuse(&b, &third); /* 4.01 without OSCORE: no such context */
    bench_expect_message(&b, TW_EVENT_RETRANSMITTED, 8, NULL);
    fourth = take(&b);
    assert_int_equal(unwrapped(&fourth).size, TW_OSCORE_R_BYTES);
    assert_true(opens(&fourth, unwrapped(&fourth)));
    refuse(&b, &fourth); /* anybody can say so: once for a message */
    bench_expect_message(&b, TW_EVENT_FAILED, 8, "refused");
    bench_expect_silence(&b);
}

static void test_a_refused_request_2_begins_anew_with_the_next_message(void **s) {
    struct bench b;
    struct asked first, second, third;
    start_anew(&b, "");
    ask(&b, &first);
    give_r2(&b, &first, unwrapped(&first), false, 0x60, UNAUTHORIZED);
    bench_expect_event(&b, TW_EVENT_RETRANSMITTED);
    second = take(&b);
    refuse(&b, &second);
    bench_expect_message(&b, TW_EVENT_FAILED, 7, "refused");
    bench_publish(&b, 8, 4);
    third = take(&b);
    assert_int_equal(unwrapped(&third).size, TW_OSCORE_R_BYTES);
    assert_memory_not_equal(unwrapped(&third).data, unwrapped(&first).data, TW_OSCORE_R_BYTES);
}

/* All of them have numbers of the context before, which the new one must not have with other
 * messages. */
static void test_others_go_on_when_request_2_is_refused(void **s) {
    struct bench b;
    struct asked second, first, other;
    start_anew(&b, "inflight=2");
    establish(&b, &second);
    bench_publish(&b, 8, 4);
    bench_publish(&b, 9, 4);
    first = take(&b);
    take(&b);
    refuse(&b, &first);
    first = take(&b);
    other = take(&b);
    assert_true(opens(&first, unwrapped(&first)));
    assert_int_equal(other.piv.bytes[0], 1);
    give_r2(&b, &first, unwrapped(&first), false, 0x60, UNAUTHORIZED);
    first = take(&b);
    other = take(&b);
    assert_int_equal(other.piv.bytes[0], 1);
    for (int i = 0; i < 4; i++) /* both messages, twice */
        bench_expect_event(&b, TW_EVENT_RETRANSMITTED);
    refuse(&b, &first);
    bench_expect_message(&b, TW_EVENT_FAILED, 8, "refused");
    bench_expect_message(&b, TW_EVENT_RETRANSMITTED, 9, NULL);
    other = take(&b);
    assert_int_equal(other.piv.bytes[0], 0);
    assert_int_equal(unwrapped(&other).size, TW_OSCORE_R_BYTES);
}

static void test_longest_number_of_a_server(void **s) {
    static const uint8_t longest[TW_OSCORE_R2_MAX] = {1, 2, 3};
    uint8_t named[] = {0x58, 25, [26] = 0};
    struct tw_oscore_bytes found, out = {named, sizeof named};
    uint8_t buffer[64];
    assert_true(tw_oscore_read_r2(
        wrapped((struct tw_oscore_bytes){longest, sizeof longest}, buffer), &found));
    assert_int_equal(found.size, TW_OSCORE_R2_MAX);
    assert_false(tw_oscore_read_r2(out, &found)); /* longer than what is kept */
    named[1] = 3;
    out.size = 5;
    assert_true(tw_oscore_read_r2(out, &found)); /* its size in the next byte */
    assert_int_equal(found.size, 3);
    out.size = 6;
    assert_false(tw_oscore_read_r2(out, &found));
    named[0] = 0x18; /* a number, no bytes */
    assert_false(tw_oscore_read_r2(out, &found));
    named[0] = 0x40; /* none */
    out.size = 1;
    assert_false(tw_oscore_read_r2(out, &found));
    assert_false(tw_oscore_read_r2((struct tw_oscore_bytes){NULL, 0}, &found));
}

static void test_without_entropy_no_board_starts(void **s) {
    struct bench b;
    assert_string_equal(bench_init(&b, "proto=oscore rederive=1 entropy=board"), "entropy");
    assert_null(bench_init(&b, "proto=oscore rederive=1"));
    assert_null(bench_init(&b, "proto=oscore entropy=board"));
}

static void test_largest_payload(void **s) {
    struct bench b;
    struct asked second;
    start_anew(&b, "payload_bytes=1381 inflight=2");
    establish(&b, &second);
    bench_publish(&b, 8, 1381);
    assert_true(take(&b).size <= 1472); /* IPv4 and UDP take 28 of 1500 bytes */
    assert_int_equal(bench_publish(&b, 9, 1382), TW_UNSUPPORTED);
    assert_string_equal(bench_init(&b, "proto=oscore rederive=1 payload_bytes=1382"),
                        "payload_bytes");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_request_1_names_a_number_of_the_client),
        cmocka_unit_test(test_request_2_is_the_message_with_both_numbers),
        cmocka_unit_test(test_response_1_may_have_its_own_number),
        cmocka_unit_test(test_response_1_of_libcoap),
        cmocka_unit_test(test_confirmable_response_1_is_acknowledged),
        cmocka_unit_test(test_non_is_sent_again_as_non),
        cmocka_unit_test(test_response_1_that_does_not_verify_is_ignored),
        cmocka_unit_test(test_response_1_without_a_number_is_ignored),
        cmocka_unit_test(test_response_1_counts_once),
        cmocka_unit_test(test_other_messages_wait_for_the_context),
        cmocka_unit_test(test_later_requests_name_the_context_as_it_is),
        cmocka_unit_test(test_later_requests_may_leave_it_out),
        cmocka_unit_test(test_the_context_survives_a_restart),
        cmocka_unit_test(test_a_restart_before_response_2_goes_on_with_request_2),
        cmocka_unit_test(test_a_server_that_forgot_gives_another_number),
        cmocka_unit_test(test_a_server_that_never_agrees_is_not_followed),
        cmocka_unit_test(test_a_refused_context_is_replaced_at_once),
        cmocka_unit_test(test_a_refused_request_2_begins_anew_with_the_next_message),
        cmocka_unit_test(test_others_go_on_when_request_2_is_refused),
        cmocka_unit_test(test_longest_number_of_a_server),
        cmocka_unit_test(test_without_entropy_no_board_starts),
        cmocka_unit_test(test_largest_payload),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
