#include "websocket.h"

#include <string.h>

#include "core/config.h"
#include "core/protocols/http/http_target.h"
#include "core/util/emit.h"
#include "core/util/random.h"
#include "core/util/sha1.h"

/* How long the handshake, a pong and the answer to Close may take. */
#define ANSWER_LIMIT TW_SECONDS(10)
#define DEFAULT_PORT 80
#define FRAME_OVERHEAD 8 /* header of a frame up to 64 KiB, masking key included */
#define PING_BYTES 10    /* a Ping frame with a sequence number */
#define CONTROL_HEADER 6 /* header of a control frame, masking key included */
#define CLOSE_BYTES 8    /* a Close frame with a status */

enum state { CLOSED, SHAKING, OPEN, CLOSING, DONE };

static const char *init(void *state, const struct tw_setup *setup) {
    struct tw_websocket *s = state;
    s->config = setup->config;
    s->host = setup->host;
    s->random = setup->random;
    s->answer_due = s->ping_due = TW_NEVER;
    if (s->config->role == TW_ROLE_SERVE)
        return "role";
    /* Each fragment costs a header; below this the output buffer would not hold the largest. */
    if (s->config->fragment_bytes && s->config->fragment_bytes < 64)
        return "fragment_bytes";
    return s->config->fragment_bytes ? tw_config_too_large(s->config, TW_SEGMENT_MAX) : NULL;
}

static void error(struct tw_websocket *s, const char *reason) {
    s->state = DONE;
    s->answer_due = s->ping_due = TW_NEVER;
    tw_emit(s->host, TW_EVENT_ERROR, 0, reason);
}

static void put_address(struct tw_writer *w, uint32_t address, uint16_t port) {
    for (int shift = 24; shift >= 0; shift -= 8) {
        tw_put_decimal(w, address >> shift & 255);
        if (shift)
            tw_put8(w, '.');
    }
    if (port != DEFAULT_PORT) {
        tw_put8(w, ':');
        tw_put_decimal(w, port);
    }
}

static void on_open(void *state, tw_time now, uint8_t link) {
    struct tw_websocket *s = state;
    uint8_t nonce[16];
    char key[TW_WS_KEY_TEXT];
    (void)link;
    for (size_t i = 0; i < sizeof nonce; i++)
        nonce[i] = (uint8_t)tw_random_next(s->random);
    tw_base64(nonce, sizeof nonce, key);
    tw_ws_handshake_start(&s->in.handshake, key);
    tw_stream_out_clear(&s->out);
    struct tw_writer w = tw_stream_out_begin(&s->out);
    tw_put_text(&w, "GET ");
    tw_http_put_target(&w, s->config->topic);
    tw_put_text(&w, " HTTP/1.1\r\nHost: ");
    put_address(&w, s->config->peer, s->config->port);
    tw_put_text(&w, "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ");
    tw_put_text(&w, key);
    tw_put_text(&w, "\r\nSec-WebSocket-Version: 13\r\n\r\n");
    tw_stream_out_commit(&s->out, &w);
    s->pinged = s->owes_ping = s->owes_pong = false;
    s->state = SHAKING;
    s->answer_due = now + ANSWER_LIMIT;
}

static void on_close(void *state, tw_time now, uint8_t link) {
    struct tw_websocket *s = state;
    (void)now, (void)link;
    s->state = CLOSED;
    s->answer_due = s->ping_due = TW_NEVER;
    tw_stream_out_clear(&s->out);
    tw_emit_all_failed(s->host, &s->inflight, "connection_lost");
}

/* Everything sent or received shows that the connection lives. */
static void alive(struct tw_websocket *s, tw_time now) {
    if (s->state == OPEN && s->config->keepalive_s)
        s->ping_due = now + TW_SECONDS(s->config->keepalive_s);
}

/* An answer, or the frame that asks for it, may be behind a long message: it is not late while
 * bytes go either way. */
static void progress(struct tw_websocket *s, tw_time now) {
    if (s->answer_due != TW_NEVER && s->state != SHAKING)
        s->answer_due = now + ANSWER_LIMIT;
    alive(s, now);
}

static void send_control(struct tw_websocket *s, enum tw_ws_opcode opcode, const uint8_t *data,
                         size_t size) {
    uint32_t key = tw_random_next(s->random);
    struct tw_writer w = tw_stream_out_begin(&s->out);
    tw_ws_put_header(&w, opcode, true, size, key);
    uint8_t *payload = tw_reserve(&w, size);
    if (payload && size) {
        memcpy(payload, data, size);
        tw_ws_mask(payload, size, 0, key);
    }
    tw_stream_out_commit(&s->out, &w);
}

/* Starts or ends the closing handshake with this status (section 7.1.2). */
static void send_close(struct tw_websocket *s, uint16_t status) {
    uint8_t code[2] = {(uint8_t)(status >> 8), (uint8_t)status};
    send_control(s, TW_WS_CLOSE, code, status == TW_WS_NO_STATUS ? 0 : 2);
}

/* The peer broke the protocol: report it, and close (section 7.1.7). */
static void violation(struct tw_websocket *s, uint16_t status) {
    send_close(s, status);
    s->state = DONE;
    s->answer_due = s->ping_due = TW_NEVER;
    tw_emit(s->host, TW_EVENT_CLOSE, 0, status == TW_WS_BAD_DATA ? "bad_data" : "protocol_error");
}

/* Message `seq` has arrived, and so have those before it. */
static void acknowledge(struct tw_websocket *s, uint32_t seq) {
    struct tw_flight *flight = tw_inflight_find(&s->inflight, seq);
    while (flight) {
        struct tw_flight first = s->inflight.flights[0];
        bool done = flight == &s->inflight.flights[0];
        tw_inflight_remove(&s->inflight, &s->inflight.flights[0]);
        tw_emit_message(s->host, TW_EVENT_ACKED, &first.message, NULL);
        flight = done ? NULL : flight - 1;
    }
}

/* A Pong answers the Ping with its payload and all before it (section 5.5.3). */
static void on_pong(struct tw_websocket *s, tw_time now) {
    const struct tw_ws_parser *p = &s->in.parser;
    if (p->control_size == 4) {
        struct tw_reader r = tw_reader(p->control, 4);
        acknowledge(s, tw_get32(&r));
    } else if (!p->control_size && s->pinged) {
        s->pinged = false;
        if (s->covers)
            acknowledge(s, s->covered);
    }
    if (s->state == OPEN) /* else the peer's Close is what is waited for */
        s->answer_due = s->inflight.count ? now + ANSWER_LIMIT : TW_NEVER;
}

/* A Ping that keeps the connection alive. It has no payload, so of several without an answer only
 * the first says which messages an answer covers. */
static void send_ping(struct tw_websocket *s) {
    send_control(s, TW_WS_PING, NULL, 0);
    if (s->pinged)
        return;
    s->pinged = true;
    s->covers = s->inflight.count > 0;
    if (s->covers)
        s->covered = s->inflight.flights[s->inflight.count - 1].id;
}

/* Sends the Pong and the keep-alive's Ping that are due, as far as there is room; a Close always
 * finds some. */
static void send_due(struct tw_websocket *s) {
    size_t room = tw_stream_out_room(&s->out), ping = CONTROL_HEADER + CLOSE_BYTES;
    if (s->state == OPEN && s->owes_pong && room >= CONTROL_HEADER + s->pong_size + ping) {
        s->owes_pong = false;
        send_control(s, TW_WS_PONG, s->pong, s->pong_size);
    }
    if (s->state == OPEN && s->owes_ping && tw_stream_out_room(&s->out) >= ping) {
        s->owes_ping = false;
        send_ping(s);
    }
}

/* Of several Pings that came while there was no room only the last is answered (section 5.5.3). */
static void on_ping(struct tw_websocket *s) {
    s->owes_pong = true;
    s->pong_size = s->in.parser.control_size;
    memcpy(s->pong, s->in.parser.control, s->pong_size);
    send_due(s);
}

/* Status codes that may be on the wire (section 7.4). IANA's registry has three that are younger
 * than the RFC, 1012 to 1014; 1004 is reserved, and 1005, 1006 and 1015 are never sent. */
static bool close_status_allowed(uint16_t status) {
    return (status >= 1000 && status <= 1014 && status != 1004 && status != 1005 &&
            status != 1006) ||
           (status >= 3000 && status <= 4999);
}

static void on_close_frame(struct tw_websocket *s) {
    const struct tw_ws_parser *p = &s->in.parser;
    uint16_t status = TW_WS_NO_STATUS;
    if (p->control_size >= 2) {
        status = (uint16_t)(p->control[0] << 8 | p->control[1]);
        if (!close_status_allowed(status))
            return violation(s, TW_WS_PROTOCOL_ERROR);
    }
    if (s->state == OPEN)
        send_close(s, status);
    const char *reason = s->state == CLOSING ? "finished" : "closed_by_peer";
    s->state = DONE;
    s->answer_due = s->ping_due = TW_NEVER;
    tw_emit(s->host, TW_EVENT_CLOSE, 0, reason);
}

static void on_control(struct tw_websocket *s, tw_time now, uint8_t opcode) {
    if (opcode == TW_WS_CLOSE)
        return on_close_frame(s);
    if (opcode == TW_WS_PONG)
        return on_pong(s, now);
    on_ping(s);
}

static void on_frames(struct tw_websocket *s, tw_time now, const uint8_t *data, size_t size) {
    struct tw_ws_item item;
    do {
        size_t used = tw_ws_parse(&s->in.parser, data, size, &item);
        data += used;
        size -= used;
        if (item.kind == TW_WS_VIOLATION)
            return violation(s, item.close);
        if (item.kind == TW_WS_CONTROL)
            on_control(s, now, item.opcode);
        else if (item.kind == TW_WS_DATA && s->state == OPEN)
            tw_emit_received(s->host, 0, item.data, item.size, item.offset, item.last);
    } while (item.kind != TW_WS_MORE && (s->state == OPEN || s->state == CLOSING));
}

static void on_bytes(void *state, tw_time now, uint8_t link, const struct tw_peer *from,
                     const uint8_t *data, size_t size) {
    struct tw_websocket *s = state;
    (void)link, (void)from;
    for (; s->state == SHAKING && size; data++, size--) {
        enum tw_ws_shake shake = tw_ws_handshake_byte(&s->in.handshake, *data);
        if (shake == TW_WS_SHAKE_REFUSED)
            return error(s, "handshake_refused");
        if (shake == TW_WS_SHAKE_MORE)
            continue;
        s->state = OPEN;
        s->answer_due = TW_NEVER;
        tw_ws_parser_start(&s->in.parser);
        tw_emit(s->host, TW_EVENT_CONNECTED, 0, NULL);
    }
    progress(s, now);
    if (size && (s->state == OPEN || s->state == CLOSING))
        on_frames(s, now, data, size);
}

static void write_masked(const struct tw_body *body, size_t offset, uint8_t *out, size_t size) {
    body->host->payload(body->host->ctx, &body->message, body->first + offset, out, size);
    tw_ws_mask(out, size, offset, body->mask);
}

/* One frame of a message: `size` bytes from `offset`. */
static void put_frame(struct tw_websocket *s, const struct tw_message *message, size_t offset,
                      size_t size) {
    uint32_t key = tw_random_next(s->random);
    struct tw_body body = {.write = write_masked,
                           .host = s->host,
                           .message = *message,
                           .first = offset,
                           .size = size,
                           .mask = key};
    struct tw_writer w = tw_stream_out_begin(&s->out);
    tw_ws_put_header(&w, offset ? TW_WS_CONTINUATION : TW_WS_TEXT, offset + size == message->size,
                     size, key);
    tw_stream_out_commit_message(&s->out, &w, &body);
}

static enum tw_publish publish(void *state, tw_time now, const struct tw_message *message) {
    struct tw_websocket *s = state;
    const struct tw_config *c = s->config;
    bool whole = !c->fragment_bytes || message->size <= c->fragment_bytes;
    size_t step = whole ? message->size : c->fragment_bytes;
    size_t frames = whole ? 1 : (message->size + step - 1) / step;
    size_t limit = c->inflight ? c->inflight : TW_INFLIGHT_MAX;
    if (c->role == TW_ROLE_SUBSCRIBE || message->size > (whole ? TW_PAYLOAD_MAX : TW_SEGMENT_MAX))
        return TW_UNSUPPORTED;
    if (s->state != OPEN)
        return TW_OFFLINE;
    if (!tw_stream_out_takes(&s->out, message->size + frames * FRAME_OVERHEAD,
                             PING_BYTES + TW_WS_CONTROL_MAX + FRAME_OVERHEAD))
        return TW_BUSY;
    if (c->confirmable && !tw_inflight_add(&s->inflight, limit, message->seq, message))
        return TW_BUSY;
    for (size_t frame = 0, offset = 0; frame < frames; frame++, offset += step)
        put_frame(s, message, offset,
                  message->size - offset < step ? message->size - offset : step);
    if (c->confirmable) {
        uint32_t seq = message->seq;
        uint8_t bytes[4] = {(uint8_t)(seq >> 24), (uint8_t)(seq >> 16), (uint8_t)(seq >> 8),
                            (uint8_t)seq};
        send_control(s, TW_WS_PING, bytes, sizeof bytes);
        if (s->answer_due == TW_NEVER)
            s->answer_due = now + ANSWER_LIMIT;
    }
    alive(s, now);
    return TW_PUBLISHED;
}

static void on_time(void *state, tw_time now) {
    struct tw_websocket *s = state;
    if (now >= s->answer_due)
        return error(s, s->state == SHAKING ? "no_handshake" : "no_pong");
    if (s->state == OPEN && now >= s->ping_due) {
        s->owes_ping = true;
        send_due(s);
        alive(s, now);
        if (s->answer_due == TW_NEVER)
            s->answer_due = now + ANSWER_LIMIT;
    }
}

static tw_time deadline(const void *state) {
    const struct tw_websocket *s = state;
    return s->ping_due < s->answer_due ? s->ping_due : s->answer_due;
}

static bool output(void *state, tw_time now, uint8_t link, struct tw_output *out) {
    struct tw_websocket *s = state;
    (void)now, (void)link;
    return tw_stream_out_get(&s->out, out);
}

static void accepted(void *state, tw_time now, uint8_t link, size_t size) {
    struct tw_websocket *s = state;
    (void)link;
    tw_stream_out_accepted(&s->out, size);
    send_due(s);
    if (size > CONTROL_HEADER) /* a Ping alone does not put off the Pong for the one before it */
        progress(s, now);
}

static bool idle(const void *state) {
    const struct tw_websocket *s = state;
    return !s->inflight.count && tw_stream_out_empty(&s->out);
}

static void finish(void *state, tw_time now) {
    struct tw_websocket *s = state;
    s->ping_due = TW_NEVER;
    if (s->state == OPEN) { /* the answer to Close ends the connection */
        send_close(s, TW_WS_NORMAL);
        s->state = CLOSING;
        s->answer_due = now + ANSWER_LIMIT;
    } else if (s->state == SHAKING) {
        s->state = DONE;
        s->answer_due = TW_NEVER;
        tw_emit(s->host, TW_EVENT_CLOSE, 0, "finished");
    }
}

const struct tw_engine tw_websocket_engine = {
    .name = "websocket",
    .transport = TW_STREAM,
    .port = 80,
    .answers = true,
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
