#include "coap.h"

#include <string.h>

#include "core/config.h"
#include "core/util/emit.h"
#include "core/util/random.h"

static bool serves(const struct tw_coap *c) {
    return c->config->role == TW_ROLE_SERVE;
}

void tw_coap_send_empty(struct tw_coap *c, enum tw_coap_type type, uint16_t mid,
                        const struct tw_peer *to) {
    if (c->empty_count == TW_COAP_EMPTIES) {
        memmove(c->empties, c->empties + 1, sizeof c->empties - sizeof c->empties[0]);
        c->empty_count--;
    }
    c->empties[c->empty_count++] = (struct tw_coap_empty){*to, mid, (uint8_t)type};
}

void tw_coap_start(struct tw_coap *c, tw_time now, struct tw_coap_transmission *out,
                   bool confirmable) {
    *out = (struct tw_coap_transmission){
        .due = TW_NEVER, .mid = c->next_mid++, .send = true, .awaiting = confirmable};
    if (!confirmable)
        return;
    out->timeout_ms =
        TW_COAP_ACK_TIMEOUT_MS + tw_random_below(c->random, TW_COAP_ACK_SPREAD_MS + 1);
    out->due = now + TW_MS(out->timeout_ms);
}

enum tw_coap_due tw_coap_due(struct tw_coap_transmission *out, tw_time now) {
    if (!out->awaiting || now < out->due)
        return TW_COAP_NOT_DUE;
    if (out->attempts == TW_COAP_MAX_RETRANSMIT)
        return TW_COAP_GIVE_UP;
    out->attempts++;
    out->timeout_ms *= 2;
    out->due = now + TW_MS(out->timeout_ms);
    out->send = true;
    return TW_COAP_AGAIN;
}

void tw_coap_stop(struct tw_coap_transmission *out) {
    out->awaiting = out->send = false;
    out->due = TW_NEVER;
}

static bool paced(const struct tw_config *config) {
    return config->role == TW_ROLE_PUBLISH || (config->role == TW_ROLE_SERVE && config->observe) ||
           (config->role == TW_ROLE_SUBSCRIBE && !config->observe);
}

static const char *init(void *state, const struct tw_setup *setup) {
    struct tw_coap *c = state;
    c->config = setup->config;
    c->host = setup->host;
    c->random = setup->random;
    c->next_mid = (uint16_t)tw_random_next(c->random);
    if (c->config->role == TW_ROLE_ECHO)
        return "role";
    if (c->config->block_bytes && c->config->block_bytes < 16)
        return "block_bytes";
    return c->config->block_bytes ? NULL : tw_config_too_large(c->config, TW_SEGMENT_MAX);
}

static void on_open(void *state, tw_time now, uint8_t link) {
    struct tw_coap *c = state;
    (void)link;
    c->open = true;
    c->empty_count = 0;
    if (serves(c))
        tw_emit(c->host, TW_EVENT_CONNECTED, 0, NULL);
    else
        tw_coap_client_open(c, now);
}

static void on_close(void *state, tw_time now, uint8_t link) {
    struct tw_coap *c = state;
    (void)now, (void)link;
    c->open = false;
    if (serves(c))
        memset(&c->as.server, 0, sizeof c->as.server);
    else
        tw_coap_client_close(c);
}

static void on_bytes(void *state, tw_time now, uint8_t link, const struct tw_peer *from,
                     const uint8_t *data, size_t size) {
    struct tw_coap *c = state;
    struct tw_coap_message m;
    (void)link;
    if (!c->open)
        return;
    switch (tw_coap_parse(&m, data, size)) {
    case TW_COAP_IGNORE:
        return;
    case TW_COAP_FORMAT_ERROR: /* sections 4.2 and 4.3 */
        if (m.type == TW_COAP_CON)
            tw_coap_send_empty(c, TW_COAP_RST, m.mid, from);
        return;
    case TW_COAP_OK:
        if (serves(c))
            tw_coap_server_on_message(c, now, from, &m);
        else
            tw_coap_client_on_message(c, now, from, &m);
    }
}

static enum tw_publish publish(void *state, tw_time now, const struct tw_message *message) {
    struct tw_coap *c = state;
    if (message->size > (c->config->block_bytes ? TW_PAYLOAD_MAX : TW_SEGMENT_MAX))
        return TW_UNSUPPORTED;
    if (!c->open)
        return c->config->confirmable ? TW_BUSY : TW_OFFLINE;
    return serves(c) ? tw_coap_server_publish(c, now, message)
                     : tw_coap_client_publish(c, now, message);
}

static void on_time(void *state, tw_time now) {
    struct tw_coap *c = state;
    if (!c->open)
        return;
    if (serves(c))
        tw_coap_server_on_time(c, now);
    else
        tw_coap_client_on_time(c, now);
}

static tw_time deadline(const void *state) {
    const struct tw_coap *c = state;
    if (!c->open)
        return TW_NEVER;
    return serves(c) ? tw_coap_server_deadline(c) : tw_coap_client_deadline(c);
}

static bool output(void *state, tw_time now, uint8_t link, struct tw_output *out) {
    struct tw_coap *c = state;
    (void)now, (void)link;
    *out = (struct tw_output){.data = c->datagram};
    c->sending = NULL;
    if (!c->open)
        return false;
    if (c->empty_count) {
        const struct tw_coap_empty *empty = &c->empties[0];
        struct tw_coap_writer w = tw_coap_begin(c->datagram, sizeof c->datagram, empty->type,
                                                TW_COAP_EMPTY, empty->mid, NULL);
        out->size = w.w.used;
        out->to = empty->to;
        return true;
    }
    out->size = serves(c) ? tw_coap_server_output(c, &out->to) : tw_coap_client_output(c);
    return out->size > 0;
}

static void accepted(void *state, tw_time now, uint8_t link, size_t size) {
    struct tw_coap *c = state;
    (void)now, (void)link, (void)size;
    if (c->sending) {
        c->sending->send = false;
    } else if (c->empty_count) {
        memmove(c->empties, c->empties + 1, sizeof c->empties - sizeof c->empties[0]);
        c->empty_count--;
    }
}

static bool idle(const void *state) {
    const struct tw_coap *c = state;
    return !c->empty_count && (serves(c) ? tw_coap_server_idle(c) : tw_coap_client_idle(c));
}

static void finish(void *state, tw_time now) {
    struct tw_coap *c = state;
    if (!serves(c))
        tw_coap_client_finish(c, now);
    tw_emit(c->host, TW_EVENT_CLOSE, 0, "finished");
}

const struct tw_engine tw_coap_engine = {
    .name = "coap",
    .transport = TW_DATAGRAM,
    .port = 5683,
    .paced = paced,
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
