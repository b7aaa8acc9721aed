#include "http.h"

#include <string.h>

#include "core/config.h"
#include "core/util/bytes.h"
#include "core/util/emit.h"

static bool serves(const struct tw_http *h) {
    return h->config->role == TW_ROLE_SERVE;
}

static const char last_chunk[] = "\r\n0\r\n\r\n";

struct tw_http_text tw_http_put_body(struct tw_writer *w, const struct tw_message *message,
                                     bool chunked, bool fields) {
    tw_put_text(w, "Content-Type: text/plain\r\n");
    if (chunked) {
        tw_put_text(w, "Transfer-Encoding: chunked\r\n\r\n");
    } else {
        tw_put_text(w, "Content-Length: ");
        tw_put_decimal(w, message->size);
        tw_put_text(w, "\r\n\r\n");
    }
    if (fields)
        return (struct tw_http_text){.head = w->used, .size = w->used};
    if (chunked) {
        tw_put_hex(w, message->size);
        tw_put_text(w, "\r\n");
    }
    size_t end = chunked ? sizeof last_chunk - 1 : 0;
    return (struct tw_http_text){w->used, w->used + message->size + end, message};
}

/* Writes the bytes [from, from + size) of what follows the head. */
static void write_body(const struct tw_http *h, const struct tw_message *body, size_t from,
                       uint8_t *out, size_t size) {
    size_t payload = from < body->size ? body->size - from : 0;
    if (payload > size)
        payload = size;
    if (payload)
        h->host->payload(h->host->ctx, body, from, out, payload);
    if (payload < size)
        memcpy(out + payload, last_chunk + (from + payload - body->size), size - payload);
}

bool tw_http_piece(struct tw_http *h, const struct tw_http_text *text, size_t sent, size_t end,
                   struct tw_output *out) {
    if (sent >= end)
        return false;
    bool in_head = sent < text->head;
    size_t filled = in_head ? text->head : 0;  /* bytes that are in the scratch buffer already */
    size_t from = in_head ? text->head : sent; /* where in the text those begin that are not */
    size_t left = end > from ? end - from : 0, room = sizeof h->scratch - filled;
    size_t made = left < room ? left : room;
    if (made)
        write_body(h, text->body, from - text->head, h->scratch + filled, made);
    *out = (struct tw_output){.data = h->scratch + (in_head ? sent : 0),
                              .size = (end < from ? end : from) - sent + made,
                              .more = made < left};
    return true;
}

static const char *init(void *state, const struct tw_setup *setup) {
    struct tw_http *h = state;
    h->config = setup->config;
    h->host = setup->host;
    h->as.client.due = TW_NEVER;
    if (serves(h))
        memset(&h->as, 0, sizeof h->as);
    return h->config->role == TW_ROLE_ECHO ? "role" : NULL;
}

static bool paced(const struct tw_config *config) {
    return config->role == TW_ROLE_PUBLISH || config->role == TW_ROLE_SUBSCRIBE;
}

static bool on_demand(const struct tw_config *config) {
    return config->role != TW_ROLE_SERVE && !config->keep_alive;
}

static void on_open(void *state, tw_time now, uint8_t link) {
    struct tw_http *h = state;
    if (serves(h))
        tw_http_server_open(h, now, link);
    else
        tw_http_client_open(h, now);
}

static void on_close(void *state, tw_time now, uint8_t link) {
    struct tw_http *h = state;
    (void)now;
    if (serves(h))
        h->as.links[link].open = false;
    else
        tw_http_client_close(h);
}

static void on_bytes(void *state, tw_time now, uint8_t link, const struct tw_peer *from,
                     const uint8_t *data, size_t size) {
    struct tw_http *h = state;
    (void)from;
    if (serves(h))
        tw_http_server_on_bytes(h, now, link, data, size);
    else
        tw_http_client_on_bytes(h, now, data, size);
}

static enum tw_publish publish(void *state, tw_time now, const struct tw_message *message) {
    struct tw_http *h = state;
    if (serves(h) || message->size > TW_PAYLOAD_MAX)
        return TW_UNSUPPORTED;
    return tw_http_client_publish(h, now, message);
}

static void on_time(void *state, tw_time now) {
    struct tw_http *h = state;
    if (serves(h))
        tw_http_server_on_time(h, now);
    else
        tw_http_client_on_time(h, now);
}

static tw_time deadline(const void *state) {
    const struct tw_http *h = state;
    return serves(h) ? tw_http_server_deadline(h) : h->as.client.due;
}

static bool output(void *state, tw_time now, uint8_t link, struct tw_output *out) {
    struct tw_http *h = state;
    return serves(h) ? tw_http_server_output(h, now, link, out) : tw_http_client_output(h, out);
}

static void accepted(void *state, tw_time now, uint8_t link, size_t size) {
    struct tw_http *h = state;
    if (serves(h))
        tw_http_server_accepted(h, now, link, size);
    else
        tw_http_client_accepted(h, now, size);
}

static bool idle(const void *state) {
    const struct tw_http *h = state;
    return serves(h) ? tw_http_server_idle(h) : tw_http_client_idle(h);
}

static void finish(void *state, tw_time now) {
    struct tw_http *h = state;
    (void)now;
    for (uint8_t link = 0; link < (serves(h) ? TW_LINKS : 1); link++)
        if (serves(h) ? h->as.links[link].open : h->as.client.open)
            tw_emit(h->host, TW_EVENT_CLOSE, link, "finished");
}

const struct tw_engine tw_http_engine = {
    .name = "http",
    .transport = TW_STREAM,
    .port = 80,
    .paced = paced,
    .on_demand = on_demand,
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
