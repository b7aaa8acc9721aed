#include "emit.h"

#include "inflight.h"

void tw_emit(const struct tw_host *host, enum tw_event_type type, uint8_t link,
             const char *reason) {
    host->event(host->ctx, &(struct tw_event){.type = type, .link = link, .reason = reason});
}

void tw_emit_message(const struct tw_host *host, enum tw_event_type type,
                     const struct tw_message *message, const char *reason) {
    host->event(host->ctx, &(struct tw_event){.type = type, .reason = reason, .message = *message});
}

void tw_emit_received(const struct tw_host *host, uint8_t link, const uint8_t *data, size_t size,
                      size_t offset, bool last) {
    host->event(host->ctx, &(struct tw_event){.type = TW_EVENT_RECEIVED,
                                              .link = link,
                                              .data = data,
                                              .size = size,
                                              .offset = offset,
                                              .last = last});
}

void tw_emit_all_failed(const struct tw_host *host, struct tw_inflight *table, const char *reason) {
    for (size_t i = 0; i < table->count; i++)
        tw_emit_message(host, TW_EVENT_FAILED, &table->flights[i].message, reason);
    table->count = 0;
}
