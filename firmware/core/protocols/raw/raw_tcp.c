#include "raw_tcp.h"

#include "core/config.h"
#include "core/util/emit.h"

/* The connection is given up when an acknowledgement is not there by then, and no byte has gone
 * either way: a long message may be before it. */
#define ACK_LIMIT TW_SECONDS(30)

static const char *init(void *state, const struct tw_setup *setup) {
    struct tw_raw_tcp *t = state;
    t->config = setup->config;
    t->host = setup->host;
    t->answer_due = TW_NEVER;
    return t->config->role == TW_ROLE_ECHO ? "role" : NULL;
}

static void on_open(void *state, tw_time now, uint8_t link) {
    struct tw_raw_tcp *t = state;
    (void)now;
    t->links[link] = (struct tw_raw_tcp_link){.open = true};
    tw_stream_out_clear(&t->out);
    tw_emit(t->host, TW_EVENT_CONNECTED, link, NULL);
}

static void on_close(void *state, tw_time now, uint8_t link) {
    struct tw_raw_tcp *t = state;
    (void)now;
    t->links[link].open = false;
    t->answer_due = TW_NEVER;
    tw_emit_all_failed(t->host, &t->inflight, "connection_lost");
}

static void error(struct tw_raw_tcp *t, uint8_t link, const char *reason) {
    t->links[link].open = false;
    tw_emit(t->host, TW_EVENT_ERROR, link, reason);
}

static void progress(struct tw_raw_tcp *t, tw_time now) {
    t->answer_due = t->inflight.count ? now + ACK_LIMIT : TW_NEVER;
}

/* The message is complete: acknowledges it if asked to. */
static void end_message(struct tw_raw_tcp *t, uint8_t link) {
    struct tw_raw_tcp_link *l = &t->links[link];
    l->have = 0;
    if (l->header.ack_wanted && !tw_owed_add(&l->owed, l->header.seq))
        error(t, link, "output_full");
}

static void on_header(struct tw_raw_tcp *t, uint8_t link) {
    struct tw_raw_tcp_link *l = &t->links[link];
    if (!tw_raw_get(l->head, &l->header))
        return error(t, link, "malformed_header");
    l->left = l->header.size;
    if (l->header.type == TW_RAW_DATA) {
        if (t->config->role == TW_ROLE_PUBLISH)
            return error(t, link, "unexpected_data");
        if (!l->left) {
            tw_emit_received(t->host, link, NULL, 0, 0, true);
            end_message(t, link);
        }
        return;
    }
    l->have = 0;
    struct tw_flight *flight = tw_inflight_find(&t->inflight, l->header.seq);
    if (!flight)
        return;
    struct tw_message message = flight->message;
    tw_inflight_remove(&t->inflight, flight);
    tw_emit_message(t->host, TW_EVENT_ACKED, &message, NULL);
}

static void on_bytes(void *state, tw_time now, uint8_t link, const struct tw_peer *from,
                     const uint8_t *data, size_t size) {
    struct tw_raw_tcp *t = state;
    struct tw_raw_tcp_link *l = &t->links[link];
    (void)from;
    while (size && l->open) {
        if (l->have < TW_RAW_HEADER_BYTES) {
            l->head[l->have++] = *data++;
            size--;
            if (l->have == TW_RAW_HEADER_BYTES)
                on_header(t, link);
            continue;
        }
        size_t piece = size < l->left ? size : l->left;
        size_t offset = (size_t)(l->header.size - l->left);
        l->left = (uint16_t)(l->left - piece);
        tw_emit_received(t->host, link, data, piece, offset, !l->left);
        data += piece;
        size -= piece;
        if (!l->left)
            end_message(t, link);
    }
    progress(t, now);
}

static enum tw_publish publish(void *state, tw_time now, const struct tw_message *message) {
    struct tw_raw_tcp *t = state;
    const struct tw_config *c = t->config;
    size_t limit = c->inflight ? c->inflight : TW_INFLIGHT_MAX;
    if (c->role != TW_ROLE_PUBLISH || message->size > TW_PAYLOAD_MAX)
        return TW_UNSUPPORTED;
    if (!t->links[0].open)
        return TW_OFFLINE;
    if (!tw_stream_out_takes(&t->out, TW_RAW_HEADER_BYTES + message->size, 0))
        return TW_BUSY;
    if (c->confirmable && !tw_inflight_add(&t->inflight, limit, message->seq, message))
        return TW_BUSY;
    if (t->answer_due == TW_NEVER)
        progress(t, now);
    struct tw_writer w = tw_stream_out_begin(&t->out);
    tw_raw_put(&w, &(struct tw_raw_header){.type = TW_RAW_DATA,
                                           .ack_wanted = c->confirmable,
                                           .size = (uint16_t)message->size,
                                           .seq = message->seq});
    struct tw_body payload = tw_stream_out_plain(t->host, message);
    tw_stream_out_commit_message(&t->out, &w, &payload);
    return TW_PUBLISHED;
}

static tw_time deadline(const void *state) {
    const struct tw_raw_tcp *t = state;
    return t->links[0].open ? t->answer_due : TW_NEVER;
}

static void on_time(void *state, tw_time now) {
    struct tw_raw_tcp *t = state;
    if (now >= deadline(t))
        error(t, 0, "no_response");
}

static bool output(void *state, tw_time now, uint8_t link, struct tw_output *out) {
    struct tw_raw_tcp *t = state;
    struct tw_raw_tcp_link *l = &t->links[link];
    (void)now;
    if (!l->open)
        return false;
    if (t->config->role == TW_ROLE_PUBLISH)
        return tw_stream_out_get(&t->out, out);
    uint32_t seq;
    if (!tw_owed_first(&l->owed, &seq))
        return false;
    struct tw_writer w = tw_writer(t->ack, sizeof t->ack);
    tw_raw_put(&w, &(struct tw_raw_header){.type = TW_RAW_ACK, .seq = seq});
    *out = (struct tw_output){.data = t->ack + l->ack_sent, .size = w.used - l->ack_sent};
    return true;
}

static void accepted(void *state, tw_time now, uint8_t link, size_t size) {
    struct tw_raw_tcp *t = state;
    struct tw_raw_tcp_link *l = &t->links[link];
    if (t->config->role == TW_ROLE_PUBLISH) {
        tw_stream_out_accepted(&t->out, size);
        return progress(t, now);
    }
    l->ack_sent = (uint8_t)(l->ack_sent + size);
    if (l->ack_sent < TW_RAW_HEADER_BYTES)
        return;
    l->ack_sent = 0;
    tw_owed_pop(&l->owed);
}

static bool idle(const void *state) {
    const struct tw_raw_tcp *t = state;
    return !t->inflight.count && tw_stream_out_empty(&t->out);
}

static void finish(void *state, tw_time now) {
    struct tw_raw_tcp *t = state;
    (void)now;
    for (uint8_t link = 0; link < TW_LINKS; link++)
        if (t->links[link].open)
            tw_emit(t->host, TW_EVENT_CLOSE, link, "finished");
}

const struct tw_engine tw_raw_tcp_engine = {
    .name = "tcp",
    .transport = TW_STREAM,
    .port = 7000,
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
