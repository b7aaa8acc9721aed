#include "app_state.h"

#include <string.h>

/* ---- log ---- */

void tw_app_log_begin(struct tw_app *app, struct tw_log *log, const char *event) {
    tw_log_begin(log, app->board, app->now, app->config.nonce, event);
}

void tw_app_log_reason(struct tw_app *app, const char *event, const char *reason) {
    struct tw_log log;
    tw_app_log_begin(app, &log, event);
    tw_log_text(&log, "reason", reason);
    tw_log_end(&log);
}

void tw_app_log_number(struct tw_app *app, const char *event, const char *key, uint64_t value) {
    struct tw_log log;
    tw_app_log_begin(app, &log, event);
    tw_log_number(&log, key, value);
    tw_log_end(&log);
}

void tw_app_log_failed(struct tw_app *app, uint32_t seq, const char *reason) {
    struct tw_log log;
    app->count.failed++;
    tw_app_log_begin(app, &log, "failed");
    tw_log_number(&log, "seq", seq);
    tw_log_text(&log, "reason", reason);
    tw_log_end(&log);
}

static void log_counters(struct tw_app *app, struct tw_log *log) {
    tw_log_number(log, "sent", app->count.sent);
    tw_log_number(log, "acked", app->count.acked);
    tw_log_number(log, "received", app->count.received);
    tw_log_number(log, "failed", app->count.failed);
}

void tw_app_log_stat(struct tw_app *app) {
    struct tw_resources resources = {0};
    struct tw_log log;
    app->board->resources(app->board->ctx, &resources);
    tw_app_log_begin(app, &log, "stat");
    log_counters(app, &log);
    tw_log_number(&log, "served", app->count.served);
    tw_log_number(&log, "retransmitted", app->count.retransmitted);
    tw_log_number(&log, "unsent", app->count.unsent);
    tw_log_number(&log, "connects", app->count.connects);
    tw_log_number(&log, "backlog", app->backlog.count);
    tw_log_number(&log, "heap_used", resources.heap_used);
    tw_log_number(&log, "heap_free_min", resources.heap_free_min);
    tw_log_number(&log, "stack_free_min", resources.stack_free_min);
    tw_log_number(&log, "frames_received", resources.frames_received);
    tw_log_number(&log, "frames_sent", resources.frames_sent);
    tw_log_number(&log, "frames_dropped", resources.frames_dropped);
    tw_log_end(&log);
}

void tw_app_log_end(struct tw_app *app) {
    struct tw_log log;
    tw_app_log_begin(app, &log, "end");
    log_counters(app, &log);
    tw_log_end(&log);
}

/* ---- requests and events of the engine ---- */

void tw_app_enqueue(struct tw_app *app, const struct tw_message *message) {
    if (!tw_backlog_push(&app->backlog, message))
        tw_app_log_failed(app, message->seq, "backlog_full");
}

/* The application has a message or a request: it is busy with it. */
static void work(struct tw_app *app) {
    const uint16_t *steps = app->config.processing_steps;
    tw_time from = app->busy_until > app->now ? app->busy_until : app->now;
    uint32_t count = 0, ms = app->config.processing_ms;
    while (count < TW_PROCESSING_MAX && steps[count])
        count++;
    if (count) { /* no number is drawn where there is no choice */
        uint32_t drawn = tw_random_below(&app->random, count + 1u);
        ms = drawn ? steps[drawn - 1u] : ms;
    }
    app->busy_until = from + TW_MS(ms);
}

/* A foreign sender's name as a log can hold it. */
static void make_plain(char *name) {
    for (; *name; name++)
        if (*name <= ' ' || *name > '~' || *name == '"' || *name == '\\')
            *name = '?';
}

static void log_sender(struct tw_log *log, struct tw_payload *payload) {
    if (!payload->known)
        return;
    make_plain(payload->id); /* several senders count each by itself */
    tw_log_text(log, "from", payload->id);
    tw_log_number(log, "seq", payload->seq);
}

/* The peer's answer is complete: it acknowledges the message. */
static void on_answer(struct tw_app *app) {
    struct turn turn = app->turn;
    struct tw_log log;
    tw_time complete = app->board->now_us(app->board->ctx);
    app->turn = (struct turn){0};
    app->count.acked++;
    tw_schedule_answered(&app->schedule, complete);
    tw_app_log_begin(app, &log, "acked");
    tw_log_number(&log, "seq", turn.seq);
    tw_log_number(&log, "bytes", turn.size);
    tw_log_number(&log, "rtt_us", complete - turn.asked);
    tw_log_number(&log, "call_us", turn.handed - turn.asked);
    tw_log_number(&log, "read_us", complete - turn.heard);
#ifdef TW_LIBRARY
    tw_library_log_exchange(&log);
#endif
    tw_log_end(&log);
}

/* The peer's message is complete: it is answered first and logged then. */
static void on_question(struct tw_app *app, const struct tw_payload *payload, size_t bytes,
                        tw_time complete) {
    size_t size = app->config.empty_answers ? 0 : bytes;
    tw_app_log_heard(app);
    app->heard = (struct heard){.waits = true,
                                .payload = *payload,
                                .bytes = bytes,
                                .at = complete,
                                .read_us = complete - app->turn.heard,
                                .call_us = app->turn.handed - app->turn.asked,
                                .rtt_us = complete - app->turn.asked,
                                .in_turn = app->turn.open};
    app->turn = (struct turn){.heard = complete}; /* what else is there came with it */
    tw_app_enqueue(
        app, &(struct tw_message){.seq = payload->known ? payload->seq : app->next_seq++,
                                  .size = (uint32_t)(size < TW_PAYLOAD_MAX ? size : TW_PAYLOAD_MAX),
                                  .created_us = app->now});
}

void tw_app_log_heard(struct tw_app *app) {
    struct heard *heard = &app->heard;
    struct tw_log log;
    if (!heard->waits)
        return;
    heard->waits = false;
    tw_log_begin(&log, app->board, heard->at, app->config.nonce, "received");
    log_sender(&log, &heard->payload);
    tw_log_number(&log, "bytes", heard->bytes);
    tw_log_number(&log, "read_us", heard->read_us);
    if (heard->in_turn) {
        tw_log_number(&log, "call_us", heard->call_us);
        tw_log_number(&log, "rtt_us", heard->rtt_us);
    }
#ifdef TW_LIBRARY
    tw_library_log_exchange(&log);
#endif
    tw_log_end(&log);
}

static void on_received(struct tw_app *app, const struct tw_event *event) {
    uint8_t *head = app->heads[event->link];
    if (event->offset < TW_PAYLOAD_HEAD && event->size) {
        size_t room = TW_PAYLOAD_HEAD - event->offset;
        memcpy(head + event->offset, event->data, event->size < room ? event->size : room);
    }
    if (!event->last)
        return;
    size_t bytes = event->offset + event->size;
    struct tw_payload payload;
    struct tw_log log;
#ifdef TW_LIBRARY
    if (!app->turn.heard) /* a library reads when it likes, too */
        app->turn.heard = app->now;
#endif
    if (app->config.pace == TW_PACE_ANSWER && app->turn.open)
        return on_answer(app);
    tw_time complete = app->takes_turns ? app->board->now_us(app->board->ctx) : app->now;
    tw_payload_read(head, bytes < TW_PAYLOAD_HEAD ? bytes : TW_PAYLOAD_HEAD, &payload);
    app->count.received++;
    if (app->config.role == TW_ROLE_ECHO)
        return on_question(app, &payload, bytes, complete);
    tw_app_log_begin(app, &log, "received");
    log_sender(&log, &payload);
    tw_log_number(&log, "bytes", bytes);
    if (payload.created_us && payload.created_us <= app->now && !strcmp(payload.id, app->config.id))
        tw_log_number(&log, "rtt_us", app->now - payload.created_us); /* our own, come back */
    tw_log_end(&log);
}

static void on_acked(struct tw_app *app, const struct tw_message *message) {
    struct tw_log log;
    app->count.acked++;
    tw_app_log_begin(app, &log, "acked");
    tw_log_number(&log, "seq", message->seq);
    tw_log_number(&log, "rtt_us", app->now - message->sent_us);
    tw_log_end(&log);
}

static void on_event(void *ctx, const struct tw_event *event) {
    struct tw_app *app = ctx;
    uint32_t bit = UINT32_C(1) << event->link;
    switch (event->type) {
    case TW_EVENT_CONNECTED:
        if (app->config.pace == TW_PACE_ANSWER && app->turn.open) {
            tw_app_log_failed(app, app->turn.seq, "connection_lost");
            tw_schedule_answered(&app->schedule, app->now);
        }
        app->turn = (struct turn){0}; /* what came until here was the session's */
        app->retry_pause = TW_RETRY_FIRST;
        if (!app->count.connects) /* no message is made for a session that never was */
            tw_schedule_postpone(&app->schedule, app->now);
        tw_app_log_number(app, "connected", "n", ++app->count.connects);
        break;
    case TW_EVENT_ACKED:
        on_acked(app, &event->message);
        break;
    case TW_EVENT_FAILED:
        tw_app_log_failed(app, event->message.seq, event->reason);
        break;
    case TW_EVENT_RETRANSMITTED:
        app->count.retransmitted++;
        break;
    case TW_EVENT_RECEIVED:
        on_received(app, event);
        if (event->last)
            work(app);
        break;
    case TW_EVENT_SERVED:
        app->count.served++;
        work(app);
        tw_app_log_number(app, "sent", "seq", event->message.seq);
        break;
    case TW_EVENT_CLOSE:
        if (app->open_links & ~app->closing_links & bit && app->config.role != TW_ROLE_SERVE)
            tw_app_log_reason(app, "disconnected", event->reason);
        app->closing_links |= bit;
        break;
    case TW_EVENT_ERROR:
        tw_app_log_reason(app, "disconnected", event->reason);
        app->broken_links |= bit;
        break;
    }
}

static void on_payload(void *ctx, const struct tw_message *message, size_t offset, uint8_t *out,
                       size_t size) {
    struct tw_app *app = ctx;
    tw_payload_write(app->config.id, message, offset, out, size);
}

void tw_app_make(void *ctx, tw_time now, struct tw_message *message) {
    struct tw_app *app = ctx;
    uint32_t seq = app->next_seq++;
    *message = (struct tw_message){.seq = seq,
                                   .size = tw_payload_bytes(&app->config, seq - 1),
                                   .created_us = now,
                                   .sent_us = now};
}

#ifdef TW_OSCORE
static bool on_recall(void *ctx, void *out, size_t size) {
    uint8_t kept[TW_KEPT_BYTES];
    (void)ctx;
    if (size > sizeof kept || !tw_board_recall_engine(kept))
        return false;
    memcpy(out, kept, size);
    return true;
}

static void on_keep(void *ctx, const void *data, size_t size) {
    uint8_t kept[TW_KEPT_BYTES] = {0};
    (void)ctx;
    memcpy(kept, data, size < sizeof kept ? size : sizeof kept);
    tw_board_keep_engine(kept);
}

static bool on_random(void *ctx, uint8_t *out, size_t size) {
    (void)ctx;
    return tw_board_random(out, size);
}
#endif

struct tw_host tw_app_host(struct tw_app *app) {
    return (struct tw_host){
        .ctx = app,
        .event = on_event,
        .payload = on_payload,
        .make = tw_app_make,
#ifdef TW_OSCORE
        .recall = on_recall,
        .keep = on_keep,
        .random = on_random,
#endif
    };
}
