/*
 * The configuration line of a firmware of the user's own on the LX106 (boards/lx106/runtime): the
 * board's words, then the firmware's arguments.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "boards/lx106/runtime/arguments.h"

static struct tw_config config;
static struct arguments arguments;
static char line[512], key[16];

static bool read_line(const char *text) {
    assert_true(strlen(text) < sizeof line);
    strcpy(line, text);
    return arguments_read(line, &config, &arguments, key, sizeof key);
}

static void test_words_and_arguments(void **state) {
    (void)state;
    assert_true(read_line("id=b1 port=1883 arguments=10.0.0.1:1883  x=1 arguments=2 "));
    assert_string_equal(config.id, "b1");
    assert_int_equal(config.port, 1883);
    assert_int_equal(arguments.count, 4);
    assert_string_equal(arguments.values[0], "firmware");
    assert_string_equal(arguments.values[1], "10.0.0.1:1883");
    assert_string_equal(arguments.values[2], "x=1");
    assert_string_equal(arguments.values[3], "arguments=2");
    assert_null(arguments.values[4]);
}

static void test_none(void **state) {
    static const char *const lines[] = {"", "id=b1",
                                        "id=b1 arguments=", "arguments=", "arguments=  "};
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        assert_true(read_line(lines[i]));
        assert_int_equal(arguments.count, 1);
        assert_null(arguments.values[1]);
    }
    assert_string_equal(config.id, "tw"); /* the default */
}

static void test_a_word_that_ends_so_is_none_of_ours(void **state) {
    (void)state;
    assert_false(read_line("id=b1 myarguments=1"));
    assert_string_equal(key, "myarguments");
}

static void test_a_bad_word(void **state) {
    (void)state;
    assert_false(read_line("port=70000 arguments=x"));
    assert_string_equal(key, "port");
}

static void test_as_many_as_there_is_room_for(void **state) {
    (void)state;
    char text[128] = "arguments=";
    for (int i = 1; i < ARGUMENTS_MAX; i++)
        strcat(text, "a ");
    assert_true(read_line(text));
    assert_int_equal(arguments.count, ARGUMENTS_MAX);
    assert_null(arguments.values[ARGUMENTS_MAX]);
    strcat(text, "a");
    assert_false(read_line(text));
    assert_string_equal(key, "arguments");
}

/* Under the sanitizers: no text makes it read or write beside its memory. */
static void test_any_text(void **state) {
    static const char *const parts[] = {"arguments=", " ", "id=", "b1", "port=1", "=", "a", "\x80"};
    (void)state;
    srand(1);
    for (int run = 0; run < 20000; run++) {
        char text[256] = "";
        for (int i = rand() % 24; i > 0; i--)
            strcat(text, parts[rand() % 8]);
        if (read_line(text))
            assert_true(arguments.count >= 1 && !arguments.values[arguments.count]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_and_arguments),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_a_word_that_ends_so_is_none_of_ours),
        cmocka_unit_test(test_a_bad_word),
        cmocka_unit_test(test_as_many_as_there_is_room_for),
        cmocka_unit_test(test_any_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
