/* Address, name and time that the network gave: what the log says, and what holds from then on. */
#include "bench.h"
#include "board.h"
#include "core/app/acquired.h"

#define CONFIG "nonce=cafe id=b proto=mqtt topic=t peer=10.0.0.2 peer_name=server.test utc_s=5 "

static void test_each_step_is_a_line(void **s) {
    static struct test_board b;
    board_start(&b, CONFIG);
    tw_app_linked(b.app);
    tw_app_leased(b.app, 0x0A000005u, false);
    tw_app_leased(b.app, 0x0A000005u, true);
    tw_app_unresolved(b.app, tw_app_config(b.app)->peer_name);
    assert_int_equal(board_logged(&b, "\"ev\":\"linked\"}"), 1);
    assert_int_equal(board_logged(&b, "\"ev\":\"leased\",\"ip\":\"10.0.0.5\",\"lease\":\"new\"}"),
                     1);
    assert_int_equal(board_logged(&b, "\"ev\":\"leased\",\"ip\":\"10.0.0.5\",\"lease\":\"kept\"}"),
                     1);
    assert_int_equal(board_logged(&b, "\"ev\":\"unresolved\",\"name\":\"server.test\"}"), 1);
}

static void test_the_device_connects_to_the_address_of_the_name(void **s) {
    static struct test_board b;
    board_start(&b, CONFIG);
    tw_app_resolved(b.app, 0x0A000003u);
    assert_int_equal(tw_app_config(b.app)->peer, 0x0A000003u);
    assert_int_equal(board_logged(&b, "\"ev\":\"resolved\",\"ip\":\"10.0.0.3\"}"), 1);
}

/* Certificates are checked by utc_s and the board's clock. */
static void test_the_time_is_that_of_the_boards_start(void **s) {
    static struct test_board b;
    board_start(&b, CONFIG);
    board_run(&b, TW_SECONDS(7));
    tw_app_clock_set(b.app, 1577836807u);
    assert_int_equal(tw_app_config(b.app)->utc_s + b.now / TW_SECONDS(1), 1577836807u);
    assert_int_equal(board_logged(&b, "\"ev\":\"clock_set\",\"utc_s\":1577836807}"), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_step_is_a_line),
        cmocka_unit_test(test_the_device_connects_to_the_address_of_the_name),
        cmocka_unit_test(test_the_time_is_that_of_the_boards_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
