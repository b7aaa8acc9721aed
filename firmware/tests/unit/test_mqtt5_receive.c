/* MQTT 5 client, what it receives: subscriptions, messages, properties, requests. */
#include "mqtt5_bench.h"

static void test_subscribe_bytes(void **s) {
    struct bench b;
    open_with(&b, "role=subscribe qos=2");
    FEED(&b, CONNACK5);
    EXPECT(&b, 0x82, 7, 0x00, 0x01, /* SUBSCRIBE, identifier */
           0x00,                    /* no properties */
           0x00, 0x01, 't', 0x02);  /* filter, options: QoS 2 */
    bench_expect_no_event(&b);
    FEED(&b, SUBACK5);
    bench_expect_event(&b, TW_EVENT_CONNECTED);
}

static void test_refused_subscription_is_named(void **s) {
    struct bench b;
    open_with(&b, "role=subscribe");
    FEED(&b, CONNACK5);
    bench_skip(&b);
    FEED(&b, 0x90, 0x04, 0x00, 0x01, 0x00, 0x97);
    assert_string_equal(bench_expect_event(&b, TW_EVENT_CLOSE)->reason, "quota_exceeded");
    EXPECT(&b, 0xe0, 0x00);
}

static void test_wrong_subacks_are_errors(void **s) {
    static const uint8_t subacks[][7] = {
        {0x90, 0x04, 0x00, 0x02, 0x00, 0x00},       /* another identifier [MQTT-3.8.4-2] */
        {0x90, 0x04, 0x00, 0x01, 0x00, 0x92},       /* a code of PUBREL */
        {0x90, 0x05, 0x00, 0x01, 0x00, 0x00, 0x00}, /* two codes for one filter [MQTT-3.8.4-6] */
    };
    for (size_t i = 0; i < sizeof subacks / sizeof *subacks; i++) {
        struct bench b;
        open_with(&b, "role=subscribe");
        FEED(&b, CONNACK5);
        bench_skip(&b);
        bench_feed(&b, subacks[i], subacks[i][1] + 2u);
        expect_refusal(&b, 0x82, i < 2 ? "unexpected_suback" : "protocol_error");
    }
}

static void test_incoming_qos1_is_acknowledged(void **s) {
    struct bench b;
    subscribe_with(&b, "role=subscribe qos=1");
    FEED(&b, 0x32, 7, 0, 1, 't', 0x12, 0x34, 0, 'a');
    bench_expect_received(&b, "a");
    EXPECT(&b, 0x40, 0x02, 0x12, 0x34);
}

static void test_incoming_qos2_is_delivered_once(void **s) {
    struct bench b;
    subscribe_with(&b, "role=subscribe qos=2");
    FEED(&b, 0x34, 7, 0, 1, 't', 0x12, 0x34, 0, 'a');
    bench_expect_received(&b, "a");
    EXPECT(&b, 0x50, 0x02, 0x12, 0x34);
    FEED(&b, 0x3c, 7, 0, 1, 't', 0x12, 0x34, 0, 'a');
    bench_expect_no_event(&b);
    EXPECT(&b, 0x50, 0x02, 0x12, 0x34);
    FEED(&b, 0x62, 0x02, 0x12, 0x34);
    EXPECT(&b, 0x70, 0x02, 0x12, 0x34);
    FEED(&b, 0x62, 0x02, 0x12, 0x34); /* released before */
    EXPECT(&b, 0x70, 0x03, 0x12, 0x34, 0x92);
}

static void test_message_in_single_bytes(void **s) {
    static const uint8_t message[] = {
        0x30, 21,  0,   1,   't',         /* topic */
        14,   1,   1,                     /* payload is text */
        2,    0,   0,   0,   60,          /* message expiry */
        0x26, 0,   1,   'k', 0,   1, 'v', /* user property */
        'h',  'i', '!',
    };
    struct bench b;
    subscribe_with(&b, "role=subscribe");
    for (size_t i = 0; i < sizeof message; i++)
        bench_feed(&b, message + i, 1);
    bench_expect_received(&b, "hi!");
    FEED(&b, 0x30, 4, 0, 1, 't', 0, 0x30, 5, 0, 1, 't', 0, 'x'); /* an empty one, and one behind */
    assert_int_equal(bench_expect_event(&b, TW_EVENT_RECEIVED)->size, 0);
    bench_expect_received(&b, "x");
}

static void test_aliases_of_the_server(void **s) {
    struct bench b;
    subscribe_with(&b, "role=subscribe topic_alias=1");
    FEED(&b, 0x30, 8, 0, 1, 't', 3, 0x23, 0, 16, 'a'); /* the last one that may be */
    bench_expect_received(&b, "a");
    FEED(&b, 0x30, 7, 0, 0, 3, 0x23, 0, 16, 'b');
    bench_expect_received(&b, "b");
    FEED(&b, 0x30, 7, 0, 0, 3, 0x23, 0, 1, 'c'); /* never set */
    expect_refusal(&b, 0x82, "protocol_error");
}

static void test_aliases_end_with_their_connection(void **s) {
    struct bench b;
    subscribe_with(&b, "role=subscribe topic_alias=1 clean=0");
    FEED(&b, 0x30, 8, 0, 1, 't', 3, 0x23, 0, 1, 'a');
    bench_expect_received(&b, "a");
    reopen(&b);
    FEED(&b, CONNACK5_RESUMED);
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    FEED(&b, 0x30, 7, 0, 0, 3, 0x23, 0, 1, 'b');
    expect_refusal(&b, 0x82, "protocol_error");
}

static void test_aliases_out_of_range_are_errors(void **s) {
    static const uint8_t aliases[][2] = {{0, 0}, {0, 17}, {1, 0}};
    struct bench b;
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++) {
        subscribe_with(&b, "role=subscribe topic_alias=1");
        FEED(&b, 0x30, 8, 0, 1, 't', 3, 0x23, aliases[i][0], aliases[i][1], 'a');
        expect_refusal(&b, 0x94, "topic_alias_invalid");
    }
    subscribe_with(&b, "role=subscribe"); /* which takes none */
    FEED(&b, 0x30, 8, 0, 1, 't', 3, 0x23, 0, 1, 'a');
    expect_refusal(&b, 0x94, "topic_alias_invalid");
}

static void test_publish_without_topic_and_alias_is_an_error(void **s) {
    struct bench b;
    subscribe_with(&b, "role=subscribe topic_alias=1");
    FEED(&b, 0x30, 4, 0, 0, 0, 'a');
    expect_refusal(&b, 0x82, "protocol_error");
}

static void test_more_than_our_receive_maximum_is_an_error(void **s) {
    struct bench b;
    subscribe_with(&b, "role=subscribe qos=2 receive_max=2");
    FEED(&b, 0x34, 7, 0, 1, 't', 0, 1, 0, 'a');
    FEED(&b, 0x32, 7, 0, 1, 't', 0, 2, 0, 'a'); /* over with its PUBACK */
    FEED(&b, 0x34, 7, 0, 1, 't', 0, 3, 0, 'a');
    FEED(&b, 0x62, 0x02, 0, 1); /* so is the first with its PUBCOMP */
    FEED(&b, 0x34, 7, 0, 1, 't', 0, 4, 0, 'a');
    for (int i = 0; i < 4; i++)
        bench_expect_received(&b, "a");
    bench_skip(&b);
    FEED(&b, 0x34, 7, 0, 1, 't', 0, 5, 0, 'a');
    expect_refusal(&b, 0x93, "receive_maximum_exceeded");
}

static void test_more_than_our_packet_maximum_is_an_error(void **s) {
    struct bench b;
    subscribe_with(&b, "role=subscribe packet_max=20");
    FEED(&b, 0x30, 18, 0, 1, 't', 0, '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c',
         'd', 'e');
    bench_expect_received(&b, "123456789abcde");
    FEED(&b, 0x30, 19);
    expect_refusal(&b, 0x95, "packet_too_large");
}

static void test_resumed_session_keeps_the_subscription(void **s) {
    struct bench b;
    subscribe_with(&b, "role=subscribe qos=2 clean=0");
    FEED(&b, 0x34, 7, 0, 1, 't', 0, 9, 0, 'a');
    bench_expect_received(&b, "a");
    reopen(&b);
    FEED(&b, CONNACK5_RESUMED);
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    bench_expect_silence(&b);                   /* no second SUBSCRIBE */
    FEED(&b, 0x3c, 7, 0, 1, 't', 0, 9, 0, 'a'); /* nor is the message new */
    bench_expect_no_event(&b);
    EXPECT(&b, 0x50, 0x02, 0, 9);
}

static void test_acknowledgements_wait_for_room(void **s) {
    static uint8_t data[16384];
    struct bench b;
    unsigned next = 1;
    subscribe_with(&b, "role=subscribe qos=1");
    for (unsigned id = 1; id <= 2000; id++) {
        FEED(&b, 0x32, 7, 0, 1, 't', (uint8_t)(id >> 8), (uint8_t)id, 0, 'a');
        bench_expect_received(&b, "a");
        b.event_count = b.event_next = 0;
    }
    assert_int_equal(bench_take_slowly(&b, data, sizeof data, 100, SIZE_MAX), 8000);
    for (size_t i = 0; i < 8000; i += 4)
        assert_int_equal(data[i + 2] << 8 | data[i + 3], next++);
}

/* ---- malformed packets ---- */

struct wrong {
    uint8_t code;
    uint8_t size, bytes[24];
};

#define WRONG(code, ...)                                                                           \
    {                                                                                              \
        code, sizeof((const uint8_t[]){__VA_ARGS__}), {                                            \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

static void expect_wrong(const struct wrong *wrong, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct bench b;
        subscribe_with(&b, "role=subscribe qos=2 topic_alias=1");
        bench_feed(&b, wrong[i].bytes, wrong[i].size);
        expect_refusal(&b, wrong[i].code,
                       wrong[i].code == 0x81 ? "malformed_packet" : "protocol_error");
    }
}

static void test_malformed_packets_are_errors(void **s) {
    static const struct wrong wrong[] = {
        WRONG(0x81, 0x00, 0),                         /* reserved type */
        WRONG(0x82, 0x10, 0),                         /* CONNECT from a server */
        WRONG(0x81, 0x36, 7),                         /* QoS 3 [MQTT-3.3.1-4] */
        WRONG(0x81, 0x60, 2),                         /* PUBREL without its flags */
        WRONG(0x81, 0xe1, 0),                         /* DISCONNECT with flags */
        WRONG(0x81, 0xd0, 1),                         /* PINGRESP with a body */
        WRONG(0x81, 0x40, 1),                         /* PUBACK without identifier */
        WRONG(0x81, 0x30, 0x80, 0x80, 0x80, 0x80),    /* a length of five bytes */
        WRONG(0x81, 0x30, 0x84, 0x00),                /* more bytes than needed */
        WRONG(0x81, 0x30, 4, 0, 2, 't'),              /* topic beyond the packet */
        WRONG(0x81, 0x30, 5, 0, 1, 't', 2),           /* properties beyond the packet */
        WRONG(0x81, 0x40, 6, 0, 1, 0, 0, 0xd0, 0),    /* PUBACK with more than properties */
        WRONG(0x82, 0x32, 7, 0, 1, 't', 0, 0),        /* identifier 0 [MQTT-2.2.1-3] */
        WRONG(0x81, 0x30, 5, 0, 1, 0x00),             /* U+0000 in a topic */
        WRONG(0x81, 0x30, 5, 0, 1, 0xc3, 0),          /* half a character */
        WRONG(0x81, 0x30, 7, 0, 3, 0xed, 0xa0, 0x80), /* a surrogate [MQTT-1.5.4-1] */
        WRONG(0x82, 0x30, 5, 0, 1, '#'),              /* a wildcard [MQTT-3.3.2-2] */
        WRONG(0x82, 0xb0, 4, 0, 1, 0, 0),             /* UNSUBACK, which nothing asked for */
    };
    size_t count = sizeof wrong / sizeof *wrong;
    expect_wrong(wrong, count - 1);
    struct bench b;
    subscribe_with(&b, "role=subscribe");
    bench_feed(&b, wrong[count - 1].bytes, wrong[count - 1].size);
    expect_refusal(&b, 0x82, "unexpected_unsuback");
}

static void test_malformed_properties_are_errors(void **s) {
    static const struct wrong wrong[] = {
        WRONG(0x81, 0x30, 6, 0, 1, 't', 2, 0x00),    /* no such property */
        WRONG(0x81, 0x30, 6, 0, 1, 't', 2, 0x80),    /* an identifier of two bytes */
        WRONG(0x81, 0x30, 6, 0, 1, 't', 2, 0x1f),    /* a reason string in PUBLISH */
        WRONG(0x81, 0x30, 6, 0, 1, 't', 2, 0x17),    /* a property of CONNECT */
        WRONG(0x81, 0xe0, 7, 0, 5, 0x11),            /* session expiry from the server */
        WRONG(0x82, 0x30, 8, 0, 1, 't', 4, 1, 1, 1), /* twice: payload format */
        WRONG(0x82, 0x30, 6, 0, 1, 't', 2, 1, 2),    /* neither 0 nor 1 */
        WRONG(0x82, 0x30, 6, 0, 1, 't', 2, 0x0b, 0), /* subscription identifier 0 */
        WRONG(0x81, 0x30, 10, 0, 1, 't', 6, 0x0b, 128, 128, 128, 128, 1), /* five bytes */
        WRONG(0x81, 0x30, 7, 0, 1, 't', 3, 0x0b, 129, 0),    /* more bytes than needed */
        WRONG(0x81, 0x30, 8, 0, 1, 't', 4, 3, 0, 1, 0),      /* U+0000 in a content type */
        WRONG(0x81, 0x30, 8, 0, 1, 't', 4, 3, 0, 1, 0xc3),   /* half a character */
        WRONG(0x81, 0x30, 8, 0, 1, 't', 4, 3, 0, 9, 'x'),    /* a text beyond the properties */
        WRONG(0x81, 0x30, 8, 0, 1, 't', 4, 0x26, 0, 1, 'k'), /* a name without a value */
        WRONG(0x82, 0x30, 8, 0, 1, 't', 4, 8, 0, 1, '+'),    /* a wildcard [MQTT-3.3.2-14] */
        WRONG(0x82, 0x30, 7, 0, 1, 't', 3, 8, 0, 0),         /* an empty response topic */
    };
    expect_wrong(wrong, sizeof wrong / sizeof *wrong);
}

static void test_zero_limits_of_the_server_are_errors(void **s) {
    static const uint8_t connacks[][10] = {
        {0x20, 0x06, 0x00, 0x00, 0x03, 0x21, 0x00, 0x00},             /* receive maximum */
        {0x20, 0x08, 0x00, 0x00, 0x05, 0x27, 0x00, 0x00, 0x00, 0x00}, /* maximum packet size */
        {0x20, 0x05, 0x00, 0x00, 0x02, 0x24, 0x02},                   /* maximum QoS 2 */
        {0x20, 0x05, 0x00, 0x00, 0x02, 0x25, 0x02},                   /* retain available */
    };
    for (size_t i = 0; i < sizeof connacks / sizeof *connacks; i++) {
        struct bench b;
        open_with(&b, "");
        bench_feed(&b, connacks[i], connacks[i][1] + 2u);
        expect_refusal(&b, 0x82, "protocol_error");
    }
}

static void test_every_property_of_a_publish_is_taken(void **s) {
    struct bench b;
    subscribe_with(&b, "role=subscribe topic_alias=1");
    FEED(&b, 0x30, 46, 0, 1, 't', 41, 0x01, 1,         /* payload format indicator */
         0x02, 0, 0, 0, 1,                             /* message expiry interval */
         0x03, 0, 1, 'c',                              /* content type */
         0x08, 0, 2, 0xc3, 0xa4,                       /* response topic */
         0x09, 0, 2, 0x00, 0xff,                       /* correlation data: no text */
         0x0b, 0xff, 0x7f, 0x0b, 1,                    /* subscription identifiers */
         0x23, 0, 1,                                   /* topic alias */
         0x26, 0, 0, 0, 0, 0x26, 0, 1, 'k', 0, 1, 'v', /* user properties */
         'x');
    bench_expect_received(&b, "x");
    bench_expect_no_event(&b);
}

static void test_every_property_of_a_connack_is_taken(void **s) {
    struct bench b;
    open_with(&b, "");
    FEED(&b, 0x20, 59, 0, 0, 56, 0x11, 0, 0, 0, 9, /* session expiry interval */
         0x21, 0, 9, 0x24, 1, 0x25, 0,             /* receive maximum, maximum QoS, retain */
         0x27, 0, 0, 1, 0, 0x12, 0, 1, 'i',        /* maximum packet, assigned identifier */
         0x22, 0, 9, 0x1f, 0, 1, 'r',              /* topic alias maximum, reason string */
         0x26, 0, 1, 'k', 0, 1, 'v',               /* user property */
         0x28, 1, 0x29, 1, 0x2a, 0, 0x13, 0, 30,   /* what is available; keep alive */
         0x1a, 0, 1, 'p', 0x1c, 0, 5, 'o', 't', 'h', 'e', 'r'); /* response information, server */
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    bench_expect_no_event(&b);
}

/* ---- request and response ---- */

static void test_request_bytes(void **s) {
    struct bench b;
    subscribe_with(&b, "pace=answer qos=0");
    bench_publish(&b, 0x102, 4);
    EXPECT(&b, 0x30, 24, 0x00, 0x01, 't', 16,        /* */
           0x08, 0, 6, 't', '/', 'e', 'c', 'h', 'o', /* response topic */
           0x09, 0, 4, 0, 0, 1, 2);                  /* correlation data: the number */
}

static void test_answer_to_another_request_is_dropped(void **s) {
    struct bench b;
    subscribe_with(&b, "pace=answer qos=1");
    bench_publish(&b, 7, 4);
    bench_skip(&b);
    FEED(&b, 0x32, 14, 0, 1, 'e', 0, 1, 7, 9, 0, 4, 0, 0, 0, 6, 'a');
    bench_expect_no_event(&b);
    EXPECT(&b, 0x40, 0x02, 0, 1); /* but acknowledged */
    FEED(&b, 0x30, 12, 0, 1, 'e', 7, 9, 0, 4, 0, 0, 0, 7, 'b');
    bench_expect_received(&b, "b");
    FEED(&b, 0x30, 5, 0, 1, 'e', 0, 'c'); /* of a client that knows no correlation data */
    bench_expect_received(&b, "c");
}

static void test_answers_go_where_they_were_asked_for(void **s) {
    struct bench b;
    subscribe_with(&b, "role=echo qos=0");
    FEED(&b, 0x30, 14, 0, 1, 't', 9, 8, 0, 1, 'r', 9, 0, 2, 0, 5, 'a');
    bench_expect_received(&b, "a");
    FEED(&b, 0x30, 9, 0, 1, 't', 4, 8, 0, 1, 'q', 'b');
    bench_expect_received(&b, "b");
    bench_publish(&b, 1, 4);
    bench_publish(&b, 2, 4);
    b.now++;
    bench_publish(&b, 3, 4);
    EXPECT(&b, 0x30, 13, 0, 1, 'r', 5, 9, 0, 2, 0, 5, 't', 'w', ':', '1',        /* */
           0x30, 8, 0, 1, 'q', 0, 't', 'w', ':', '2',                            /* */
           0x30, 13, 0, 6, 't', '/', 'e', 'c', 'h', 'o', 0, 't', 'w', ':', '3'); /* not asked */
}

static void test_dropped_answer_does_not_answer_the_next_request(void **s) {
    struct bench b;
    subscribe_with(&b, "role=echo qos=0");
    for (int i = 0; i < 5; i++) { /* nor do dropped ones use up the places of requests */
        FEED(&b, 0x30, 9, 0, 1, 't', 4, 8, 0, 1, 'p', 'a');
        b.now++;
        FEED(&b, 0x30, 9, 0, 1, 't', 4, 8, 0, 1, 'q', 'b');
        bench_publish(&b, 2, 4);
        EXPECT(&b, 0x30, 8, 0, 1, 'q', 0, 't', 'w', ':', '2');
        b.now++;
    }
}

static void test_repeated_answer_goes_where_the_first_went(void **s) {
    struct bench b;
    subscribe_with(&b, "role=echo qos=1 clean=0");
    FEED(&b, 0x30, 9, 0, 1, 't', 4, 8, 0, 1, 'q', 'a');
    bench_publish(&b, 1, 4);
    EXPECT(&b, 0x32, 10, 0, 1, 'q', 0, 2, 0, 't', 'w', ':', '1');
    reopen(&b);
    FEED(&b, CONNACK5_RESUMED);
    EXPECT(&b, 0x3a, 10, 0, 1, 'q', 0, 2, 0, 't', 'w', ':', '1');
    FEED(&b, 0x40, 0x02, 0, 2);
    bench_publish(&b, 2, 4); /* made at the same time, but of no request */
    EXPECT(&b, 0x32, 15, 0, 6, 't', '/', 'e', 'c', 'h', 'o', 0, 3, 0, 't', 'w', ':', '2');
}

static void test_long_response_topic_is_answered_as_none(void **s) {
    static uint8_t request[2 + 3 + 1 + 3 + 73 + 1] = {0x30, 81, 0, 1, 't', 76, 8, 0, 73};
    struct bench b;
    memset(request + 9, 'r', 73);
    request[82] = 'a';
    subscribe_with(&b, "role=echo qos=0");
    bench_feed(&b, request, sizeof request);
    bench_expect_received(&b, "a");
    bench_publish(&b, 1, 4);
    EXPECT(&b, 0x30, 13, 0, 6, 't', '/', 'e', 'c', 'h', 'o', 0, 't', 'w', ':', '1');
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_subscribe_bytes),
        cmocka_unit_test(test_refused_subscription_is_named),
        cmocka_unit_test(test_wrong_subacks_are_errors),
        cmocka_unit_test(test_incoming_qos1_is_acknowledged),
        cmocka_unit_test(test_incoming_qos2_is_delivered_once),
        cmocka_unit_test(test_message_in_single_bytes),
        cmocka_unit_test(test_aliases_of_the_server),
        cmocka_unit_test(test_aliases_end_with_their_connection),
        cmocka_unit_test(test_aliases_out_of_range_are_errors),
        cmocka_unit_test(test_publish_without_topic_and_alias_is_an_error),
        cmocka_unit_test(test_more_than_our_receive_maximum_is_an_error),
        cmocka_unit_test(test_more_than_our_packet_maximum_is_an_error),
        cmocka_unit_test(test_resumed_session_keeps_the_subscription),
        cmocka_unit_test(test_acknowledgements_wait_for_room),
        cmocka_unit_test(test_malformed_packets_are_errors),
        cmocka_unit_test(test_malformed_properties_are_errors),
        cmocka_unit_test(test_zero_limits_of_the_server_are_errors),
        cmocka_unit_test(test_every_property_of_a_publish_is_taken),
        cmocka_unit_test(test_every_property_of_a_connack_is_taken),
        cmocka_unit_test(test_request_bytes),
        cmocka_unit_test(test_answer_to_another_request_is_dropped),
        cmocka_unit_test(test_answers_go_where_they_were_asked_for),
        cmocka_unit_test(test_dropped_answer_does_not_answer_the_next_request),
        cmocka_unit_test(test_repeated_answer_goes_where_the_first_went),
        cmocka_unit_test(test_long_response_topic_is_answered_as_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
