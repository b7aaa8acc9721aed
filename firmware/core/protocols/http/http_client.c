#include <string.h>

#include "core/config.h"
#include "core/util/bytes.h"
#include "core/util/emit.h"
#include "http.h"
#include "http_target.h"

/* How long nothing may pass in either direction before a response counts as missing. */
#define RESPONSE_LIMIT TW_SECONDS(10)
#define DEFAULT_PORT 80

void tw_http_client_open(struct tw_http *h, tw_time now) {
    struct tw_http_client *c = &h->as.client;
    (void)now;
    *c = (struct tw_http_client){.open = true, .due = TW_NEVER};
    c->polling = h->config->role == TW_ROLE_SUBSCRIBE;
    tw_http_parser_start(&c->parser, true);
    tw_emit(h->host, TW_EVENT_CONNECTED, 0, NULL);
}

/* Bytes went either way: the response is not late. */
static void progress(struct tw_http_client *c, tw_time now) {
    if (c->waiting)
        c->due = now + RESPONSE_LIMIT;
}

/* A response may come before the request has left as a whole. If the connection stays, the rest has
 * to leave: what follows would be read as its body (RFC 9112 section 9.3). */
static bool sending(const struct tw_http_client *c) {
    return c->open && c->sent < c->size;
}

static void end_request(struct tw_http *h, enum tw_event_type type, const char *reason) {
    struct tw_http_client *c = &h->as.client;
    if (!c->waiting)
        return;
    c->waiting = false;
    c->due = TW_NEVER;
    tw_emit_message(h->host, type, &c->message, reason);
}

static void end_response(struct tw_http *h) {
    struct tw_http_client *c = &h->as.client;
    bool good = c->parser.status / 100 == 2;
    end_request(h, good ? TW_EVENT_ACKED : TW_EVENT_FAILED, good ? NULL : "refused");
}

void tw_http_client_close(struct tw_http *h) {
    struct tw_http_client *c = &h->as.client;
    if (c->open && c->waiting && tw_http_parser_end(&c->parser)) {
        if (c->polling)
            tw_emit_received(h->host, 0, NULL, 0, c->parser.offset, true);
        end_response(h);
    }
    end_request(h, TW_EVENT_FAILED, "connection_lost");
    c->open = false;
    c->due = TW_NEVER;
}

/* The connection cannot be used any further. */
static void error(struct tw_http *h, const char *reason) {
    end_request(h, TW_EVENT_FAILED, reason);
    h->as.client.open = false;
    tw_emit(h->host, TW_EVENT_ERROR, 0, reason);
}

static void on_body(struct tw_http *h, const struct tw_http_item *item) {
    struct tw_http_client *c = &h->as.client;
    if (c->parser.status < 200)
        return; /* an interim response (RFC 9110 section 15.2): the real one follows */
    if (c->polling && c->parser.status / 100 == 2)
        tw_emit_received(h->host, 0, item->data, item->size, item->offset, item->last);
    if (!item->last)
        return;
    end_response(h);
    if (c->parser.close || !h->config->keep_alive) {
        c->open = false;
        tw_emit(h->host, TW_EVENT_CLOSE, 0, "response_complete");
    }
}

void tw_http_client_on_bytes(struct tw_http *h, tw_time now, const uint8_t *data, size_t size) {
    struct tw_http_client *c = &h->as.client;
    struct tw_http_item item = {.kind = TW_HTTP_BODY};
    progress(c, now);
    while (c->open && (size || item.kind != TW_HTTP_MORE)) {
        size_t used = tw_http_parse(&c->parser, data, size, &item);
        data += used;
        size -= used;
        if (item.kind == TW_HTTP_MALFORMED)
            return error(h, "malformed_response");
        if (item.kind == TW_HTTP_HEADERS && !c->waiting)
            return error(h, "unexpected_response");
        if (item.kind == TW_HTTP_BODY)
            on_body(h, &item);
    }
}

enum tw_publish tw_http_client_publish(struct tw_http *h, tw_time now,
                                       const struct tw_message *message) {
    struct tw_http_client *c = &h->as.client;
    if (!c->open || c->waiting || sending(c))
        return TW_BUSY; /* no pipelining: one request at a time */
    c->message = *message;
    c->waiting = true;
    c->sent = 0;
    c->size = UINT32_MAX; /* until it is written */
    progress(c, now);
    return TW_PUBLISHED;
}

void tw_http_client_on_time(struct tw_http *h, tw_time now) {
    if (h->as.client.open && now >= h->as.client.due)
        error(h, "no_response");
}

static void put_host(struct tw_http *h, struct tw_writer *w) {
    tw_put_text(w, "Host: ");
    for (int shift = 24; shift >= 0; shift -= 8) {
        tw_put_decimal(w, h->config->peer >> shift & 255);
        if (shift)
            tw_put8(w, '.');
    }
    if (h->config->port != DEFAULT_PORT) {
        tw_put8(w, ':');
        tw_put_decimal(w, h->config->port);
    }
    tw_put_text(w, "\r\n");
}

bool tw_http_client_output(struct tw_http *h, struct tw_output *out) {
    struct tw_http_client *c = &h->as.client;
    if (!sending(c))
        return false;
    struct tw_writer w = tw_writer(h->scratch, sizeof h->scratch);
    tw_put_text(&w, c->polling ? "GET " : "POST ");
    tw_http_put_target(&w, h->config->topic);
    tw_put_text(&w, " HTTP/1.1\r\n");
    put_host(h, &w);
    if (!h->config->keep_alive)
        tw_put_text(&w, "Connection: close\r\n");
    if (c->polling)
        tw_put_text(&w, "\r\n");
    struct tw_http_text text = {.head = w.used, .size = w.used};
    if (!c->polling)
        text = tw_http_put_body(&w, &c->message, h->config->chunked, false);
    c->size = (uint32_t)text.size;
    return tw_http_piece(h, &text, c->sent, text.size, out);
}

void tw_http_client_accepted(struct tw_http *h, tw_time now, size_t size) {
    h->as.client.sent += (uint32_t)size;
    progress(&h->as.client, now);
}

bool tw_http_client_idle(const struct tw_http *h) {
    return !h->as.client.waiting && !sending(&h->as.client);
}
