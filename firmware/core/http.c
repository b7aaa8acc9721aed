#include "http.h"

#include <string.h>

#include "bytes.h"
#include "config.h"
#include "emit.h"

static bool serves(const struct tw_http *h) {
    return h->config->role == TW_ROLE_SERVE;
}

void tw_http_put_body(struct tw_http *h, struct tw_writer *w, const struct tw_message *message,
                      bool head) {
    bool chunked = h->config->chunked;
    uint32_t size = message->size;
    tw_put_text(w, "Content-Type: text/plain\r\n");
    if (chunked) {
        tw_put_text(w, "Transfer-Encoding: chunked\r\n\r\n");
    } else {
        tw_put_text(w, "Content-Length: ");
        tw_put_decimal(w, size);
        tw_put_text(w, "\r\n\r\n");
    }
    if (head)
        return;
    if (chunked) {
        tw_put_hex(w, size);
        tw_put_text(w, "\r\n");
    }
    uint8_t *body = tw_reserve(w, size);
    if (body)
        h->host->payload(h->host->ctx, message, 0, body, size);
    if (chunked)
        tw_put_text(w, "\r\n0\r\n\r\n");
}

bool tw_http_rest(const struct tw_http *h, size_t size, size_t sent, struct tw_output *out) {
    *out = (struct tw_output){.data = h->scratch + sent, .size = size - sent};
    return size > sent;
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
        tw_http_client_on_bytes(h, data, size);
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
        h->as.client.sent += (uint32_t)size;
}

static bool idle(const void *state) {
    const struct tw_http *h = state;
    return serves(h) ? tw_http_server_idle(h) : !h->as.client.waiting;
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
