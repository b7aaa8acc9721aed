#include "log.h"

static void put_key(struct tw_log *log, const char *key) {
    tw_put_text(&log->w, ",\"");
    tw_put_text(&log->w, key);
    tw_put_text(&log->w, "\":");
}

void tw_log_begin(struct tw_log *log, const struct tw_board *board, tw_time now, const char *nonce,
                  const char *event) {
    log->board = board;
    log->w = tw_writer(log->line, sizeof log->line);
    tw_put_text(&log->w, "{\"t\":");
    tw_put_decimal(&log->w, now);
    tw_log_text(log, "nonce", nonce);
    tw_log_text(log, "ev", event);
}

void tw_log_number(struct tw_log *log, const char *key, uint64_t value) {
    put_key(log, key);
    tw_put_decimal(&log->w, value);
}

void tw_log_text(struct tw_log *log, const char *key, const char *value) {
    put_key(log, key);
    tw_put8(&log->w, '"');
    tw_put_text(&log->w, value);
    tw_put8(&log->w, '"');
}

void tw_log_address(struct tw_log *log, const char *key, uint32_t address) {
    put_key(log, key);
    tw_put8(&log->w, '"');
    for (int shift = 24; shift >= 0; shift -= 8) {
        tw_put_decimal(&log->w, address >> shift & 255);
        tw_put8(&log->w, shift ? '.' : '"');
    }
}

void tw_log_end(struct tw_log *log) {
    tw_put8(&log->w, '}');
    tw_put8(&log->w, '\n');
    if (!log->w.bad)
        log->board->log(log->board->ctx, (const char *)log->line, log->w.used - 1u);
}
