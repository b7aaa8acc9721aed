/* HTTP/1.1 server: what it answers, and when (RFC 9112 and RFC 9110). */
#include "http_bench.h"

static void test_get_bytes(void **s) {
    struct bench b;
    serve(&b, "");
    bench_feed(&b, TEXT("GET /a HTTP/1.1\r\n" HOST "\r\n"));
    bench_expect(&b, TEXT("HTTP/1.1 200 OK\r\n"
                          "Content-Type: text/plain\r\n"
                          "Content-Length: 6\r\n"
                          "\r\n"
                          "tw:0.."));
    bench_expect_message(&b, TW_EVENT_SERVED, 0, NULL);
    bench_expect_silence(&b);
    bench_expect_no_event(&b); /* the connection stays (section 9.3) */
}

static void test_answer_in_pieces(void **s) {
    static const char *const pieces[] = {
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 6\r\n", "\r\n", "tw:0.."};
    struct bench b;
    struct tw_output out;
    serve(&b, "pieces=1");
    bench_feed(&b, TEXT("GET /a HTTP/1.1\r\n" HOST "\r\n"));
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        assert_true(b.engine->output(&b.state, b.now, 0, &out));
        assert_int_equal(out.size, strlen(pieces[i]));
        assert_memory_equal(out.data, pieces[i], out.size);
        b.engine->accepted(&b.state, b.now, 0, out.size);
    }
    assert_false(b.engine->output(&b.state, b.now, 0, &out));
}

static void test_a_time_between_pieces(void **s) {
    struct bench b;
    struct tw_output out;
    serve(&b, "pieces=1 piece_ms=3");
    bench_feed(&b, TEXT("GET /a HTTP/1.1\r\n" HOST "\r\n"));
    for (int piece = 1; piece <= 3; piece++) {
        assert_true(b.engine->output(&b.state, b.now, 0, &out));
        b.engine->accepted(&b.state, b.now, 0, out.size);
        assert_false(b.engine->output(&b.state, b.now, 0, &out));
        assert_true((b.engine->deadline(&b.state) == b.now + TW_MS(3)) == (piece < 3));
        b.now += TW_MS(3);
    }
}

static void test_chunked_answer_bytes(void **s) {
    struct bench b;
    serve(&b, "chunked=1 payload_bytes=20");
    bench_feed(&b, TEXT("GET /a HTTP/1.1\r\n" HOST "\r\n"));
    bench_expect(&b, TEXT("HTTP/1.1 200 OK\r\n"
                          "Content-Type: text/plain\r\n"
                          "Transfer-Encoding: chunked\r\n"
                          "\r\n"
                          "14\r\n"
                          "tw:0................\r\n"
                          "0\r\n"
                          "\r\n"));
}

static void test_head_has_fields_but_no_body(void **s) {
    struct bench b;
    serve(&b, "");
    bench_feed(&b, TEXT("HEAD /a HTTP/1.1\r\n" HOST "\r\n"));
    bench_expect(&b, TEXT("HTTP/1.1 200 OK\r\n"
                          "Content-Type: text/plain\r\n"
                          "Content-Length: 6\r\n"
                          "\r\n"));
    bench_expect_silence(&b);
}

static void test_post_with_length(void **s) {
    struct bench b;
    serve(&b, "");
    bench_feed(&b, TEXT("POST /a HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhel"));
    bench_expect_silence(&b); /* not answered before it is complete */
    bench_feed(&b, TEXT("lo"));
    bench_expect_received(&b, "hello");
    bench_expect(&b, TEXT("HTTP/1.1 204 No Content\r\n\r\n"));
}

static void test_post_chunked(void **s) {
    struct bench b;
    serve(&b, "");
    bench_feed(&b, TEXT("POST /a HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"
                        "3;name=value\r\nhel\r\n"
                        "2\r\nlo\r\n"
                        "0\r\nTrailer: x\r\nAnother: y\r\n\r\n"));
    bench_expect_received(&b, "hello");
    bench_expect(&b, TEXT("HTTP/1.1 204 No Content\r\n\r\n"));
    bench_expect_silence(&b);
}

static void test_request_in_single_bytes(void **s) {
    static const char request[] =
        "PUT /a HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
    struct bench b;
    serve(&b, "");
    for (size_t i = 0; i < sizeof request - 1; i++)
        bench_feed(&b, request + i, 1);
    bench_expect_received(&b, "hello");
}

static void test_pipelined_requests_are_answered_in_order(void **s) {
    struct bench b;
    uint8_t data[1024];
    serve(&b, "");
    bench_feed(&b, TEXT("GET /a HTTP/1.1\r\n" HOST "\r\nGET /b HTTP/1.1\r\n" HOST "\r\n"));
    size_t size = bench_take(&b, data, sizeof data - 1);
    data[size] = 0;
    const char *second = strstr((char *)data, "404");
    assert_non_null(second);
    assert_true(strstr((char *)data, "200") < second);
}

static void test_too_many_pipelined_requests_get_503(void **s) {
    struct bench b;
    uint8_t data[2048];
    serve(&b, "");
    for (int i = 0; i < 6; i++)
        bench_feed(&b, TEXT("GET /a HTTP/1.1\r\n" HOST "\r\n"));
    size_t size = bench_take(&b, data, sizeof data - 1);
    data[size] = 0;
    assert_non_null(strstr((char *)data, "503"));
    for (int i = 0; i < 3; i++)
        bench_expect_event(&b, TW_EVENT_SERVED);
    bench_expect_event(&b, TW_EVENT_CLOSE);
}

static void test_connection_close_is_honoured(void **s) {
    struct bench b;
    uint8_t data[512];
    serve(&b, "");
    bench_feed(&b, TEXT("GET /a HTTP/1.1\r\n" HOST "Connection: x, Close\r\n\r\n"));
    bench_expect_event(&b, TW_EVENT_SERVED);
    bench_expect_no_event(&b); /* not before the answer has left */
    size_t size = bench_take(&b, data, sizeof data - 1);
    data[size] = 0;
    assert_non_null(strstr((char *)data, "\r\nConnection: close\r\n"));
    bench_expect_event(&b, TW_EVENT_CLOSE);
}

static void test_http_1_0_closes_unless_asked_to_keep(void **s) {
    struct bench b;
    serve(&b, "");
    bench_feed(&b, TEXT("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
    bench_skip(&b);
    bench_expect_event(&b, TW_EVENT_SERVED);
    bench_expect_no_event(&b);
    bench_feed(&b, TEXT("GET /a HTTP/1.0\r\n\r\n"));
    bench_skip(&b);
    bench_expect_event(&b, TW_EVENT_SERVED);
    bench_expect_event(&b, TW_EVENT_CLOSE);
}

static void test_one_request_per_connection_when_configured(void **s) {
    struct bench b;
    serve(&b, "keep_alive=0");
    bench_feed(&b, TEXT("GET /a HTTP/1.1\r\n" HOST "\r\n"));
    bench_skip(&b);
    bench_expect_event(&b, TW_EVENT_SERVED);
    bench_expect_event(&b, TW_EVENT_CLOSE);
}

static void test_expect_continue(void **s) {
    struct bench b;
    serve(&b, "");
    bench_feed(
        &b, TEXT("POST /a HTTP/1.1\r\n" HOST "Content-Length: 2\r\nExpect: 100-continue\r\n\r\n"));
    bench_expect(&b, TEXT("HTTP/1.1 100 Continue\r\n\r\n"));
    bench_feed(&b, TEXT("hi"));
    bench_expect(&b, TEXT("HTTP/1.1 204 No Content\r\n\r\n"));
}

static void test_expect_of_http_1_0_is_ignored(void **s) {
    struct bench b;
    serve(&b, "");
    bench_feed(&b, TEXT("POST /a HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"));
    bench_expect_silence(&b);
    bench_feed(&b, TEXT("hi"));
    bench_expect(&b, TEXT("HTTP/1.1 204 No Content\r\n"));
}

/* Who expects 100 may wait for ever with the body of what is refused. */
static void test_refusal_answers_an_expectation_at_once(void **s) {
    struct bench b;
    serve(&b, "");
    bench_feed(
        &b, TEXT("POST /b HTTP/1.1\r\n" HOST "Content-Length: 2\r\nExpect: 100-continue\r\n\r\n"));
    bench_expect(&b, TEXT("HTTP/1.1 404 Not Found\r\nConnection: close\r\n"));
    bench_expect(&b, TEXT("Content-Length: 0\r\n\r\n"));
    bench_expect_event(&b, TW_EVENT_CLOSE);
}

static void test_http_1_0_learns_that_the_connection_stays(void **s) {
    struct bench b;
    serve(&b, "");
    bench_feed(&b, TEXT("GET /a HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"));
    bench_expect(&b, TEXT("HTTP/1.1 200 OK\r\nConnection: keep-alive\r\n"));
    serve(&b, "");
    bench_feed(&b, TEXT("GET /a HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n"));
    bench_expect(&b, TEXT("HTTP/1.1 200 OK\r\nConnection: close\r\n"));
}

static void test_http_1_0_gets_no_chunks(void **s) {
    struct bench b;
    serve(&b, "chunked=1");
    bench_feed(&b, TEXT("GET /a HTTP/1.0\r\n\r\n"));
    bench_expect(&b, TEXT("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/plain\r\n"
                          "Content-Length: 6\r\n\r\ntw:0.."));
    bench_expect_silence(&b);
}

static void test_slow_reader_gets_every_byte(void **s) {
    struct bench b;
    struct tw_output out;
    char got[512];
    size_t size = 0;
    serve(&b, "");
    bench_feed(&b, TEXT("GET /a HTTP/1.1\r\n" HOST "\r\n"));
    while (b.engine->output(&b.state, b.now, 0, &out)) {
        got[size++] = (char)out.data[0];
        b.engine->accepted(&b.state, b.now, 0, 1);
    }
    got[size] = 0;
    assert_string_equal(got + size - 10, "\r\n\r\ntw:0..");
}

static void test_connections_are_independent(void **s) {
    struct bench b;
    serve(&b, "");
    bench_open(&b, 1);
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    bench_feed_on(&b, 0, TEXT("POST /a HTTP/1.1\r\n" HOST "Content-Le"));
    bench_feed_on(&b, 1, TEXT("GET /a HTTP/1.1\r\n" HOST "\r\n"));
    bench_expect_event(&b, TW_EVENT_SERVED);
    bench_expect_on(&b, 1, TEXT("HTTP/1.1 200 OK\r\n"));
    bench_expect_silence(&b);
    bench_feed_on(&b, 0, TEXT("ngth: 1\r\n\r\nx"));
    bench_expect_received(&b, "x");
}

static void test_idle_connection_is_closed(void **s) {
    struct bench b;
    serve(&b, "");
    bench_wait(&b, TW_SECONDS(59));
    bench_expect_no_event(&b);
    bench_wait(&b, TW_SECONDS(2));
    bench_expect_event(&b, TW_EVENT_CLOSE);
}

static void test_unknown_method_is_told_what_is_allowed(void **s) {
    struct bench b;
    serve(&b, "");
    bench_feed(&b, TEXT("DELETE /a HTTP/1.1\r\n" HOST "\r\n"));
    bench_expect(&b, TEXT("HTTP/1.1 405 Method Not Allowed\r\n"
                          "Allow: GET, HEAD, POST, PUT\r\n")); /* RFC 9110 section 15.5.6 */
}

static void test_refused_upload_is_read_and_not_delivered(void **s) {
    struct bench b;
    serve(&b, "");
    bench_feed(&b, TEXT("POST /b HTTP/1.1\r\n" HOST "Content-Length: 2\r\n\r\nhi"
                        "GET /a HTTP/1.1\r\n" HOST "\r\n"));
    bench_expect(&b, TEXT("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"));
    bench_expect(&b, TEXT("HTTP/1.1 200 OK\r\n"));
    bench_expect_event(&b, TW_EVENT_SERVED); /* and no RECEIVED before it */
}

static void test_the_largest_answer(void **s) {
    static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
                               "Content-Length: 16384\r\n\r\n";
    static uint8_t data[17000], payload[16384];
    struct bench b;
    serve(&b, "payload_bytes=16384");
    bench_feed(&b, TEXT("GET /a HTTP/1.1\r\n" HOST "\r\n"));
    bench_payload(&b, 0, sizeof payload, payload);
    size_t size = bench_take_slowly(&b, data, sizeof data, 1000, SIZE_MAX);
    assert_int_equal(size, sizeof head - 1 + sizeof payload);
    assert_memory_equal(data, head, sizeof head - 1);
    assert_memory_equal(data + sizeof head - 1, payload, sizeof payload);
    assert_true(b.engine->idle(&b.state));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_get_bytes),
        cmocka_unit_test(test_answer_in_pieces),
        cmocka_unit_test(test_a_time_between_pieces),
        cmocka_unit_test(test_chunked_answer_bytes),
        cmocka_unit_test(test_head_has_fields_but_no_body),
        cmocka_unit_test(test_post_with_length),
        cmocka_unit_test(test_post_chunked),
        cmocka_unit_test(test_request_in_single_bytes),
        cmocka_unit_test(test_pipelined_requests_are_answered_in_order),
        cmocka_unit_test(test_too_many_pipelined_requests_get_503),
        cmocka_unit_test(test_connection_close_is_honoured),
        cmocka_unit_test(test_http_1_0_closes_unless_asked_to_keep),
        cmocka_unit_test(test_one_request_per_connection_when_configured),
        cmocka_unit_test(test_expect_continue),
        cmocka_unit_test(test_expect_of_http_1_0_is_ignored),
        cmocka_unit_test(test_refusal_answers_an_expectation_at_once),
        cmocka_unit_test(test_http_1_0_learns_that_the_connection_stays),
        cmocka_unit_test(test_http_1_0_gets_no_chunks),
        cmocka_unit_test(test_slow_reader_gets_every_byte),
        cmocka_unit_test(test_connections_are_independent),
        cmocka_unit_test(test_idle_connection_is_closed),
        cmocka_unit_test(test_unknown_method_is_told_what_is_allowed),
        cmocka_unit_test(test_refused_upload_is_read_and_not_delivered),
        cmocka_unit_test(test_the_largest_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
