/*
 * The board's log: one JSON object a line, `{"t":MICROSECONDS,"nonce":"...","ev":"..."...}`.
 */
#ifndef TW_LOG_H
#define TW_LOG_H

#include "app.h"
#include "core/util/bytes.h"

/* Longer than any line the application writes; a line that would not fit is not written. */
#define TW_LOG_LINE 448

struct tw_log {
    const struct tw_board *board;
    struct tw_writer w;
    uint8_t line[TW_LOG_LINE];
};

/* Opens a line. `log` may be on the stack. */
void tw_log_begin(struct tw_log *log, const struct tw_board *board, tw_time now, const char *nonce,
                  const char *event);
void tw_log_number(struct tw_log *log, const char *key, uint64_t value);
/* `value` must need no escaping in JSON. */
void tw_log_text(struct tw_log *log, const char *key, const char *value);
void tw_log_address(struct tw_log *log, const char *key, uint32_t address);
void tw_log_end(struct tw_log *log);

#endif
