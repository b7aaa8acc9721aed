/*
 * Messages sent and not yet acknowledged, oldest first.
 */
#ifndef TW_INFLIGHT_H
#define TW_INFLIGHT_H

#include "core/engine.h"

#ifndef TW_INFLIGHT_MAX
#define TW_INFLIGHT_MAX 16
#endif

struct tw_flight {
    struct tw_message message;
    tw_time due;      /* next retransmission or time limit */
    uint32_t id;      /* packet identifier, message id, delivery tag, token... */
    uint8_t state;    /* the engine's own */
    uint8_t attempts; /* retransmissions so far */
    bool resend;      /* wants to be sent (again) as soon as there is room */
};

struct tw_inflight {
    uint8_t count;
    struct tw_flight flights[TW_INFLIGHT_MAX];
};

/* The new flight, zeroed but for message and id; NULL when `limit` (or the table) is reached. */
struct tw_flight *tw_inflight_add(struct tw_inflight *table, size_t limit, uint32_t id,
                                  const struct tw_message *message);
struct tw_flight *tw_inflight_find(struct tw_inflight *table, uint32_t id);
/* An identifier of 16 bits, not 0, that no flight has: the first from `*next` on, which then is the
 * one after it. */
uint16_t tw_inflight_new_id(struct tw_inflight *table, uint16_t *next);
void tw_inflight_remove(struct tw_inflight *table, struct tw_flight *flight);
/* The oldest flight with `resend` set, or NULL. */
struct tw_flight *tw_inflight_resend(struct tw_inflight *table);
/* The earliest `due`, or TW_NEVER. */
tw_time tw_inflight_due(const struct tw_inflight *table);

#endif
