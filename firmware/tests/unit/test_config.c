/* The configuration text. */
#include "bench.h"

static void expect_wrong(const char *text, const char *key) {
    struct tw_config config;
    char found[32];
    tw_config_defaults(&config);
    assert_false(tw_config_parse(&config, text, found, sizeof found));
    assert_string_equal(found, key);
}

static struct tw_config parse(const char *text) {
    struct tw_config config;
    char key[32];
    tw_config_defaults(&config);
    assert_true(tw_config_parse(&config, text, key, sizeof key));
    return config;
}

static void test_every_kind_of_value(void **s) {
    struct tw_config c = parse("id=b7 ip=10.0.0.1 mac=02:0A:ff:00:10:7f qos=-1 role=serve nagle=0 "
                               "topic_type=short payload_bytes=1440 keepalive_s=300 inflight=4 "
                               "quirks=first_message_per_segment,byte_at_a_time_read,"
                               "window_each_40_ms");
    assert_string_equal(c.id, "b7");
    assert_int_equal(c.ip, 0x0a000001);
    assert_memory_equal(c.mac, "\x02\x0a\xff\x00\x10\x7f", 6);
    assert_int_equal(c.qos, -1);
    assert_int_equal(c.role, TW_ROLE_SERVE);
    assert_int_equal(c.topic_type, TW_TOPIC_SHORT);
    assert_false(c.nagle);
    assert_int_equal(c.payload_bytes, 1440);
    assert_int_equal(c.keepalive_s, 300);
    assert_int_equal(c.inflight, 4);
    assert_int_equal(c.quirks, 7);
}

static void test_blanks_of_any_kind_separate(void **s) {
    struct tw_config c = parse("  id=a\t\tqos=1\r\nport=99 ");
    assert_string_equal(c.id, "a");
    assert_int_equal(c.qos, 1);
    assert_int_equal(c.port, 99);
}

static void test_last_word_wins(void **s) {
    assert_int_equal(parse("qos=1 qos=2").qos, 2);
}

static void test_unknown_key_is_named(void **s) {
    expect_wrong("id=a qoss=1", "qoss");
    expect_wrong("hello", "hello");
    expect_wrong("=1", "");
    expect_wrong("a_key_much_longer_than_any_that_exists=1", "a_key_much_longer_than_any_that");
}

static void test_bad_values_are_named(void **s) {
    expect_wrong("qos=3", "qos");
    expect_wrong("qos=-2", "qos");
    expect_wrong("qos=", "qos");
    expect_wrong("nagle=2", "nagle");
    expect_wrong("nagle=yes", "nagle");
    expect_wrong("port=0", "port");
    expect_wrong("port=65536", "port");
    expect_wrong("payload_bytes=16385", "payload_bytes");
    expect_wrong("payload_bytes=1", "payload_bytes");
    expect_wrong("seed=4294967296", "seed");
    expect_wrong("interval_ms=1.5", "interval_ms");
    expect_wrong("ip=10.0.0", "ip");
    expect_wrong("ip=10.0.0.256", "ip");
    expect_wrong("ip=10.0.0.1.2", "ip");
    expect_wrong("mac=02:00:00:00:00", "mac");
    expect_wrong("mac=02:00:00:00:00:0g", "mac");
    expect_wrong("role=spectator", "role");
    expect_wrong("quirks=none", "quirks");
    expect_wrong("id=", "id");
    expect_wrong("id=123456789012345678901234", "id"); /* 24 characters */
    expect_wrong("id=\"x\"", "id");                    /* would have to be escaped in the log */
}

static void test_largest_numbers(void **s) {
    assert_int_equal(parse("seed=4294967295").seed, UINT32_MAX);
    assert_int_equal(parse("port=65535").port, 65535);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind_of_value),
        cmocka_unit_test(test_blanks_of_any_kind_separate),
        cmocka_unit_test(test_last_word_wins),
        cmocka_unit_test(test_unknown_key_is_named),
        cmocka_unit_test(test_bad_values_are_named),
        cmocka_unit_test(test_largest_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
