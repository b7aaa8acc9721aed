/* WebSocket client, frames and messages; section numbers are RFC 6455's. */
#include "websocket_bench.h"

static void test_text_frame_is_masked(void **s) {
    struct bench b;
    uint8_t payload[256];
    shake(&b, "confirmable=0");
    assert_int_equal(bench_publish(&b, 7, 6), TW_PUBLISHED);
    assert_int_equal(take_frame(&b, payload), 0x8106); /* FIN, text, 6 bytes */
    assert_string_equal((char *)payload, "tw:7..");
    bench_expect_silence(&b);
}

static void test_message_without_payload_is_one_frame(void **s) {
    struct bench b;
    uint8_t payload[256];
    shake(&b, "confirmable=0");
    assert_int_equal(bench_publish(&b, 7, 0), TW_PUBLISHED);
    assert_int_equal(take_frame(&b, payload), 0x8100);
    bench_expect_silence(&b);
    bench_feed(&b, TEXT("\x81\x00"));
    bench_expect_received(&b, "");
}

static void test_masks_differ_from_frame_to_frame(void **s) {
    struct bench b;
    struct tw_output out;
    uint8_t mask[4];
    shake(&b, "confirmable=0");
    bench_publish(&b, 7, 4);
    bench_publish(&b, 7, 4);
    b.engine->output(&b.state, b.now, 0, &out);
    memcpy(mask, out.data + 2, 4);
    assert_memory_not_equal(mask, out.data + 12, 4);
}

static void test_long_message_has_16_bit_length(void **s) {
    struct bench b;
    uint8_t data[2048];
    shake(&b, "confirmable=0");
    bench_publish(&b, 7, 1440);
    assert_int_equal(bench_take(&b, data, sizeof data), 1448);
    assert_memory_equal(data, ((uint8_t[]){0x81, 0xfe, 0x05, 0xa0}), 4);
}

static void test_outgoing_fragments(void **s) {
    struct bench b;
    uint8_t payload[256];
    shake(&b, "confirmable=0 fragment_bytes=64");
    bench_publish(&b, 7, 150);
    assert_int_equal(take_frame(&b, payload), 0x0140); /* text, not FIN, 64 bytes */
    assert_int_equal(take_frame(&b, payload), 0x0040); /* continuation */
    assert_int_equal(take_frame(&b, payload), 0x8016); /* FIN, 22 bytes */
    bench_expect_silence(&b);
}

static void test_ping_acknowledges_when_confirmable(void **s) {
    struct bench b;
    uint8_t payload[256];
    shake(&b, "confirmable=1");
    bench_publish(&b, 7, 4);
    bench_publish(&b, 8, 4);
    take_frame(&b, payload);
    assert_int_equal(take_frame(&b, payload), 0x8904); /* Ping with the sequence number */
    assert_memory_equal(payload, ((uint8_t[]){0, 0, 0, 7}), 4);
    FEED(&b, 0x8a, 0x04, 0, 0, 0, 8); /* Pong for the second answers both (5.5.3) */
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
    bench_expect_message(&b, TW_EVENT_ACKED, 8, NULL);
    assert_true(b.engine->deadline(&b.state) == TW_NEVER);
}

static void test_missing_pong_is_an_error(void **s) {
    struct bench b;
    shake(&b, "confirmable=1");
    bench_publish(&b, 7, 4);
    bench_sleep(&b);
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "no_pong");
}

static void test_pong_for_the_last_ping_acknowledges_what_was_before(void **s) {
    struct bench b;
    /* a Pong may answer the most recent Ping only (section 5.5.3) */
    shake(&b, "confirmable=1 keepalive_s=5");
    bench_publish(&b, 7, 4);
    bench_sleep(&b); /* the keep-alive's Ping */
    bench_publish(&b, 8, 4);
    bench_skip(&b);
    FEED(&b, 0x8a, 0x00);
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
    bench_expect_no_event(&b); /* message 8 left after that Ping */
    FEED(&b, 0x8a, 0x00);      /* and no Ping is open that this one answers */
    bench_expect_no_event(&b);
    bench_sleep(&b);
    FEED(&b, 0x8a, 0x00);
    bench_expect_message(&b, TW_EVENT_ACKED, 8, NULL);
}

static void test_pong_behind_a_long_message_is_not_late(void **s) {
    static const uint8_t piece[100];
    struct bench b;
    shake(&b, "role=subscribe keepalive_s=30");
    bench_sleep(&b);
    FEED(&b, 0x82, 126, 0x27, 0x10);
    for (int i = 0; i < 20; i++) {
        bench_wait(&b, TW_SECONDS(5));
        bench_feed(&b, piece, sizeof piece);
        bench_expect_no_event(&b);
    }
    bench_wait(&b, TW_SECONDS(10)); /* and then silence */
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "no_pong");
}

static void test_ping_behind_a_long_message_is_not_late(void **s) {
    static uint8_t data[17000];
    struct bench b;
    shake(&b, "confirmable=1");
    bench_publish(&b, 7, 16384);
    for (int i = 0; i < 41; i++) { /* 400 bytes each 5 s */
        bench_take_slowly(&b, data, sizeof data, 400, 1);
        bench_wait(&b, TW_SECONDS(5));
    }
    bench_expect_no_event(&b);
    bench_take(&b, data, sizeof data);
    FEED(&b, 0x8a, 0x04, 0, 0, 0, 7);
    bench_expect_message(&b, TW_EVENT_ACKED, 7, NULL);
}

static void test_keep_alive_pings(void **s) {
    struct bench b;
    uint8_t payload[256];
    shake(&b, "role=subscribe keepalive_s=30");
    bench_sleep(&b);
    assert_int_equal(b.now, TW_SECONDS(31));
    assert_int_equal(take_frame(&b, payload), 0x8900);
    FEED(&b, 0x8a, 0x00);
    bench_wait(&b, TW_SECONDS(11));
    bench_expect_no_event(&b);
}

/* Each Ping leaves at once, and none is answered. */
static void test_silence_is_noticed_at_any_keep_alive(void **s) {
    struct bench b;
    uint8_t payload[256];
    shake(&b, "role=subscribe keepalive_s=3");
    for (int i = 0; i < 4; i++) {
        bench_sleep(&b);
        assert_int_equal(take_frame(&b, payload), 0x8900);
    }
    bench_wait(&b, TW_SECONDS(1));
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "no_pong");
}

static void test_ping_is_answered_with_its_payload(void **s) {
    struct bench b;
    uint8_t payload[256];
    shake(&b, "");
    FEED(&b, 0x89, 0x02, 'h', 'i');
    assert_int_equal(take_frame(&b, payload), 0x8a02); /* Pong (5.5.3) */
    assert_string_equal((char *)payload, "hi");
}

/* Nothing leaves, and Pings come until there is no room for their Pongs. */
static void ping_until_full(struct bench *b, uint8_t last) {
    for (int i = 0; i < 1000; i++)
        FEED(b, 0x89, 0x04, 'p', 'i', 'n', 'g');
    FEED(b, 0x89, 0x02, 'h', last);
}

static void test_pong_waits_for_room(void **s) {
    struct bench b;
    uint8_t payload[256];
    int pongs = 0;
    shake(&b, "confirmable=0");
    ping_until_full(&b, 'i');
    while (take_frame(&b, payload) == 0x8a04)
        pongs++;
    assert_in_range(pongs, 100, 999);
    assert_string_equal((char *)payload, "hi"); /* the most recent one */
    bench_expect_silence(&b);
    ping_until_full(&b, 'o');
    bench_expect_no_event(&b);
    bench_close(&b);
    bench_open(&b, 0);
    answer_request(&b, "101 Yes", "Upgrade: websocket\r\nConnection: Upgrade\r\n");
    bench_expect_event(&b, TW_EVENT_CONNECTED);
    bench_publish(&b, 1, 4);
    assert_int_equal(take_frame(&b, payload), 0x8104);
    bench_expect_silence(&b); /* none is due on the next connection */
}

static void test_ping_and_close_without_room(void **s) {
    struct bench b;
    uint8_t payload[256];
    int pings = 0;
    size_t frame;
    shake(&b, "role=subscribe keepalive_s=5");
    ping_until_full(&b, 'i');
    for (int i = 0; i < 100; i++) {
        bench_wait(&b, TW_SECONDS(5));
        FEED(&b, 0x81, 0x00); /* bytes come in: the connection lives */
        bench_expect_received(&b, "");
    }
    FEED(&b, 0x88, 0x02, 0x03, 0xe8);
    assert_string_equal(bench_expect_event(&b, TW_EVENT_CLOSE)->reason, "closed_by_peer");
    while ((frame = take_frame(&b, payload)) != 0x8802)
        pings += frame == 0x8900;
    assert_in_range(pings, 0, 10);
    bench_expect_silence(&b);
}

static void test_unsolicited_pong_is_ignored(void **s) {
    struct bench b;
    shake(&b, "");
    FEED(&b, 0x8a, 0x03, 'a', 'b', 'c');
    FEED(&b, 0x8a, 0x04, 0, 0, 0, 9);
    bench_expect_no_event(&b);
    bench_expect_silence(&b);
}

static void test_incoming_fragments_with_a_ping_between(void **s) {
    struct bench b;
    uint8_t payload[256];
    shake(&b, "role=subscribe");
    FEED(&b, 0x01, 0x03, 'h', 'e', 'l', /* text, not FIN */
         0x89, 0x00,                    /* Ping between fragments (5.4) */
         0x00, 0x01, 'l',               /* continuation */
         0x80, 0x01, 'o');              /* FIN */
    bench_expect_received(&b, "hello");
    assert_int_equal(take_frame(&b, payload), 0x8a00);
}

static void test_incoming_message_in_single_bytes(void **s) {
    struct bench b;
    uint8_t frame[4 + 126] = {0x82, 126, 0, 126};
    shake(&b, "role=subscribe");
    memset(frame + 4, 'x', 126);
    for (size_t i = 0; i < sizeof frame; i++)
        bench_feed(&b, frame + i, 1);
    assert_int_equal(b.received_size, 126);
    bench_expect_event(&b, TW_EVENT_RECEIVED);
}

static void test_empty_message(void **s) {
    struct bench b;
    shake(&b, "role=subscribe");
    FEED(&b, 0x81, 0x00);
    bench_expect_received(&b, "");
}

static void expect_violation(const uint8_t *data, size_t size, uint16_t status) {
    struct bench b;
    uint8_t payload[256];
    shake(&b, "role=subscribe");
    bench_feed(&b, data, size);
    assert_int_equal(take_frame(&b, payload), 0x8802); /* Close with a status (7.1.7) */
    assert_int_equal(payload[0] << 8 | payload[1], status);
    while (bench_expect_event(&b, b.events[b.event_next].type)->type != TW_EVENT_CLOSE)
        assert_true(b.event_count > 0);
}

static void test_protocol_errors_close_with_1002(void **s) {
    expect_violation(BYTES(0xc1, 0x00), 1002); /* reserved bit (5.2) */
    expect_violation(BYTES(0x83, 0x00), 1002); /* reserved opcode */
    /* masked by the server (5.1), by what would be frames of their own */
    expect_violation(BYTES(0x81, 0x80, 0x81, 0, 0x81, 0), 1002);
    expect_violation(BYTES(0x80, 0x00), 1002);             /* continuation of nothing (5.4) */
    expect_violation(BYTES(0x01, 0x00, 0x81, 0x00), 1002); /* new message inside another */
    expect_violation(BYTES(0x09, 0x00), 1002);             /* fragmented Ping (5.5) */
    expect_violation(BYTES(0x89, 126, 0, 126), 1002);      /* Ping of 126 bytes */
    expect_violation(BYTES(0x88, 0x01, 3), 1002);          /* half a status (5.5.1) */
    expect_violation(BYTES(0x88, 0x02, 3, 0xec), 1002);    /* status 1004 is reserved (7.4.1) */
    expect_violation(BYTES(0x88, 0x02, 3, 0xed), 1002);    /* 1005, 1006 and 1015 are never sent */
    expect_violation(BYTES(0x88, 0x02, 3, 0xee), 1002);
    expect_violation(BYTES(0x88, 0x02, 3, 0xf7), 1002);
    expect_violation(BYTES(0x88, 0x02, 3, 0xf8), 1002);    /* 1016: no one's */
    expect_violation(BYTES(0x88, 0x02, 0x03, 0xe7), 1002); /* 999, and the gaps (7.4.2) */
    expect_violation(BYTES(0x88, 0x02, 0x07, 0xd0), 1002); /* 2000 */
    expect_violation(BYTES(0x88, 0x02, 0x13, 0x88), 1002); /* 5000 */
    expect_violation(BYTES(0x81, 126, 0, 5), 1002);        /* length not minimal (5.2) */
    expect_violation(BYTES(0x81, 127, 0x80, 0, 0, 0, 0, 0, 0, 0), 1002); /* top bit set */
}

static void test_bad_text_closes_with_1007(void **s) {
    /* section 8.1 */
    expect_violation(BYTES(0x81, 0x01, 0xff), 1007);
    expect_violation(BYTES(0x81, 0x02, 0xc0, 0x80), 1007);       /* overlong */
    expect_violation(BYTES(0x81, 0x03, 0xed, 0xa0, 0x80), 1007); /* surrogate */
    expect_violation(BYTES(0x81, 0x02, 0xe2, 0x82), 1007);       /* cut short */
    expect_violation(BYTES(0x81, 0x04, 0xf4, 0x90, 0x80, 0x80), 1007);
}

static void test_bad_reason_of_a_close_closes_with_1007(void **s) {
    /* sections 5.5.1 and 8.1 */
    expect_violation(BYTES(0x88, 0x03, 0x03, 0xe8, 0xff), 1007);
    expect_violation(BYTES(0x88, 0x04, 0x03, 0xe8, 0xe2, 0x82), 1007); /* cut short */
}

static void test_good_text_across_fragments(void **s) {
    struct bench b;
    shake(&b, "role=subscribe");
    FEED(&b, 0x01, 0x02, 0xe2, 0x82, 0x80, 0x01, 0xac); /* the euro sign, cut in two */
    bench_expect_received(&b, "\xe2\x82\xac");
}

static void test_status_codes_of_the_registry_are_answered(void **s) {
    static const uint16_t codes[] = {1000, 1003, 1007, 1011, 1012, 1013, 1014, 3000, 4999};
    /* sections 7.4.1 and 7.4.2, and IANA's registry */
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        struct bench b;
        uint8_t payload[256], code[2] = {(uint8_t)(codes[i] >> 8), (uint8_t)codes[i]};
        shake(&b, "");
        FEED(&b, 0x88, 0x02, code[0], code[1]);
        assert_int_equal(take_frame(&b, payload), 0x8802);
        assert_memory_equal(payload, code, 2);
        assert_string_equal(bench_expect_event(&b, TW_EVENT_CLOSE)->reason, "closed_by_peer");
    }
}

static void test_close_is_answered(void **s) {
    struct bench b;
    uint8_t payload[256];
    shake(&b, "");
    FEED(&b, 0x88, 0x02, 0x03, 0xe9);                  /* 1001 going away */
    assert_int_equal(take_frame(&b, payload), 0x8802); /* the same status back (5.5.1) */
    assert_memory_equal(payload, ((uint8_t[]){0x03, 0xe9}), 2);
    assert_string_equal(bench_expect_event(&b, TW_EVENT_CLOSE)->reason, "closed_by_peer");
}

static void test_finish_waits_for_the_servers_close(void **s) {
    struct bench b;
    uint8_t payload[256];
    shake(&b, "");
    b.engine->finish(&b.state, b.now);
    assert_int_equal(take_frame(&b, payload), 0x8802);
    assert_memory_equal(payload, ((uint8_t[]){0x03, 0xe8}), 2); /* 1000 */
    bench_expect_no_event(&b);
    FEED(&b, 0x88, 0x02, 0x03, 0xe8);
    assert_string_equal(bench_expect_event(&b, TW_EVENT_CLOSE)->reason, "finished");
    bench_expect_silence(&b);
}

static void test_pong_is_no_close(void **s) {
    struct bench b;
    uint8_t payload[256];
    shake(&b, "");
    b.engine->finish(&b.state, b.now);
    take_frame(&b, payload);
    FEED(&b, 0x8a, 0x00);
    bench_wait(&b, TW_SECONDS(10));
    assert_string_equal(bench_expect_event(&b, TW_EVENT_ERROR)->reason, "no_pong");
}

static void test_lost_connection_fails_what_is_open(void **s) {
    struct bench b;
    shake(&b, "confirmable=1");
    bench_publish(&b, 7, 4);
    bench_close(&b);
    bench_expect_message(&b, TW_EVENT_FAILED, 7, "connection_lost");
    assert_int_equal(bench_publish(&b, 8, 4), TW_OFFLINE);
}

static void test_the_largest_payload_leaves_in_pieces(void **s) {
    static uint8_t data[17000], payload[16384];
    struct bench b;
    shake(&b, "confirmable=1");
    assert_int_equal(bench_publish(&b, 7, sizeof payload), TW_PUBLISHED);
    bench_payload(&b, 7, sizeof payload, payload);
    size_t size = bench_take_slowly(&b, data, sizeof data, 1001, SIZE_MAX);
    assert_int_equal(size, 8 + sizeof payload + 10);
    assert_memory_equal(data, ((const uint8_t[]){0x81, 0xfe, 0x40, 0x00}), 4); /* one frame */
    for (size_t i = 0; i < sizeof payload; i++)
        assert_int_equal(data[8 + i] ^ data[4 + i % 4], payload[i]);
    assert_int_equal(data[8 + sizeof payload], 0x89); /* the Ping behind it */
}

static void test_fragments_of_what_the_buffer_does_not_hold_are_refused(void **s) {
    struct bench b;
    assert_string_equal(bench_init(&b, "proto=websocket fragment_bytes=64 payload_bytes=1441"),
                        "payload_bytes");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_frame_is_masked),
        cmocka_unit_test(test_message_without_payload_is_one_frame),
        cmocka_unit_test(test_masks_differ_from_frame_to_frame),
        cmocka_unit_test(test_long_message_has_16_bit_length),
        cmocka_unit_test(test_outgoing_fragments),
        cmocka_unit_test(test_ping_acknowledges_when_confirmable),
        cmocka_unit_test(test_missing_pong_is_an_error),
        cmocka_unit_test(test_pong_for_the_last_ping_acknowledges_what_was_before),
        cmocka_unit_test(test_pong_behind_a_long_message_is_not_late),
        cmocka_unit_test(test_ping_behind_a_long_message_is_not_late),
        cmocka_unit_test(test_keep_alive_pings),
        cmocka_unit_test(test_silence_is_noticed_at_any_keep_alive),
        cmocka_unit_test(test_ping_is_answered_with_its_payload),
        cmocka_unit_test(test_pong_waits_for_room),
        cmocka_unit_test(test_ping_and_close_without_room),
        cmocka_unit_test(test_unsolicited_pong_is_ignored),
        cmocka_unit_test(test_incoming_fragments_with_a_ping_between),
        cmocka_unit_test(test_incoming_message_in_single_bytes),
        cmocka_unit_test(test_empty_message),
        cmocka_unit_test(test_protocol_errors_close_with_1002),
        cmocka_unit_test(test_bad_text_closes_with_1007),
        cmocka_unit_test(test_bad_reason_of_a_close_closes_with_1007),
        cmocka_unit_test(test_status_codes_of_the_registry_are_answered),
        cmocka_unit_test(test_good_text_across_fragments),
        cmocka_unit_test(test_close_is_answered),
        cmocka_unit_test(test_finish_waits_for_the_servers_close),
        cmocka_unit_test(test_pong_is_no_close),
        cmocka_unit_test(test_lost_connection_fails_what_is_open),
        cmocka_unit_test(test_the_largest_payload_leaves_in_pieces),
        cmocka_unit_test(test_fragments_of_what_the_buffer_does_not_hold_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
