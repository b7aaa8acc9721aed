/* HTTP/1.1 server: which requests it takes (RFC 9112, sections 2 to 7). */
#include "http_bench.h"

static void expect_path_status(const char *topic, const char *request, const char *status) {
    struct bench b;
    char config[256];
    uint8_t data[512];
    bench_join(config, "topic=", topic);
    serve(&b, config);
    bench_feed(&b, request, strlen(request));
    bench_take(&b, data, sizeof data);
    assert_memory_equal(data + 9, status, 3);
}

static void test_absolute_form(void **s) {
    /* section 3.2.2; of which host is the server's own word */
    EXPECT_STATUS("GET http://192.0.2.1/a HTTP/1.1\r\n" HOST "\r\n", "200");
    EXPECT_STATUS("GET HTTP://board:8080/a?x=1 HTTP/1.1\r\nHost:\r\n\r\n", "200");
    EXPECT_STATUS("GET http://[2001:db8::1]/a HTTP/1.1\r\n" HOST "\r\n", "200");
    EXPECT_STATUS("GET http://board/b HTTP/1.1\r\n" HOST "\r\n", "404");
    EXPECT_STATUS("GET http://board?/a HTTP/1.1\r\n" HOST "\r\n", "404");
    EXPECT_STATUS("GET http://board HTTP/1.1\r\n" HOST "\r\n", "404");
    EXPECT_STATUS("GET http://board/a HTTP/1.1\r\n\r\n", "400"); /* Host has to be there */
    EXPECT_STATUS("GET https://board/a HTTP/1.1\r\n" HOST "\r\n", "421");
    expect_path_status("a security=psk", "GET https://board/a HTTP/1.1\r\n" HOST "\r\n", "200");
}

static void test_addresses_without_a_host_or_with_a_user_are_refused(void **s) {
    /* RFC 9110 sections 4.2.1 and 4.2.4 */
    EXPECT_STATUS("GET http:///a HTTP/1.1\r\n" HOST "\r\n", "400");
    EXPECT_STATUS("GET http://:80/a HTTP/1.1\r\n" HOST "\r\n", "400");
    EXPECT_STATUS("GET http://user@board/a HTTP/1.1\r\n" HOST "\r\n", "400");
}

static void test_targets_of_other_methods(void **s) {
    /* sections 3.2.3 and 3.2.4 */
    EXPECT_STATUS("OPTIONS * HTTP/1.1\r\n" HOST "\r\n", "405");
    EXPECT_STATUS("CONNECT board:80 HTTP/1.1\r\n" HOST "\r\n", "405");
    EXPECT_STATUS("GET * HTTP/1.1\r\n" HOST "\r\n", "400");
    EXPECT_STATUS("GET a HTTP/1.1\r\n" HOST "\r\n", "400");
}

static void test_equivalent_paths(void **s) {
    /* RFC 3986 section 6.2.2 */
    EXPECT_STATUS("GET /%61 HTTP/1.1\r\n" HOST "\r\n", "200");
    EXPECT_STATUS("GET /%6 HTTP/1.1\r\n" HOST "\r\n", "400");
    EXPECT_STATUS("GET /%g1 HTTP/1.1\r\n" HOST "\r\n", "400");
    EXPECT_STATUS("GET /a%00 HTTP/1.1\r\n" HOST "\r\n", "404");
    expect_path_status("a<b/c", "GET /%61%3cb/%63 HTTP/1.1\r\n" HOST "\r\n", "200");
    expect_path_status("a<b/c", "GET /a%3Cb%2Fc HTTP/1.1\r\n" HOST "\r\n", "404");
    expect_path_status("a%2Fb", "GET /a%2fb HTTP/1.1\r\n" HOST "\r\n", "200");
    expect_path_status("a%7Eb", "GET /a~b HTTP/1.1\r\n" HOST "\r\n", "200");
    expect_path_status("50%", "GET /50%25 HTTP/1.1\r\n" HOST "\r\n", "200");
}

static void test_chunks_end_in_crlf(void **s) {
    static const char *const bodies[] = {"2\nhi\r\n0\r\n\r\n",     "2\r\nhi\n0\r\n\r\n",
                                         "2\r\nhi\r\n0\n\r\n",     "2\r\nhi\r\n0\r\nT: x\n\r\n",
                                         "2\r\nhi\r\n0\r\n\n",     "2;a\rb\r\nhi\r\n0\r\n\r\n",
                                         "2\r\r\nhi\r\n0\r\n\r\n", "2;a\nb\r\nhi\r\n0\r\n\r\n"};
    /* CVE-2025-22871, CVE-2025-43859 */
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        char request[256];
        bench_join(request, "POST /a HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n",
                   bodies[i]);
        expect_status(request, strlen(request), "400");
    }
}

static void test_refusals(void **s) {
    EXPECT_STATUS("GET /b HTTP/1.1\r\n" HOST "\r\n", "404");
    EXPECT_STATUS("DELETE /a HTTP/1.1\r\n" HOST "\r\n", "405");
    EXPECT_STATUS("GET /a HTTP/1.1\r\n\r\n", "400");              /* no Host (section 3.2) */
    EXPECT_STATUS("GET /a HTTP/1.1\r\n" HOST HOST "\r\n", "400"); /* two of them */
    EXPECT_STATUS("GET /a HTTP/2.0\r\n" HOST "\r\n", "505");
    EXPECT_STATUS("GET /a\r\n\r\n", "400");
    EXPECT_STATUS(" /a HTTP/1.1\r\n" HOST "\r\n", "400");
    EXPECT_STATUS("GET  HTTP/1.1\r\n" HOST "\r\n", "400");
    EXPECT_STATUS("GET /a HTTP/1.1\r\n" HOST "X : y\r\n\r\n", "400"); /* blank before the colon */
    EXPECT_STATUS("GET /a HTTP/1.1\r\n" HOST " folded\r\n\r\n", "400");
    EXPECT_STATUS("POST /a HTTP/1.1\r\n" HOST "Content-Length: 1x\r\n\r\n", "400");
    EXPECT_STATUS("POST /a HTTP/1.1\r\n" HOST "Content-Length: -1\r\n\r\n", "400");
    EXPECT_STATUS("POST /a HTTP/1.1\r\n" HOST "Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
                  "400");
    EXPECT_STATUS("POST /a HTTP/1.1\r\n" HOST
                  "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
                  "400"); /* section 6.1: request smuggling */
    EXPECT_STATUS("POST /a HTTP/1.0\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400");
    EXPECT_STATUS("POST /a HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\nx\r\n", "400");
    EXPECT_STATUS("POST /a HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n 1\r\n", "400");
    EXPECT_STATUS("POST /a HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
                  "400");
}

static void test_names_and_values_of_fields(void **s) {
    EXPECT_STATUS("GET /a HTTP/1.1\r\n" HOST "X Y: a\r\n\r\n", "400"); /* section 5.1 */
    EXPECT_STATUS("GET /a HTTP/1.1\r\n" HOST "X(: a\r\n\r\n", "400");
    EXPECT_STATUS("GET /a HTTP/1.1\r\n" HOST "\xc3\xbc: a\r\n\r\n", "400");
    EXPECT_STATUS("GET /a HTTP/1.1\r\n" HOST ": a\r\n\r\n", "400");
    EXPECT_STATUS("GET /a HTTP/1.1\r\n" HOST "!#$%&'*+-.^_`|~9: \xc3\xbc\r\n\r\n", "200");
    EXPECT_STATUS("GET /a HTTP/1.1\r\n" HOST "X: a\0b\r\n\r\n", "400"); /* RFC 9110 section 5.5 */
    EXPECT_STATUS("GET /a HTTP/1.1\r\n" HOST "X: a\rb\r\n\r\n", "400");
    EXPECT_STATUS("GET /a HTTP/1.1\r\n" HOST "X: a\r\r\n\r\n", "400");
    EXPECT_STATUS("GET /a\r HTTP/1.1\r\n" HOST "\r\n", "400");
    EXPECT_STATUS("GET /a HTTP/1.1\nHost: b\n\n", "200"); /* LF alone may end a line of the head */
}

static void test_lengths(void **s) {
    struct bench b;
    /* section 6.3, item 5: a list of the same length is one */
    serve(&b, "");
    bench_feed(&b, TEXT("POST /a HTTP/1.1\r\n" HOST "Content-Length: 2, 2 \r\n\r\nhi"));
    bench_expect_received(&b, "hi");
    EXPECT_STATUS("POST /a HTTP/1.1\r\n" HOST "Content-Length: 2, 3\r\n\r\n", "400");
    EXPECT_STATUS("POST /a HTTP/1.1\r\n" HOST "Content-Length: 2,\r\n\r\n", "400");
    EXPECT_STATUS("POST /a HTTP/1.1\r\n" HOST "Content-Length:\r\n\r\n", "400");
    EXPECT_STATUS("POST /a HTTP/1.1\r\n" HOST "Content-Length: 4294967296\r\n\r\n", "400");
    serve(&b, "");
    bench_feed(&b, TEXT("POST /a HTTP/1.1\r\n" HOST "Content-Length: 4294967295\r\n\r\n"));
    bench_expect_silence(&b);
}

static void test_codings(void **s) {
    /* sections 6.1 and 6.3, item 4 */
    EXPECT_STATUS("POST /a HTTP/1.1\r\n" HOST "Transfer-Encoding: gzip\r\n\r\n", "400");
    EXPECT_STATUS("POST /a HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked, gzip\r\n\r\n", "400");
    EXPECT_STATUS("POST /a HTTP/1.1\r\n" HOST
                  "Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n\r\n",
                  "400");
    EXPECT_STATUS("POST /a HTTP/1.1\r\n" HOST "Transfer-Encoding:\r\n\r\n", "400");
    EXPECT_STATUS("POST /a HTTP/1.1\r\n" HOST "Transfer-Encoding: gzip, chunked\r\n\r\n", "501");
    EXPECT_STATUS(
        "POST /a HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", "400");
    EXPECT_STATUS("POST /a HTTP/1.1\r\n" HOST "Transfer-Encoding: , chunked ,\r\n\r\n0\r\n\r\n",
                  "204"); /* RFC 9110 section 5.6.1.2 */
}

static void test_long_chunk_extension_is_ignored(void **s) {
    struct bench b;
    char request[512] = "POST /a HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n2;";
    /* section 7.1.1 */
    serve(&b, "");
    memset(request + strlen(request), 'x', 300);
    strcat(request, "\r\nhi\r\n0\r\n\r\n");
    bench_feed(&b, request, strlen(request));
    bench_expect_received(&b, "hi");
}

static void test_long_target_gets_414(void **s) {
    struct bench b;
    char request[512] = "GET /";
    serve(&b, "");
    memset(request + 5, 'x', 300);
    strcpy(request + 305, " HTTP/1.1\r\n" HOST "\r\n");
    bench_feed(&b, request, strlen(request));
    bench_expect(&b, TEXT("HTTP/1.1 414 "));
}

static void test_long_field_is_skipped(void **s) {
    struct bench b;
    char request[1024] = "GET /a HTTP/1.1\r\n" HOST "X: ";
    serve(&b, "");
    memset(request + strlen(request), 'x', 500);
    strcat(request, "\r\n\r\n");
    bench_feed(&b, request, strlen(request));
    bench_expect(&b, TEXT("HTTP/1.1 200 OK\r\n"));
}

static void test_query_is_not_part_of_the_path(void **s) {
    EXPECT_STATUS("GET /a?x=1 HTTP/1.1\r\n" HOST "\r\n", "200");
}

static void test_empty_line_before_a_request_is_ignored(void **s) {
    EXPECT_STATUS("\r\nGET /a HTTP/1.1\r\n" HOST "\r\n", "200"); /* section 2.2 */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_absolute_form),
        cmocka_unit_test(test_addresses_without_a_host_or_with_a_user_are_refused),
        cmocka_unit_test(test_targets_of_other_methods),
        cmocka_unit_test(test_equivalent_paths),
        cmocka_unit_test(test_chunks_end_in_crlf),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_names_and_values_of_fields),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_codings),
        cmocka_unit_test(test_long_chunk_extension_is_ignored),
        cmocka_unit_test(test_long_target_gets_414),
        cmocka_unit_test(test_long_field_is_skipped),
        cmocka_unit_test(test_query_is_not_part_of_the_path),
        cmocka_unit_test(test_empty_line_before_a_request_is_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
