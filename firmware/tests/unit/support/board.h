/*
 * A board for tests of the application: its clock, network and log are in the test's hands.
 */
#ifndef TEST_BOARD_H
#define TEST_BOARD_H

#include <setjmp.h>

#include "core/app/app.h"

#define BOARD_TEXT 16384

struct test_board {
    struct tw_board board;
    struct tw_app *app;
    tw_time now, next;
    enum tw_open open_result;
    unsigned opens, closes, aborts;
    size_t unacked; /* what the network says of every link */
    size_t room;    /* bytes that the network takes; SIZE_MAX: any */
    size_t sent_size, log_size;
    uint8_t sent[BOARD_TEXT];
    char log[BOARD_TEXT]; /* lines, each with its newline */
};

/* The memory of a board that sleeps deeply: set `back` before it may; it is `full` then. */
struct test_memory {
    bool full;
    jmp_buf back;
    tw_time until;
    uint8_t run[TW_RUN_BYTES];
    uint8_t kept[TW_KEPT_BYTES]; /* of the engine */
};
extern struct test_memory board_memory;

/* Starts the application and brings its interface up. */
void board_start(struct test_board *b, const char *config);
/* Lets the application run until `duration` has passed. */
void board_run(struct test_board *b, tw_time duration);
void board_feed(struct test_board *b, const void *data, size_t size);
/* How often the log holds `text`. */
unsigned board_logged(const struct test_board *b, const char *text);

#endif
