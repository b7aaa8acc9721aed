/*
 * Short forms of the events that every engine raises.
 */
#ifndef TW_EMIT_H
#define TW_EMIT_H

#include "core/engine.h"

void tw_emit(const struct tw_host *host, enum tw_event_type type, uint8_t link, const char *reason);
void tw_emit_message(const struct tw_host *host, enum tw_event_type type,
                     const struct tw_message *message, const char *reason);
void tw_emit_received(const struct tw_host *host, uint8_t link, const uint8_t *data, size_t size,
                      size_t offset, bool last);
/* Reports every message of `table` FAILED and empties it. */
struct tw_inflight;
void tw_emit_all_failed(const struct tw_host *host, struct tw_inflight *table, const char *reason);

#endif
