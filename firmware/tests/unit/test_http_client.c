/* HTTP/1.1 client: RFC 9112. */
#include "bench.h"

static void client(struct bench *b, const char *config) {
    char text[256];
    bench_join(text, "proto=http topic=a/b peer=10.0.0.1 ", config);
    bench_start(b, text);
    bench_expect_event(b, TW_EVENT_CONNECTED);
}

static void post(struct bench *b, const char *config) {
    client(b, config);
    bench_publish(b, 7, 4);
    bench_skip(b);
}

static void test_post_bytes(void **s) {
    struct bench b;
    client(&b, "");
    assert_int_equal(bench_publish(&b, 7, 4), TW_PUBLISHED);
    bench_expect(&b, TEXT("POST /a/b HTTP/1.1\r\n"
                          "Host: 10.0.0.1\r\n"
                          "Content-Type: text/plain\r\n"
                          "Content-Length: 4\r\n"
                          "\r\n"
                          "tw:7"));
    bench_expect_silence(&b);
}

static void test_chunked_post_and_other_port_bytes(void **s) {
    struct bench b;
    client(&b, "chunked=1 port=8080 keep_alive=0");
    bench_publish(&b, 7, 4);
    bench_expect(&b, TEXT("POST /a/b HTTP/1.1\r\n"
                          "Host: 10.0.0.1:8080\r\n"
                          "Connection: close\r\n"
                          "Content-Type: text/plain\r\n"
                          "Transfer-Encoding: chunked\r\n"
                          "\r\n"
                          "4\r\ntw:7\r\n0\r\n\r\n"));
}

static void test_response_acknowledges(void **s) {
    struct bench b;
    post(&b, "");
    assert_int_equal(bench_publish(&b, 8, 4), TW_BUSY); /* no pipelining */
    bench_feed(&b, TEXT("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no"));
    bench_expect_no_event(&b); /* the response is complete with its body */
    bench_feed(&b, TEXT("k"));
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
    assert_int_equal(bench_publish(&b, 8, 4), TW_PUBLISHED);
}

static void test_bodiless_and_chunked_responses(void **s) {
    struct bench b;
    post(&b, "");
    bench_feed(&b, TEXT("HTTP/1.1 204 No Content\r\n\r\n"));
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
    bench_publish(&b, 8, 4);
    bench_skip(&b);
    bench_feed(&b, TEXT("HTTP/1.1 201\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"));
    bench_expect_message(&b, TW_EVENT_ACKED, 8, NULL);
    bench_publish(&b, 9, 4);
    bench_skip(&b);
    bench_feed(&b, TEXT("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"));
    bench_expect_message(&b, TW_EVENT_FAILED, 9, "refused"); /* a length, and yet no body */
    bench_expect_no_event(&b);
}

static void test_interim_response_is_passed_over(void **s) {
    struct bench b;
    post(&b, "");
    bench_feed(&b, TEXT("HTTP/1.1 100 Continue\r\nContent-Length: 0\r\n\r\n"
                        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"));
    bench_expect_no_event(&b);
    bench_feed(&b, TEXT("HTTP/1.1 204 No Content\r\n\r\n"));
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
}

static void test_folded_fields_of_a_response_are_one_line(void **s) {
    struct bench b;
    /* section 5.2 */
    post(&b, "");
    bench_feed(&b, TEXT("HTTP/1.1 200 OK\r\nX: a\r\n\tContent-Length: 9\r\n  b\r\n"
                        "Content-Length:\r\n 2\r"));
    bench_feed(&b, TEXT("\nConnection: x,\r\n close\r\n\r\nok"));
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
    bench_expect_event(&b, TW_EVENT_CLOSE);
    post(&b, "");
    bench_feed(&b, TEXT("HTTP/1.1 204 No\r\n folded\r\n\r\n")); /* of no field (section 2.2) */
    bench_expect_message(&b, TW_EVENT_FAILED, 7, "malformed_response");
}

static void test_chunks_of_a_response_end_in_crlf(void **s) {
    struct bench b;
    post(&b, "");
    bench_feed(&b, TEXT("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\nok\r\n0\r\n\r\n"));
    bench_expect_message(&b, TW_EVENT_FAILED, 7, "malformed_response");
}

/* A server may answer before it has the whole body; the rest leaves before the next request. */
static void test_early_response_does_not_cut_the_request(void **s) {
    uint8_t data[2048], payload[1000];
    struct bench b;
    client(&b, "");
    bench_payload(&b, 7, sizeof payload, payload);
    bench_publish(&b, 7, sizeof payload);
    size_t size = bench_take_slowly(&b, data, sizeof data, 300, 1);
    bench_feed(&b, TEXT("HTTP/1.1 204 No Content\r\n\r\n"));
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
    assert_int_equal(bench_publish(&b, 8, 4), TW_BUSY);
    assert_false(b.engine->idle(&b.state));
    size += bench_take(&b, data + size, sizeof data - size);
    assert_memory_equal(data + size - sizeof payload, payload, sizeof payload);
    assert_true(b.engine->idle(&b.state));
    assert_int_equal(bench_publish(&b, 8, 4), TW_PUBLISHED);
    bench_expect(&b, TEXT("POST /a/b HTTP/1.1\r\n"));
}

static void test_early_refusal_that_closes_ends_the_request(void **s) {
    uint8_t data[2048];
    struct bench b;
    /* section 9.5 */
    client(&b, "");
    bench_publish(&b, 7, 1000);
    bench_take_slowly(&b, data, sizeof data, 300, 1);
    bench_feed(&b,
               TEXT("HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"));
    bench_expect_message(&b, TW_EVENT_FAILED, 7, "refused");
    bench_expect_event(&b, TW_EVENT_CLOSE);
    bench_expect_silence(&b);
}

static void test_slow_transfers_are_not_late(void **s) {
    uint8_t data[2048];
    struct bench b;
    client(&b, "");
    bench_publish(&b, 7, 1000);
    for (int i = 0; i < 11; i++) { /* 100 bytes each 9 s */
        bench_take_slowly(&b, data, sizeof data, 100, 1);
        bench_wait(&b, TW_SECONDS(9));
    }
    bench_feed(&b, TEXT("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n"));
    for (int i = 0; i < 19; i++) {
        bench_wait(&b, TW_SECONDS(9));
        bench_feed(&b, "x", 1);
    }
    bench_expect_no_event(&b);
    bench_wait(&b, TW_SECONDS(10));
    bench_expect_message(&b, TW_EVENT_FAILED, 7, "no_response");
}

static void test_topic_that_is_no_path_is_escaped(void **s) {
    struct bench b;
    /* RFC 3986 section 2.1 */
    bench_start(&b, "proto=http peer=10.0.0.1 topic=a%20b<{50%?x=1&y=~");
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    bench_publish(&b, 7, 4);
    bench_expect(&b, TEXT("POST /a%20b%3c%7b50%25?x=1&y=~ HTTP/1.1\r\n"));
}

static void test_error_status_fails(void **s) {
    struct bench b;
    post(&b, "");
    bench_feed(&b, TEXT("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"));
    bench_expect_message(&b, TW_EVENT_FAILED, 7, "refused");
}

static void test_connection_close_in_the_response(void **s) {
    struct bench b;
    post(&b, "");
    bench_feed(&b, TEXT("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"));
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
    bench_expect_event(&b, TW_EVENT_CLOSE);
    assert_int_equal(bench_publish(&b, 8, 4), TW_BUSY);
}

static void test_one_connection_per_request(void **s) {
    struct bench b;
    assert_null(bench_init(&b, "proto=http keep_alive=0"));
    assert_true(b.engine->on_demand(&b.config));
    assert_int_equal(bench_publish(&b, 7, 4), TW_BUSY); /* until there is a connection */
    bench_open(&b, 0);
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    assert_int_equal(bench_publish(&b, 7, 4), TW_PUBLISHED);
    bench_feed(&b, TEXT("HTTP/1.1 204 No Content\r\n\r\n"));
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
    bench_expect_event(&b, TW_EVENT_CLOSE);
}

static void test_polling(void **s) {
    struct bench b;
    client(&b, "role=subscribe");
    bench_publish(&b, 1, 4);
    bench_expect(&b, TEXT("GET /a/b HTTP/1.1\r\nHost: 10.0.0.1\r\n\r\n"));
    bench_feed(&b, TEXT("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"));
    bench_expect_received(&b, "hello");
    bench_expect_message(&b, TW_EVENT_ACKED, 1, NULL);
}

static void test_body_until_the_connection_ends(void **s) {
    struct bench b;
    client(&b, "role=subscribe");
    bench_publish(&b, 1, 4);
    bench_feed(&b, TEXT("HTTP/1.0 200 OK\r\n\r\nhel"));
    bench_feed(&b, TEXT("lo"));
    bench_expect_no_event(&b);
    bench_close(&b); /* section 6.3, rule 8 */
    bench_expect_received(&b, "hello");
    bench_expect_message(&b, TW_EVENT_ACKED, 1, NULL);
}

static void test_connection_lost_in_a_body_fails(void **s) {
    struct bench b;
    post(&b, "");
    bench_feed(&b, TEXT("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"));
    bench_close(&b);
    bench_expect_message(&b, TW_EVENT_FAILED, 7, "connection_lost");
}

static void test_connection_lost_in_a_request_leaves_nothing_to_send(void **s) {
    struct bench b;
    uint8_t data[512];
    client(&b, "");
    bench_publish(&b, 7, 1000);
    bench_take_slowly(&b, data, sizeof data, 300, 1);
    bench_close(&b);
    bench_expect_message(&b, TW_EVENT_FAILED, 7, "connection_lost");
    assert_true(b.engine->idle(&b.state));
    bench_expect_silence(&b);
}

static void test_missing_response_fails(void **s) {
    struct bench b;
    post(&b, "");
    bench_wait(&b, TW_SECONDS(10));
    bench_expect_message(&b, TW_EVENT_FAILED, 7, "no_response");
    bench_expect_event(&b, TW_EVENT_ERROR); /* what comes later would be taken for another's */
}

static void test_response_to_nothing_is_an_error(void **s) {
    struct bench b;
    client(&b, "");
    bench_feed(&b, TEXT("HTTP/1.1 200 OK\r\n\r\n"));
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "unexpected_response");
}

static void test_malformed_response_is_an_error(void **s) {
    struct bench b;
    post(&b, "");
    bench_feed(&b, TEXT("SMTP/1.1 200 OK\r\n\r\n"));
    bench_expect_message(&b, TW_EVENT_FAILED, 7, "malformed_response");
    bench_expect_event(&b, TW_EVENT_ERROR);
}

/* A body that the buffer does not hold is made as it leaves, in whatever pieces. */
static void expect_large_post(const char *config, const char *head, const char *tail) {
    static uint8_t data[17000], payload[16384];
    size_t before = strlen(head), after = strlen(tail);
    struct bench b;
    client(&b, config);
    assert_int_equal(bench_publish(&b, 7, sizeof payload), TW_PUBLISHED);
    bench_payload(&b, 7, sizeof payload, payload);
    for (size_t most = 100; most <= 2000; most += 475) {
        b.state.http.as.client.sent = 0;
        size_t size = bench_take_slowly(&b, data, sizeof data, most, SIZE_MAX);
        assert_int_equal(size, before + sizeof payload + after);
        assert_memory_equal(data, head, before);
        assert_memory_equal(data + before, payload, sizeof payload);
        assert_memory_equal(data + before + sizeof payload, tail, after);
    }
}

static void test_the_largest_post(void **s) {
    expect_large_post("",
                      "POST /a/b HTTP/1.1\r\nHost: 10.0.0.1\r\nContent-Type: text/plain\r\n"
                      "Content-Length: 16384\r\n\r\n",
                      "");
}

static void test_the_largest_chunked_post(void **s) {
    expect_large_post("chunked=1",
                      "POST /a/b HTTP/1.1\r\nHost: 10.0.0.1\r\nContent-Type: text/plain\r\n"
                      "Transfer-Encoding: chunked\r\n\r\n4000\r\n",
                      "\r\n0\r\n\r\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_post_bytes),
        cmocka_unit_test(test_chunked_post_and_other_port_bytes),
        cmocka_unit_test(test_response_acknowledges),
        cmocka_unit_test(test_bodiless_and_chunked_responses),
        cmocka_unit_test(test_interim_response_is_passed_over),
        cmocka_unit_test(test_folded_fields_of_a_response_are_one_line),
        cmocka_unit_test(test_chunks_of_a_response_end_in_crlf),
        cmocka_unit_test(test_early_response_does_not_cut_the_request),
        cmocka_unit_test(test_early_refusal_that_closes_ends_the_request),
        cmocka_unit_test(test_slow_transfers_are_not_late),
        cmocka_unit_test(test_topic_that_is_no_path_is_escaped),
        cmocka_unit_test(test_error_status_fails),
        cmocka_unit_test(test_connection_close_in_the_response),
        cmocka_unit_test(test_one_connection_per_request),
        cmocka_unit_test(test_polling),
        cmocka_unit_test(test_body_until_the_connection_ends),
        cmocka_unit_test(test_connection_lost_in_a_body_fails),
        cmocka_unit_test(test_connection_lost_in_a_request_leaves_nothing_to_send),
        cmocka_unit_test(test_missing_response_fails),
        cmocka_unit_test(test_response_to_nothing_is_an_error),
        cmocka_unit_test(test_malformed_response_is_an_error),
        cmocka_unit_test(test_the_largest_post),
        cmocka_unit_test(test_the_largest_chunked_post),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
