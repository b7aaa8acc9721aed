/*
 * Messages made and not yet taken by the engine: first in, first out.
 */
#ifndef TW_BACKLOG_H
#define TW_BACKLOG_H

#include "core/engine.h"

/* Enough for a minute's outage at one message a second. */
#ifndef TW_BACKLOG_MAX
#define TW_BACKLOG_MAX 128
#endif

struct tw_backlog {
    uint16_t first, count;
    struct tw_message messages[TW_BACKLOG_MAX];
};

/* False when full. */
bool tw_backlog_push(struct tw_backlog *backlog, const struct tw_message *message);
/* The oldest message, or NULL. */
struct tw_message *tw_backlog_first(struct tw_backlog *backlog);
void tw_backlog_pop(struct tw_backlog *backlog);

#endif
