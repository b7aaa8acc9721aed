/* Does the set of identifiers hold what was put in, and nothing else? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/util/id_set.h"

static void test_thousands_in_order_take_few_runs(void **s) {
    struct tw_id_set set = {0};
    for (unsigned id = 1; id <= 5000; id++) {
        assert_false(tw_id_set_has(&set, (uint16_t)id));
        assert_true(tw_id_set_add(&set, (uint16_t)id));
    }
    assert_true(set.count <= 3); /* the whole blocks, and those at either end */
    for (unsigned id = 1; id <= 5000; id++) {
        assert_true(tw_id_set_has(&set, (uint16_t)id));
        assert_true(tw_id_set_remove(&set, (uint16_t)id));
        assert_false(tw_id_set_has(&set, (uint16_t)id));
    }
    assert_int_equal(set.count, 0);
}

static void test_identifiers_wrap_around(void **s) {
    struct tw_id_set set = {0};
    assert_true(tw_id_set_add(&set, 65535));
    assert_true(tw_id_set_add(&set, 1));
    assert_true(tw_id_set_add(&set, 0));
    assert_false(tw_id_set_has(&set, 2) || tw_id_set_has(&set, 65534));
    assert_true(tw_id_set_remove(&set, 65535));
    assert_false(tw_id_set_has(&set, 65535));
    assert_true(tw_id_set_has(&set, 0) && tw_id_set_has(&set, 1));
}

static void test_every_second_one_takes_few_runs(void **s) {
    struct tw_id_set set = {0};
    for (unsigned id = 2; id < 5000; id += 2)
        assert_true(tw_id_set_add(&set, (uint16_t)id));
    assert_true(set.count <= 3);
    assert_false(tw_id_set_has(&set, 2501));
    assert_true(tw_id_set_add(&set, 2501) && tw_id_set_remove(&set, 2501));
    assert_true(set.count <= 3); /* the pieces are one again */
    for (unsigned id = 2; id < 5000; id += 2)
        assert_true(tw_id_set_remove(&set, (uint16_t)id));
    assert_int_equal(set.count, 0);
}

static void test_any_pattern_in_a_window_fits(void **s) {
    struct tw_id_set set = {0};
    uint32_t dice = 1;
    for (unsigned id = 0; id < 16 * TW_ID_RUNS; id++) {
        dice = dice * 1664525u + 1013904223u;
        if (dice >> 31)
            assert_true(tw_id_set_add(&set, (uint16_t)(id + 1600)));
    }
}

static void test_full_set_refuses_and_stays_as_it_was(void **s) {
    struct tw_id_set set = {0};
    for (unsigned id = 0; id < 3 * 16; id += 16) /* a run of three blocks */
        assert_true(tw_id_set_add(&set, (uint16_t)id));
    for (unsigned i = 2; i <= TW_ID_RUNS; i++)
        assert_true(tw_id_set_add(&set, (uint16_t)(64 * i)));
    assert_int_equal(set.count, TW_ID_RUNS);
    assert_false(tw_id_set_add(&set, 9000));
    assert_false(tw_id_set_has(&set, 9000));
    assert_false(tw_id_set_remove(&set, 16)); /* it would cut the first run in two */
    assert_true(tw_id_set_has(&set, 0) && tw_id_set_has(&set, 16) && tw_id_set_has(&set, 32));
    tw_id_set_forget_oldest(&set);
    assert_false(tw_id_set_has(&set, 16));
    assert_true(tw_id_set_has(&set, 128));
    assert_true(tw_id_set_add(&set, 9000));
}

/* Against a table of all identifiers, of which few are used, so that runs meet and split. */
static void test_random_use_agrees_with_a_table(void **s) {
    struct tw_id_set set = {0};
    bool table[1024] = {false};
    uint32_t dice = 1;
    unsigned refused = 0;
    for (int step = 0; step < 4000; step++) {
        dice = dice * 1664525u + 1013904223u;
        /* of the first blocks any identifier, of the others one of four: some patterns are equal */
        uint16_t id = (uint16_t)(dice >> 16 & (dice >> 15 & 1 ? 63 : 1011));
        bool has = table[id];
        if (has ? tw_id_set_remove(&set, id) : tw_id_set_add(&set, id))
            table[id] = !has;
        else
            refused++;
        for (uint16_t other = 0; other < 1024; other++)
            assert_int_equal(tw_id_set_has(&set, other), table[other]);
        assert_true(set.count <= TW_ID_RUNS);
    }
    assert_true(refused > 0 && refused < 2000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thousands_in_order_take_few_runs),
        cmocka_unit_test(test_identifiers_wrap_around),
        cmocka_unit_test(test_every_second_one_takes_few_runs),
        cmocka_unit_test(test_any_pattern_in_a_window_fits),
        cmocka_unit_test(test_full_set_refuses_and_stays_as_it_was),
        cmocka_unit_test(test_random_use_agrees_with_a_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
