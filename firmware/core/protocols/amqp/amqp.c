#include "amqp.h"

#include <string.h>

#include "amqp_body.h"
#include "amqp_methods.h"
#include "core/config.h"
#include "core/util/emit.h"

/* How long a step of opening or closing may take. */
#define ANSWER_LIMIT TW_SECONDS(10)
/* Method and content header of a publish at their longest. */
#define PUBLISH_OVERHEAD 152
#define CONNECTION_CLASS 10
/* Acknowledgements and heartbeats wait for this much room: what they leave is for Close, and for
 * answers that the server waits for. */
#define CONTROL_ROOM 96u

enum state { CLOSED, STARTING, TUNING, OPENING, PREPARING, READY, CLOSING, DONE };
enum content { NONE, WANT_HEADER, WANT_BODY };
enum stopped { BY_FLOW = 1, BY_BLOCKED = 2 };

static const char *init(void *state, const struct tw_setup *setup) {
    struct tw_amqp *a = state;
    a->config = setup->config;
    a->host = setup->host;
    a->answer_due = a->beat_due = a->silence_due = TW_NEVER;
    return a->config->role > TW_ROLE_SUBSCRIBE ? "role" : NULL;
}

static void stop_timers(struct tw_amqp *a) {
    a->answer_due = a->beat_due = a->silence_due = TW_NEVER;
}

static void end(struct tw_amqp *a, enum tw_event_type type, const char *reason) {
    a->state = DONE;
    stop_timers(a);
    tw_emit(a->host, type, 0, reason);
}

static void error(struct tw_amqp *a, const char *reason) {
    end(a, TW_EVENT_ERROR, reason);
}

/* Close or Close-Ok may be behind a long message: the answer is not late while bytes go either way.
 */
static void progress(struct tw_amqp *a, tw_time now) {
    if (a->state == CLOSING)
        a->answer_due = now + ANSWER_LIMIT;
}

/* ---- writing ---- */

static bool committed(struct tw_amqp *a, tw_time now, bool done) {
    if (!done)
        error(a, "output_full");
    else if (a->beat)
        a->beat_due = now + a->beat / 2;
    return done;
}

static bool commit(struct tw_amqp *a, tw_time now, const struct tw_writer *w) {
    return committed(a, now, tw_stream_out_commit(&a->out, w));
}

/* A method without arguments. */
static void send_plain(struct tw_amqp *a, tw_time now, uint16_t channel, uint32_t method) {
    struct tw_writer w = tw_stream_out_begin(&a->out);
    tw_amqp_end_method(&w, tw_amqp_begin_method(&w, channel, method));
    commit(a, now, &w);
}

/* A method with one byte: a bit, or an empty short string. */
static void send_byte(struct tw_amqp *a, tw_time now, uint32_t method, uint8_t value) {
    struct tw_writer w = tw_stream_out_begin(&a->out);
    size_t start = tw_amqp_begin_method(&w, TW_AMQP_CHANNEL, method);
    tw_put8(&w, value);
    tw_amqp_end_method(&w, start);
    commit(a, now, &w);
}

/* Sends one method that `put` writes. */
static void send(struct tw_amqp *a, tw_time now,
                 void (*put)(struct tw_writer *w, const struct tw_config *config)) {
    struct tw_writer w = tw_stream_out_begin(&a->out);
    put(&w, a->config);
    commit(a, now, &w);
}

/* Agrees to what the server proposed, as far as it goes together with our limits. */
static void send_tune_ok(struct tw_amqp *a, tw_time now, uint16_t heartbeat) {
    uint16_t ours = a->config->keepalive_s;
    if (!heartbeat || (ours && ours < heartbeat))
        heartbeat = ours;
    a->beat = TW_SECONDS(heartbeat);
    a->silence_due = heartbeat ? now + 2 * a->beat : TW_NEVER;
    struct tw_writer w = tw_stream_out_begin(&a->out);
    tw_amqp_put_tune_ok(&w, heartbeat);
    tw_amqp_put_open(&w);
    commit(a, now, &w);
}

/* Acknowledges all deliveries that wait for it, by one method, when there is room. */
static void send_ack(struct tw_amqp *a, tw_time now) {
    if (a->state != READY || !a->owed || tw_stream_out_room(&a->out) < CONTROL_ROOM)
        return;
    struct tw_writer w = tw_stream_out_begin(&a->out);
    tw_amqp_put_ack(&w, a->owed_tag, a->owed > 1);
    a->owed = 0;
    commit(a, now, &w);
}

static void send_heartbeat(struct tw_amqp *a, tw_time now) {
    a->beat_due = now + a->beat / 2;
    if (tw_stream_out_room(&a->out) >= CONTROL_ROOM)
        send(a, now, tw_amqp_put_heartbeat); /* else what waits to leave shows life, too (4.2.7) */
}

/* Ends the connection from our side. */
static void send_close(struct tw_amqp *a, tw_time now) {
    a->state = CLOSING;
    a->beat_due = TW_NEVER;
    a->answer_due = now + ANSWER_LIMIT;
    send(a, now, tw_amqp_put_close);
}

/* Basic.Publish with its content, all or nothing. */
static bool send_publish(struct tw_amqp *a, tw_time now, const struct tw_message *message) {
    struct tw_body body = tw_amqp_body(a->host, message);
    if (!tw_stream_out_takes(&a->out, PUBLISH_OVERHEAD + body.size, TW_STREAM_OUT_RESERVE))
        return false;
    struct tw_writer w = tw_stream_out_begin(&a->out);
    tw_amqp_put_publish(&w, a->config, message->size);
    return committed(a, now, tw_stream_out_commit_message(&a->out, &w, &body));
}

/* Publishes again, oldest first, what the last connection left unconfirmed. */
static void resend(struct tw_amqp *a, tw_time now) {
    struct tw_flight *flight;
    while (a->state == READY && !a->stopped && (flight = tw_inflight_resend(&a->inflight)) &&
           send_publish(a, now, &flight->message)) {
        flight->resend = false;
        flight->id = a->next_tag++;
        tw_emit_message(a->host, TW_EVENT_RETRANSMITTED, &flight->message, NULL);
    }
}

/* ---- reading ---- */

static void become_ready(struct tw_amqp *a, tw_time now) {
    a->state = READY;
    a->answer_due = TW_NEVER;
    a->next_tag = 1; /* tags count from Confirm.Select on */
    for (size_t i = 0; i < a->inflight.count; i++) {
        a->inflight.flights[i].resend = true;
        a->inflight.flights[i].id = 0;
    }
    tw_emit(a->host, TW_EVENT_CONNECTED, 0, NULL);
    resend(a, now);
}

/* Basic.Ack and Basic.Nack: one tag, or all up to it; tag 0 with multiple: all so far. */
static void on_confirm(struct tw_amqp *a, tw_time now, struct tw_reader *r, bool good) {
    uint64_t tag = tw_get64(r);
    bool multiple = tw_get8(r) & 1;
    if (r->bad)
        return error(a, "malformed_frame");
    if (multiple && !tag)
        tag = UINT64_MAX;
    for (size_t i = 0; i < a->inflight.count;) {
        struct tw_flight *flight = &a->inflight.flights[i];
        if (flight->resend || !(flight->id == tag || (multiple && flight->id <= tag))) {
            i++;
            continue;
        }
        struct tw_message message = flight->message;
        tw_inflight_remove(&a->inflight, flight);
        tw_emit_message(a->host, good ? TW_EVENT_ACKED : TW_EVENT_FAILED, &message,
                        good ? NULL : "refused");
    }
    resend(a, now);
}

static void on_deliver(struct tw_amqp *a, struct tw_reader *r) {
    tw_take(r, tw_get8(r)); /* consumer tag */
    a->delivery_tag = tw_get64(r);
    if (r->bad)
        return error(a, "malformed_frame");
    a->delivery = true;
    a->content = WANT_HEADER;
}

static void on_flow(struct tw_amqp *a, tw_time now, bool active) {
    a->stopped = (uint8_t)(active ? a->stopped & ~BY_FLOW : a->stopped | BY_FLOW);
    send_byte(a, now, TW_AMQP_CHANNEL_FLOW_OK, active);
    resend(a, now);
}

/* The queue is gone, or its server: the next connection declares it anew. */
static void on_cancel(struct tw_amqp *a, tw_time now, struct tw_reader *r) {
    size_t size = tw_get8(r);
    const uint8_t *tag = tw_take(r, size);
    bool no_wait = tw_get8(r) & 1;
    if (r->bad || a->config->role != TW_ROLE_SUBSCRIBE)
        return error(a, r->bad ? "malformed_frame" : "unexpected_method");
    if (!no_wait) {
        struct tw_writer w = tw_stream_out_begin(&a->out);
        tw_amqp_put_cancel_ok(&w, tag, size);
        commit(a, now, &w);
    }
    send_close(a, now);
}

/* The answers to what was asked while opening, each leading to the next step. */
static bool on_opening(struct tw_amqp *a, tw_time now, uint32_t method, struct tw_reader *r) {
    bool consumes = a->config->role == TW_ROLE_SUBSCRIBE;
    a->answer_due = now + ANSWER_LIMIT;
    switch (method) {
    case TW_AMQP_CONNECTION_START:
        if (a->state != STARTING)
            return false;
        a->state = TUNING;
        send(a, now, tw_amqp_put_start_ok);
        return true;
    case TW_AMQP_CONNECTION_TUNE:
        if (a->state != TUNING)
            return false;
        a->state = OPENING;
        tw_take(r, 6); /* channel-max, frame-max: ours are the smallest allowed */
        send_tune_ok(a, now, tw_get16(r));
        return !r->bad;
    case TW_AMQP_CONNECTION_OPEN_OK:
        if (a->state != OPENING)
            return false;
        a->state = PREPARING;
        send_byte(a, now, TW_AMQP_CHANNEL_OPEN, 0);
        return true;
    default:
        break;
    }
    if (a->state != PREPARING)
        return false;
    switch (method) {
    case TW_AMQP_CHANNEL_OPEN_OK:
        send(a, now, tw_amqp_put_declare);
        return true;
    case TW_AMQP_QUEUE_DECLARE_OK:
        if (consumes)
            send(a, now, tw_amqp_put_qos);
        else if (a->config->confirmable)
            send_byte(a, now, TW_AMQP_CONFIRM_SELECT, 0);
        else
            become_ready(a, now);
        return true;
    case TW_AMQP_BASIC_QOS_OK:
        send(a, now, tw_amqp_put_consume);
        return true;
    case TW_AMQP_BASIC_CONSUME_OK:
    case TW_AMQP_CONFIRM_SELECT_OK:
        become_ready(a, now);
        return true;
    default:
        return false;
    }
}

static void on_method(struct tw_amqp *a, tw_time now, struct tw_reader *r) {
    uint32_t method = tw_get32(r);
    switch (method) {
    case TW_AMQP_CONNECTION_CLOSE:
        send_plain(a, now, 0, TW_AMQP_CONNECTION_CLOSE_OK);
        return end(a, TW_EVENT_CLOSE, "closed_by_server");
    case TW_AMQP_CHANNEL_CLOSE: /* the connection is of no use without its channel */
        send_plain(a, now, TW_AMQP_CHANNEL, TW_AMQP_CHANNEL_CLOSE_OK);
        return send_close(a, now);
    case TW_AMQP_CONNECTION_CLOSE_OK:
        return end(a, TW_EVENT_CLOSE, "finished");
    case TW_AMQP_CONNECTION_BLOCKED:
        a->stopped |= BY_BLOCKED;
        return;
    case TW_AMQP_CONNECTION_UNBLOCKED:
        a->stopped &= (uint8_t)~BY_BLOCKED;
        return resend(a, now);
    }
    if (a->state == CLOSING)
        return; /* whatever else arrives is discarded (method Connection.Close) */
    if (a->state != READY) {
        if (!on_opening(a, now, method, r) && a->state != DONE)
            error(a, "unexpected_method");
        return;
    }
    switch (method) {
    case TW_AMQP_BASIC_ACK:
    case TW_AMQP_BASIC_NACK:
        return on_confirm(a, now, r, method == TW_AMQP_BASIC_ACK);
    case TW_AMQP_BASIC_DELIVER:
        return on_deliver(a, r);
    case TW_AMQP_BASIC_RETURN:
        a->delivery = false;
        a->content = WANT_HEADER;
        return;
    case TW_AMQP_BASIC_CANCEL:
        return on_cancel(a, now, r);
    case TW_AMQP_CHANNEL_FLOW:
        return on_flow(a, now, tw_get8(r) & 1);
    default:
        error(a, "unexpected_method");
    }
}

static void end_content(struct tw_amqp *a, tw_time now) {
    a->content = NONE;
    if (!a->delivery || !a->config->confirmable)
        return;
    a->owed = a->owed ? 2 : 1; /* several, or one */
    a->owed_tag = a->delivery_tag;
    send_ack(a, now);
}

static void on_content_header(struct tw_amqp *a, tw_time now, struct tw_reader *r) {
    bool basic = tw_get16(r) == TW_AMQP_BASIC; /* as the method before it (section 4.2.6.1) */
    tw_get16(r);                               /* weight */
    a->body_left = tw_get64(r);
    a->body_offset = 0;
    if (r->bad || !basic || a->content != WANT_HEADER)
        return error(a, "unexpected_content");
    a->content = WANT_BODY;
    if (a->body_left)
        return;
    if (a->delivery)
        tw_emit_received(a->host, 0, NULL, 0, 0, true);
    end_content(a, now);
}

static void on_body(struct tw_amqp *a, tw_time now, const struct tw_amqp_item *item) {
    if (a->content != WANT_BODY || item->size > a->body_left)
        return error(a, "unexpected_content");
    a->body_left -= item->size;
    if (a->delivery)
        tw_emit_received(a->host, 0, item->data, item->size, a->body_offset, !a->body_left);
    a->body_offset += (uint32_t)item->size;
    if (!a->body_left)
        end_content(a, now);
}

/* Methods of the class connection and heartbeats are on channel 0, all else on ours (sections 4.2.3
 * and 4.2.7). */
static bool on_its_channel(const struct tw_amqp *a, const struct tw_amqp_item *item) {
    struct tw_reader r = tw_reader(a->parser.kept, a->parser.kept_size);
    bool global = item->type == TW_AMQP_HEARTBEAT ||
                  (item->type == TW_AMQP_METHOD && tw_get16(&r) == CONNECTION_CLASS);
    return item->channel == (global ? 0 : TW_AMQP_CHANNEL);
}

static void on_frame(struct tw_amqp *a, tw_time now, const struct tw_amqp_item *item) {
    struct tw_reader r = tw_reader(a->parser.kept, a->parser.kept_size);
    if (item->type == TW_AMQP_METHOD) {
        if (item->channel == TW_AMQP_CHANNEL)
            a->content = NONE; /* a method ends the content of its channel (section 4.2.6) */
        on_method(a, now, &r);
    } else if (item->type == TW_AMQP_HEADER && a->state == READY) {
        on_content_header(a, now, &r);
    }
}

static void on_bytes(void *state, tw_time now, uint8_t link, const struct tw_peer *from,
                     const uint8_t *data, size_t size) {
    struct tw_amqp *a = state;
    struct tw_amqp_item item = {.kind = TW_AMQP_MORE};
    (void)link, (void)from;
    if (a->beat)
        a->silence_due = now + 2 * a->beat;
    progress(a, now);
    while (size && a->state != CLOSED && a->state != DONE) {
        size_t used = tw_amqp_parse(&a->parser, data, size, &item);
        data += used;
        size -= used;
        if (item.kind == TW_AMQP_BAD)
            return error(a, "malformed_frame");
        if (item.kind != TW_AMQP_MORE && !on_its_channel(a, &item))
            return error(a, "wrong_channel");
        if (item.kind == TW_AMQP_FRAME)
            on_frame(a, now, &item);
        else if (item.kind == TW_AMQP_PIECE && a->state == READY)
            on_body(a, now, &item);
    }
}

/* ---- the seam ---- */

static void on_open(void *state, tw_time now, uint8_t link) {
    struct tw_amqp *a = state;
    (void)link;
    tw_amqp_parser_start(&a->parser);
    tw_stream_out_clear(&a->out);
    a->state = STARTING;
    a->content = NONE;
    a->stopped = a->owed = 0;
    a->beat = 0;
    a->answer_due = now + ANSWER_LIMIT;
    struct tw_writer w = tw_stream_out_begin(&a->out);
    tw_put(&w, "AMQP\0\0\11\1", 8); /* protocol header 0-9-1 */
    commit(a, now, &w);
}

static void on_close(void *state, tw_time now, uint8_t link) {
    struct tw_amqp *a = state;
    (void)now, (void)link;
    a->state = CLOSED;
    stop_timers(a);
    tw_stream_out_clear(&a->out);
    if (a->config->clean)
        tw_emit_all_failed(a->host, &a->inflight, "connection_lost");
}

static enum tw_publish publish(void *state, tw_time now, const struct tw_message *message) {
    struct tw_amqp *a = state;
    const struct tw_config *c = a->config;
    size_t limit = c->inflight ? c->inflight : TW_INFLIGHT_MAX;
    if (c->role != TW_ROLE_PUBLISH || message->size > TW_PAYLOAD_MAX)
        return TW_UNSUPPORTED;
    if (a->state != READY)
        return c->confirmable ? TW_BUSY : TW_OFFLINE;
    if (a->stopped || tw_inflight_resend(&a->inflight))
        return TW_BUSY;
    if (!c->confirmable)
        return send_publish(a, now, message) ? TW_PUBLISHED : TW_BUSY;
    struct tw_flight *flight = tw_inflight_add(&a->inflight, limit, a->next_tag, message);
    if (!flight)
        return TW_BUSY;
    if (!send_publish(a, now, message)) {
        tw_inflight_remove(&a->inflight, flight);
        return TW_BUSY;
    }
    a->next_tag++;
    return TW_PUBLISHED;
}

static void on_time(void *state, tw_time now) {
    struct tw_amqp *a = state;
    if (now >= a->answer_due)
        return error(a, "no_answer");
    if (now >= a->silence_due)
        return error(a, "no_heartbeat");
    if (now >= a->beat_due)
        send_heartbeat(a, now);
}

static tw_time deadline(const void *state) {
    const struct tw_amqp *a = state;
    tw_time due = a->answer_due < a->silence_due ? a->answer_due : a->silence_due;
    return a->beat_due < due ? a->beat_due : due;
}

static bool output(void *state, tw_time now, uint8_t link, struct tw_output *out) {
    struct tw_amqp *a = state;
    (void)now, (void)link;
    return tw_stream_out_get(&a->out, out);
}

static void accepted(void *state, tw_time now, uint8_t link, size_t size) {
    struct tw_amqp *a = state;
    (void)link;
    tw_stream_out_accepted(&a->out, size);
    progress(a, now);
    send_ack(a, now);
    resend(a, now);
}

static bool idle(const void *state) {
    const struct tw_amqp *a = state;
    return !a->inflight.count && tw_stream_out_empty(&a->out);
}

static void finish(void *state, tw_time now) {
    struct tw_amqp *a = state;
    if (a->state == CLOSED || a->state == DONE)
        return;
    if (a->state < PREPARING)
        return end(a, TW_EVENT_CLOSE, "finished");
    send_close(a, now);
}

const struct tw_engine tw_amqp_engine = {
    .name = "amqp",
    .transport = TW_STREAM,
    .port = 5672,
    .init = init,
    .on_open = on_open,
    .on_close = on_close,
    .on_bytes = on_bytes,
    .publish = publish,
    .on_time = on_time,
    .deadline = deadline,
    .output = output,
    .accepted = accepted,
    .idle = idle,
    .finish = finish,
};
