/* WebSocket client, the opening handshake; section numbers are RFC 6455's. */
#include "websocket_bench.h"

static void test_sha1_vectors(void **s) {
    uint8_t digest[TW_SHA1_BYTES];
    tw_sha1(BYTES('a', 'b', 'c'), digest); /* FIPS 180-4 examples */
    assert_memory_equal(digest,
                        "\xa9\x99\x3e\x36\x47\x06\x81\x6a\xba\x3e\x25\x71\x78\x50\xc2\x6c\x9c\xd0"
                        "\xd8\x9d",
                        20);
    tw_sha1(BYTES('a', 'b', 'c', 'd', 'b', 'c', 'd', 'e', 'c', 'd', 'e', 'f', 'd', 'e', 'f', 'g',
                  'e', 'f', 'g', 'h', 'f', 'g', 'h', 'i', 'g', 'h', 'i', 'j', 'h', 'i', 'j', 'k',
                  'i', 'j', 'k', 'l', 'j', 'k', 'l', 'm', 'k', 'l', 'm', 'n', 'l', 'm', 'n', 'o',
                  'm', 'n', 'o', 'p', 'n', 'o', 'p', 'q'),
            digest);
    assert_memory_equal(digest,
                        "\x84\x98\x3e\x44\x1c\x3b\xd2\x6e\xba\xae\x4a\xa1\xf9\x51\x29\xe5\xe5\x46"
                        "\x70\xf1",
                        20);
}

static void test_base64_vectors(void **s) {
    char out[16];
    tw_base64(BYTES('f', 'o', 'o', 'b', 'a', 'r'), out); /* RFC 4648 section 10 */
    assert_string_equal(out, "Zm9vYmFy");
    tw_base64(BYTES('f', 'o', 'o', 'b'), out);
    assert_string_equal(out, "Zm9vYg==");
    tw_base64(BYTES('f', 'o', 'o', 'b', 'a'), out);
    assert_string_equal(out, "Zm9vYmE=");
}

static void test_accept_of_the_specification(void **s) {
    struct tw_ws_handshake handshake;
    tw_ws_handshake_start(&handshake, "dGhlIHNhbXBsZSBub25jZQ=="); /* section 1.3 */
    assert_string_equal(handshake.accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

static void test_handshake_bytes(void **s) {
    struct bench b;
    bench_start(&b, "proto=websocket topic=chat peer=10.0.0.1 port=8080");
    bench_expect(&b, TEXT("GET /chat HTTP/1.1\r\n"
                          "Host: 10.0.0.1:8080\r\n"
                          "Upgrade: websocket\r\n"
                          "Connection: Upgrade\r\n"
                          "Sec-WebSocket-Key: "));
    uint8_t rest[256];
    size_t size = bench_take(&b, rest, sizeof rest);
    assert_int_equal(size, 24 + 2 + 27 + 2);
    assert_memory_equal(rest + 22, "==\r\nSec-WebSocket-Version: 13\r\n\r\n", 33);
}

static void expect_refused(const char *answer) {
    struct bench b;
    bench_start(&b, "proto=websocket");
    bench_feed(&b, answer, strlen(answer));
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "handshake_refused");
}

static void test_wrong_answers_are_refused(void **s) {
    /* section 4.1, the client's checks */
    expect_refused("HTTP/1.1 400 Bad Request\r\n\r\n");
    expect_refused("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                   "Connection: Upgrade\r\nSec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n"
                   "\r\n");
    expect_refused("HTTP/1.1 101 Switching Protocols\r\n\r\n");
}

static void expect_refused_fields(const char *status, const char *fields) {
    struct bench b;
    answer_with(&b, "", status, fields);
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "handshake_refused");
}

static void test_each_part_of_the_answer_is_checked(void **s) {
    /* section 4.1: with the right Sec-WebSocket-Accept, one other thing is wrong */
    expect_refused_fields("200 OK", "Upgrade: websocket\r\nConnection: Upgrade\r\n");
    expect_refused_fields("101 Yes", "Connection: Upgrade\r\n");
    expect_refused_fields("101 Yes", "Upgrade: h2c\r\nConnection: Upgrade\r\n");
    expect_refused_fields("101 Yes", "Upgrade: websocket\r\n");
    expect_refused_fields("101 Yes", "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                                     "Sec-WebSocket-Extensions: permessage-deflate\r\n");
    expect_refused_fields("101 Yes", "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                                     "Sec-WebSocket-Protocol: mqtt\r\n");
    expect_refused_fields("101 Yes", "Upgrade: h2c\r\nUpgrade: websocket\r\n"
                                     "Connection: Upgrade\r\n");
    expect_refused_fields("101 Yes", "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                                     "Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n");
    expect_refused_fields("101 Yes", "Upgrade: websocket\r\nConnection: Upgrade\r\nX: a\rb\r\n");
}

static void test_keys_differ_from_connection_to_connection(void **s) {
    struct bench b;
    uint8_t first[512], second[512];
    bench_start(&b, "proto=websocket");
    size_t size = bench_take(&b, first, sizeof first);
    bench_close(&b);
    bench_open(&b, 0);
    assert_int_equal(bench_take(&b, second, sizeof second), size);
    assert_memory_not_equal(first, second, size);
}

static void test_answer_in_other_words(void **s) {
    struct bench b;
    (void)
        s; /* names in any case (RFC 9110 5.1), blanks and tabs (5.6.3), a list cut in two (5.3) */
    shake_with(&b, "", "UPGRADE:\tWebSocket \t\r\nconnection: keep-alive,\tupgrade\t,x\r\n");
    shake_with(&b, "", "Upgrade:websocket\r\nConnection: Upgrade\r\nConnection: close\r\n");
    shake_with(&b, "", "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Protocol: \r\n");
}

static void test_interim_answers_are_passed_over(void **s) {
    struct bench b;
    /* RFC 9110 section 15.2; what they say is not the answer's */
    answer_with(&b, "",
                "100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nUpgrade: h2c\r\n\r\n"
                "HTTP/1.1 101 Switching Protocols",
                "Upgrade: websocket\r\nConnection: Upgrade\r\n");
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    expect_refused_fields("103 Early Hints\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
                          "HTTP/1.1 101 Switching Protocols",
                          "");
}

static void test_folded_fields_are_one_line(void **s) {
    struct bench b;
    /* RFC 9112 section 5.2 */
    shake_with(&b, "",
               "Upgrade:\r\n websocket\r\nX: a\r\n\tb: c\r\nConnection: x,\r\n Upgrade\r\n");
    expect_refused_fields("101 Yes", "Upgrade: websocket\r\n h2c\r\nConnection: Upgrade\r\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sha1_vectors),
        cmocka_unit_test(test_base64_vectors),
        cmocka_unit_test(test_accept_of_the_specification),
        cmocka_unit_test(test_handshake_bytes),
        cmocka_unit_test(test_wrong_answers_are_refused),
        cmocka_unit_test(test_each_part_of_the_answer_is_checked),
        cmocka_unit_test(test_keys_differ_from_connection_to_connection),
        cmocka_unit_test(test_answer_in_other_words),
        cmocka_unit_test(test_interim_answers_are_passed_over),
        cmocka_unit_test(test_folded_fields_are_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
