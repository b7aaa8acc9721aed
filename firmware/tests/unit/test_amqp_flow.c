/* AMQP 0-9-1 client: what stops it, and what waits while little leaves. */
#include "amqp_bench.h"

static void test_flow_control(void **s) {
    struct bench b;
    publisher(&b, "");
    FEED(&b, 1, 0, 1, 0, 0, 0, 5, 0, 20, 0, 20, 0, END); /* channel.flow: stop */
    EXPECT(&b, 1, 0, 1, 0, 0, 0, 5, 0, 20, 0, 21, 0, END);
    assert_int_equal(bench_publish(&b, 7, 4), TW_BUSY);
    FEED(&b, 1, 0, 1, 0, 0, 0, 5, 0, 20, 0, 20, 1, END);
    EXPECT(&b, 1, 0, 1, 0, 0, 0, 5, 0, 20, 0, 21, 1, END);
    assert_int_equal(bench_publish(&b, 7, 4), TW_PUBLISHED);
}

static void test_blocked_connection(void **s) {
    struct bench b;
    /* a broker that is short of memory or disk */
    publisher(&b, "");
    FEED(&b, 1, 0, 0, 0, 0, 0, 8, 0, 10, 0, 60, 3, 'l', 'o', 'w', END);
    assert_int_equal(bench_publish(&b, 7, 4), TW_BUSY);
    FEED(&b, 1, 0, 1, 0, 0, 0, 5, 0, 20, 0, 20, 1, END); /* channel.flow: another matter */
    EXPECT(&b, 1, 0, 1, 0, 0, 0, 5, 0, 20, 0, 21, 1, END);
    assert_int_equal(bench_publish(&b, 7, 4), TW_BUSY);
    FEED(&b, 1, 0, 0, 0, 0, 0, 4, 0, 10, 0, 61, END);
    assert_int_equal(bench_publish(&b, 7, 4), TW_PUBLISHED);
}

#define CANCEL(no_wait) 1, 0, 1, 0, 0, 0, 8, 0, 60, 0, 30, 2, 't', 'w', no_wait, END

static void test_consumer_cancelled_by_the_server(void **s) {
    struct bench b;
    uint8_t data[64];
    /* its queue was deleted: the connection is opened anew, and so is the queue */
    consumer(&b, "");
    FEED(&b, CANCEL(1));
    assert_int_equal(bench_take(&b, data, sizeof data), 19); /* connection.close alone */
    FEED(&b, 1, 0, 0, 0, 0, 0, 4, 0, 10, 0, 51, END);
    bench_expect_event(&b, TW_EVENT_CLOSE);
    consumer(&b, "");
    FEED(&b, CANCEL(0));
    assert_int_equal(bench_take(&b, data, sizeof data), 15 + 19);
    assert_memory_equal(data, ((uint8_t[]){1, 0, 1, 0, 0, 0, 7, 0, 60, 0, 31, 2, 't', 'w', END}),
                        15);
}

/* Nothing leaves, and more comes in than the answers have room for. */
static void test_acknowledgements_wait_for_room(void **s) {
    static uint8_t data[4096];
    struct bench b;
    consumer(&b, "confirmable=1");
    for (uint8_t tag = 1; tag <= 200; tag++) {
        FEED(&b, DELIVER(tag), HEADER(0));
        bench_expect_received(&b, "");
    }
    FEED(&b, DELIVER(201)); /* not complete */
    size_t size = bench_take(&b, data, sizeof data);
    assert_in_range(size, 21 * 50, 21 * 199);
    assert_int_equal(size % 21, 0);
    assert_memory_equal(data, ((uint8_t[]){ACK(1, 0)}), 21);
    assert_memory_equal(data + size - 21, ((uint8_t[]){ACK(200, 1)}), 21); /* and those before */
    bench_expect_no_event(&b);
    FEED(&b, HEADER(0));
    bench_expect_received(&b, "");
    EXPECT(&b, ACK(201, 0));
}

static void test_heartbeats_wait_for_room(void **s) {
    struct bench b;
    publisher(&b, "keepalive_s=20");
    for (int i = 0; i < 1000; i++) {
        bench_wait(&b, TW_SECONDS(10));
        FEED(&b, 8, 0, 0, 0, 0, 0, 0, END);
    }
    bench_expect_no_event(&b);
    FEED(&b, CLOSE(0, 10, 50)); /* there is room for its answer */
    assert_string_equal(bench_expect_event(&b, TW_EVENT_CLOSE)->reason, "closed_by_server");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flow_control),
        cmocka_unit_test(test_blocked_connection),
        cmocka_unit_test(test_consumer_cancelled_by_the_server),
        cmocka_unit_test(test_acknowledgements_wait_for_room),
        cmocka_unit_test(test_heartbeats_wait_for_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
