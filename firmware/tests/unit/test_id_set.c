/* Does the set of identifiers hold what was put in, and nothing else? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "id_set.h"

static void test_thousands_in_order_take_one_range(void **s) {
    struct tw_id_set set = {0};
    (void)s;
    for (unsigned id = 1; id <= 5000; id++) {
        assert_false(tw_id_set_has(&set, (uint16_t)id));
        assert_true(tw_id_set_add(&set, (uint16_t)id));
    }
    assert_int_equal(set.count, 1);
    for (unsigned id = 1; id <= 5000; id++) {
        assert_true(tw_id_set_has(&set, (uint16_t)id));
        assert_true(tw_id_set_remove(&set, (uint16_t)id));
        assert_false(tw_id_set_has(&set, (uint16_t)id));
    }
    assert_int_equal(set.count, 0);
}

static void test_identifiers_wrap_around(void **s) {
    struct tw_id_set set = {0};
    (void)s;
    assert_true(tw_id_set_add(&set, 65535));
    assert_true(tw_id_set_add(&set, 1));
    assert_true(tw_id_set_add(&set, 0));
    assert_int_equal(set.count, 2);
    assert_true(tw_id_set_remove(&set, 65535));
    assert_true(tw_id_set_has(&set, 0) && tw_id_set_has(&set, 1));
}

static void test_full_set_refuses_and_stays_as_it_was(void **s) {
    struct tw_id_set set = {0};
    (void)s;
    for (unsigned i = 0; i < TW_ID_RANGES; i++)
        assert_true(tw_id_set_add(&set, (uint16_t)(10 * i + 5)));
    assert_false(tw_id_set_add(&set, 9000));
    assert_false(tw_id_set_has(&set, 9000));
    assert_true(tw_id_set_add(&set, 6) && tw_id_set_add(&set, 7)); /* 5 to 7 is one range */
    assert_false(tw_id_set_remove(&set, 6));
    assert_true(tw_id_set_has(&set, 6));
    assert_true(tw_id_set_remove(&set, 5) && tw_id_set_remove(&set, 6));
    tw_id_set_forget_oldest(&set);
    assert_false(tw_id_set_has(&set, 7));
    assert_true(tw_id_set_add(&set, 9000));
}

/* Against a table of all identifiers, in a small range so that ranges meet and split. */
static void test_random_use_agrees_with_a_table(void **s) {
    struct tw_id_set set = {0};
    bool table[64] = {false};
    uint32_t dice = 1;
    (void)s;
    for (int step = 0; step < 20000; step++) {
        dice = dice * 1664525u + 1013904223u;
        uint16_t id = (uint16_t)(dice >> 24 & 63);
        bool has = table[id];
        if (has ? tw_id_set_remove(&set, id) : tw_id_set_add(&set, id))
            table[id] = !has;
        for (uint16_t other = 0; other < 64; other++)
            assert_int_equal(tw_id_set_has(&set, other), table[other]);
        assert_true(set.count <= TW_ID_RANGES);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thousands_in_order_take_one_range),
        cmocka_unit_test(test_identifiers_wrap_around),
        cmocka_unit_test(test_full_set_refuses_and_stays_as_it_was),
        cmocka_unit_test(test_random_use_agrees_with_a_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
