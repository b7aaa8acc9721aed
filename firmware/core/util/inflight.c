#include "inflight.h"

#include <string.h>

struct tw_flight *tw_inflight_add(struct tw_inflight *table, size_t limit, uint32_t id,
                                  const struct tw_message *message) {
    if (table->count >= limit || table->count >= TW_INFLIGHT_MAX)
        return NULL;
    struct tw_flight *flight = &table->flights[table->count++];
    *flight = (struct tw_flight){.message = *message, .due = TW_NEVER, .id = id};
    return flight;
}

struct tw_flight *tw_inflight_find(struct tw_inflight *table, uint32_t id) {
    for (size_t i = 0; i < table->count; i++)
        if (table->flights[i].id == id)
            return &table->flights[i];
    return NULL;
}

uint16_t tw_inflight_new_id(struct tw_inflight *table, uint16_t *next) {
    while (!*next || tw_inflight_find(table, *next))
        ++*next;
    return (*next)++;
}

void tw_inflight_remove(struct tw_inflight *table, struct tw_flight *flight) {
    size_t at = (size_t)(flight - table->flights);
    memmove(flight, flight + 1, (table->count - at - 1) * sizeof *flight);
    table->count--;
}

struct tw_flight *tw_inflight_resend(struct tw_inflight *table) {
    for (size_t i = 0; i < table->count; i++)
        if (table->flights[i].resend)
            return &table->flights[i];
    return NULL;
}

tw_time tw_inflight_due(const struct tw_inflight *table) {
    tw_time due = TW_NEVER;
    for (size_t i = 0; i < table->count; i++)
        due = tw_earlier(due, table->flights[i].due);
    return due;
}
