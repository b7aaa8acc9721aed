#include "backlog.h"

bool tw_backlog_push(struct tw_backlog *backlog, const struct tw_message *message) {
    if (backlog->count == TW_BACKLOG_MAX)
        return false;
    backlog->messages[(backlog->first + backlog->count++) % TW_BACKLOG_MAX] = *message;
    return true;
}

struct tw_message *tw_backlog_first(struct tw_backlog *backlog) {
    return backlog->count ? &backlog->messages[backlog->first] : NULL;
}

void tw_backlog_pop(struct tw_backlog *backlog) {
    backlog->first = (uint16_t)((backlog->first + 1) % TW_BACKLOG_MAX);
    backlog->count--;
}
