#include <string.h>

#include "coap.h"
#include "core/config.h"
#include "core/util/emit.h"
#include "core/util/peer.h"

/* An ACK or RST may concern the last notification, or one this many message IDs before it. */
#define LATE_ANSWERS 0x7FFFu
#define WELL_KNOWN "/.well-known/core"

/* ---- requests and their responses ---- */

/* The exchange of a request heard before, or NULL (section 4.5). */
static struct tw_coap_exchange *find_exchange(struct tw_coap_server *server, tw_time now,
                                              const struct tw_peer *peer, uint16_t mid) {
    for (size_t i = 0; i < TW_COAP_EXCHANGES; i++) {
        struct tw_coap_exchange *e = &server->exchanges[i];
        if (e->expires > now && e->mid == mid && tw_same_peer(&e->peer, peer))
            return e;
    }
    return NULL;
}

/* A free slot, or the one that expires first. */
static struct tw_coap_exchange *new_exchange(struct tw_coap_server *server) {
    struct tw_coap_exchange *oldest = &server->exchanges[0];
    for (size_t i = 1; i < TW_COAP_EXCHANGES; i++)
        if (server->exchanges[i].expires < oldest->expires)
            oldest = &server->exchanges[i];
    return oldest;
}

/* The representation of which `peer` is fetching further blocks. */
static bool find_representation(const struct tw_coap_server *server, const struct tw_peer *peer,
                                struct tw_message *message) {
    const struct tw_coap_exchange *latest = NULL;
    for (size_t i = 0; i < TW_COAP_EXCHANGES; i++) {
        const struct tw_coap_exchange *e = &server->exchanges[i];
        if (e->expires && e->message.size && tw_same_peer(&e->peer, peer) &&
            (!latest || e->expires > latest->expires))
            latest = e;
    }
    for (size_t i = 0; i < TW_COAP_OBSERVERS; i++) {
        const struct tw_coap_observer *o = &server->observers[i];
        if (o->used && o->message.size && tw_same_peer(&o->peer, peer) &&
            (!latest || o->message.created_us > latest->message.created_us)) {
            *message = o->message;
            return true;
        }
    }
    if (latest)
        *message = latest->message;
    return latest;
}

static struct tw_coap_observer *find_observer(struct tw_coap_server *server,
                                              const struct tw_peer *peer,
                                              const struct tw_coap_token *token) {
    for (size_t i = 0; i < TW_COAP_OBSERVERS; i++) {
        struct tw_coap_observer *o = &server->observers[i];
        if (o->used && tw_same_peer(&o->peer, peer) &&
            (!token || tw_coap_same_token(&o->token, token)))
            return o;
    }
    return NULL;
}

/* Adds an observer. Without a free slot the request is served without Observe (RFC 7641 section
 * 4.1). */
static bool add_observer(struct tw_coap_server *server, tw_time now, const struct tw_peer *peer,
                         const struct tw_coap_token *token) {
    struct tw_coap_observer *o = find_observer(server, peer, token);
    for (size_t i = 0; !o && i < TW_COAP_OBSERVERS; i++)
        if (!server->observers[i].used)
            o = &server->observers[i];
    if (!o)
        return false;
    *o = (struct tw_coap_observer){
        .peer = *peer, .token = *token, .confirm_at = now + TW_COAP_CONFIRM_WITHIN, .used = true};
    o->out.due = TW_NEVER;
    return true;
}

static void answer_get(struct tw_coap *c, tw_time now, struct tw_coap_exchange *e,
                       const struct tw_coap_message *m) {
    struct tw_coap_server *server = &c->as.server;
    if (m->has_accept && m->accept != TW_COAP_TEXT_PLAIN) {
        e->code = TW_COAP_NOT_ACCEPTABLE;
        return;
    }
    uint8_t szx = tw_coap_szx(c->config->block_bytes ? c->config->block_bytes : 1024);
    bool follows = m->block2.present && m->block2.number;
    e->code = TW_COAP_CONTENT;
    if (!follows || !find_representation(server, &e->peer, &e->message)) {
        c->host->make(c->host->ctx, now, &e->message);
        tw_emit_message(c->host, TW_EVENT_SERVED, &e->message, NULL);
    }
    if (m->has_observe && m->observe == 0 && add_observer(server, now, &e->peer, &m->token)) {
        e->has_observe = true;
        e->observe = ++server->observe_value & 0xFFFFFF;
    } else if (m->has_observe) {
        struct tw_coap_observer *o = find_observer(server, &e->peer, &m->token);
        if (o && m->observe == 1)
            o->used = false;
    }
    e->block2 = m->block2;
    if (!m->block2.present) {
        e->block2.szx = szx;
        e->block2.present = c->config->block_bytes && e->message.size > c->config->block_bytes;
    } else if (szx < e->block2.szx && c->config->block_bytes) {
        e->block2.number <<= e->block2.szx - szx; /* the same bytes in smaller blocks (2.3) */
        e->block2.szx = szx;
    }
    size_t offset = e->block2.number * tw_coap_block_size(&e->block2);
    if (e->block2.present && offset >= e->message.size && e->block2.number) {
        e->code = TW_COAP_BAD_OPTION;
        e->block2.present = false;
    }
    e->block2.more = e->block2.present && offset + tw_coap_block_size(&e->block2) < e->message.size;
}

static void answer_upload(struct tw_coap *c, struct tw_coap_exchange *e,
                          const struct tw_coap_message *m) {
    struct tw_coap_server *server = &c->as.server;
    size_t offset = 0;
    e->code = TW_COAP_CHANGED;
    if (m->block1.present) {
        if (!m->block1.number) {
            server->upload_peer = e->peer;
            server->upload_next = 0;
        }
        offset = m->block1.number * tw_coap_block_size(&m->block1);
        if (!tw_same_peer(&server->upload_peer, &e->peer) || offset != server->upload_next) {
            e->code = TW_COAP_INCOMPLETE; /* RFC 7959 section 2.9.2 */
            return;
        }
        if (m->block1.more && m->payload_size != tw_coap_block_size(&m->block1)) {
            e->code = TW_COAP_BAD_REQUEST;
            return;
        }
        server->upload_next = (uint32_t)(offset + m->payload_size);
        e->block1 = m->block1;
        if (m->block1.more)
            e->code = TW_COAP_CONTINUE;
    }
    tw_emit_received(c->host, 0, m->payload, m->payload_size, offset,
                     !(m->block1.present && m->block1.more));
}

static void answer(struct tw_coap *c, tw_time now, struct tw_coap_exchange *e,
                   const struct tw_coap_message *m) {
    if (m->bad_option) {
        e->code = TW_COAP_BAD_OPTION;
    } else if (m->for_proxy) {
        e->code = TW_COAP_NO_PROXYING; /* section 5.10.2 */
    } else if (m->bad_block) {
        e->code = TW_COAP_BAD_REQUEST;
    } else if (tw_coap_is_path(m, WELL_KNOWN)) {
        e->links = m->code == TW_COAP_GET;
        e->code = e->links ? TW_COAP_CONTENT : TW_COAP_NOT_ALLOWED;
    } else if (!tw_coap_is_path(m, c->config->topic)) {
        e->code = TW_COAP_NOT_FOUND;
    } else if (m->code == TW_COAP_GET) {
        answer_get(c, now, e, m);
    } else if (m->code == TW_COAP_POST || m->code == TW_COAP_PUT) {
        answer_upload(c, e, m);
    } else {
        e->code = TW_COAP_NOT_ALLOWED;
    }
}

static void on_request(struct tw_coap *c, tw_time now, const struct tw_peer *from,
                       const struct tw_coap_message *m) {
    struct tw_coap_server *server = &c->as.server;
    struct tw_coap_exchange *e = find_exchange(server, now, from, m->mid);
    bool separate = m->type == TW_COAP_CON && c->config->separate_ms;
    if (e) { /* a repetition gets the same answer and has no effect */
        if (separate)
            tw_coap_send_empty(c, TW_COAP_ACK, m->mid, from);
        else if (m->type == TW_COAP_CON)
            e->out.send = true;
        return;
    }
    e = new_exchange(server);
    *e = (struct tw_coap_exchange){.peer = *from,
                                   .token = m->token,
                                   .mid = m->mid,
                                   .type = TW_COAP_ACK,
                                   .expires = now + TW_COAP_EXCHANGE_LIFETIME};
    answer(c, now, e, m);
    if (separate) {
        e->type = TW_COAP_CON;
        e->delayed = true;
        e->out = (struct tw_coap_transmission){.due = now + TW_MS(c->config->separate_ms),
                                               .awaiting = true};
        tw_coap_send_empty(c, TW_COAP_ACK, m->mid, from);
    } else if (m->type == TW_COAP_CON) {
        e->out = (struct tw_coap_transmission){.due = TW_NEVER, .mid = m->mid, .send = true};
    } else {
        e->type = TW_COAP_NON;
        tw_coap_start(c, now, &e->out, false);
    }
}

/* ---- notifications ---- */

/* Starts to transmit the newest state. A confirmable notification under way gives its place to it,
 * its retransmission counter and its timer (RFC 7641 section 4.5.2). */
static void transmit(struct tw_coap *c, tw_time now, struct tw_coap_observer *o) {
    struct tw_coap_transmission old = o->out;
    tw_coap_start(c, now, &o->out, old.awaiting || c->config->confirmable || now >= o->confirm_at);
    if (old.awaiting) {
        o->out.attempts = old.attempts;
        o->out.timeout_ms = old.timeout_ms;
        o->out.due = old.due;
    }
    if ((uint16_t)(o->out.mid - o->first_mid) > LATE_ANSWERS)
        o->first_mid = (uint16_t)(o->out.mid - LATE_ANSWERS);
    o->message = o->next;
    o->value = c->as.server.observe_value;
    o->newer = false;
}

/* Notifies an observer of a new state. One confirmable notification is outstanding at a time (RFC
 * 7641 section 4.5.1): meanwhile a state waits, and a newer one replaces it. */
static void notify(struct tw_coap *c, tw_time now, struct tw_coap_observer *o,
                   const struct tw_message *message) {
    if (!o->message.size)
        o->first_mid = c->next_mid;
    if (o->newer || (o->out.send && !o->out.attempts)) /* it has not left once */
        tw_emit_message(c->host, TW_EVENT_FAILED, o->newer ? &o->next : &o->message, "superseded");
    o->next = *message;
    o->newer = true;
    if (!o->out.awaiting || o->out.send)
        transmit(c, now, o);
}

/* The observer whose notification has this message ID: its last one, or an earlier one whose answer
 * is late. If an endpoint observes twice, an earlier ID counts for the older observation, which the
 * client may have forgotten. */
static struct tw_coap_observer *find_notified(struct tw_coap_server *server,
                                              const struct tw_peer *peer, uint16_t mid) {
    struct tw_coap_observer *earlier = NULL;
    for (size_t i = 0; i < TW_COAP_OBSERVERS; i++) {
        struct tw_coap_observer *o = &server->observers[i];
        if (!o->used || !o->message.size || !tw_same_peer(&o->peer, peer))
            continue;
        if (o->out.mid == mid)
            return o;
        uint16_t age = (uint16_t)(o->out.mid - mid);
        if (age <= (uint16_t)(o->out.mid - o->first_mid) &&
            (!earlier || age <= (uint16_t)(o->out.mid - earlier->first_mid)))
            earlier = o;
    }
    return earlier;
}

/* An acknowledgement or reset of a separate response or of a notification. */
static void on_empty(struct tw_coap *c, tw_time now, const struct tw_peer *from,
                     const struct tw_coap_message *m) {
    struct tw_coap_server *server = &c->as.server;
    struct tw_coap_observer *o = NULL;
    for (size_t i = 0; i < TW_COAP_EXCHANGES; i++) {
        struct tw_coap_exchange *e = &server->exchanges[i];
        if (!e->expires || e->type == TW_COAP_ACK || e->delayed || e->out.mid != m->mid ||
            !tw_same_peer(&e->peer, from))
            continue;
        tw_coap_stop(&e->out);
        if (m->type != TW_COAP_RST || !e->has_observe)
            return;
        o = find_observer(server, from, &e->token); /* the first notification is rejected */
    }
    if (!o)
        o = find_notified(server, from, m->mid);
    if (!o)
        return;
    if (m->type == TW_COAP_RST) {
        o->used = false; /* RFC 7641 section 3.6 */
    } else if (o->out.mid == m->mid) {
        tw_coap_stop(&o->out);
        o->confirm_at = now + TW_COAP_CONFIRM_WITHIN;
        if (o->newer)
            transmit(c, now, o);
    } else {
        o->out.attempts = 0; /* late, but the observer is there */
    }
}

void tw_coap_server_on_message(struct tw_coap *c, tw_time now, const struct tw_peer *from,
                               const struct tw_coap_message *m) {
    bool is_request = m->code != TW_COAP_EMPTY && TW_COAP_CLASS(m->code) == 0;
    if (m->type == TW_COAP_ACK || m->type == TW_COAP_RST) {
        if (m->code == TW_COAP_EMPTY)
            on_empty(c, now, from, m);
    } else if (m->type == TW_COAP_NON && m->bad_option) {
        return; /* rejected, in silence (sections 5.4.1 and 4.3) */
    } else if (is_request) {
        on_request(c, now, from, m);
    } else if (m->type == TW_COAP_CON) {
        tw_coap_send_empty(c, TW_COAP_RST, m->mid, from); /* a ping, or a response to nothing */
    }
}

enum tw_publish tw_coap_server_publish(struct tw_coap *c, tw_time now,
                                       const struct tw_message *message) {
    struct tw_coap_server *server = &c->as.server;
    bool any = false;
    uint32_t before = server->observe_value;
    server->observe_value = (before + 1) & 0xFFFFFF;
    for (size_t i = 0; i < TW_COAP_OBSERVERS; i++) {
        struct tw_coap_observer *o = &server->observers[i];
        if (!o->used)
            continue;
        notify(c, now, o, message);
        any = true;
    }
    if (!any)
        server->observe_value = before;
    return any ? TW_PUBLISHED : TW_UNWANTED;
}

void tw_coap_server_on_time(struct tw_coap *c, tw_time now) {
    struct tw_coap_server *server = &c->as.server;
    for (size_t i = 0; i < TW_COAP_EXCHANGES; i++) {
        struct tw_coap_exchange *e = &server->exchanges[i];
        if (!e->expires)
            continue;
        if (e->expires <= now) {
            e->expires = 0;
            continue;
        }
        if (e->delayed && now >= e->out.due) {
            e->delayed = false;
            tw_coap_start(c, now, &e->out, true);
            continue;
        }
        switch (tw_coap_due(&e->out, now)) {
        case TW_COAP_AGAIN:
            tw_emit_message(c->host, TW_EVENT_RETRANSMITTED, &e->message, NULL);
            break;
        case TW_COAP_GIVE_UP:
            tw_coap_stop(&e->out);
            break;
        case TW_COAP_NOT_DUE:
            break;
        }
    }
    for (size_t i = 0; i < TW_COAP_OBSERVERS; i++) {
        struct tw_coap_observer *o = &server->observers[i];
        enum tw_coap_due due = o->used ? tw_coap_due(&o->out, now) : TW_COAP_NOT_DUE;
        if (due == TW_COAP_AGAIN && o->newer)
            transmit(c, now, o);
        else if (due == TW_COAP_AGAIN)
            tw_emit_message(c->host, TW_EVENT_RETRANSMITTED, &o->message, NULL);
        else if (due == TW_COAP_GIVE_UP)
            o->used = false; /* RFC 7641 section 4.5 */
    }
}

tw_time tw_coap_server_deadline(const struct tw_coap *c) {
    const struct tw_coap_server *server = &c->as.server;
    tw_time due = TW_NEVER;
    for (size_t i = 0; i < TW_COAP_EXCHANGES; i++) {
        const struct tw_coap_exchange *e = &server->exchanges[i];
        if (e->expires && e->out.awaiting && e->out.due < due)
            due = e->out.due;
    }
    for (size_t i = 0; i < TW_COAP_OBSERVERS; i++) {
        const struct tw_coap_observer *o = &server->observers[i];
        if (o->used && o->out.awaiting && o->out.due < due)
            due = o->out.due;
    }
    return due;
}

/* ---- output ---- */

static void put_representation(struct tw_coap *c, struct tw_coap_writer *w,
                               const struct tw_message *message,
                               const struct tw_coap_block *block2) {
    size_t offset = 0, size = message->size;
    if (block2->present) {
        offset = block2->number * tw_coap_block_size(block2);
        size -= offset;
        if (block2->more)
            size = tw_coap_block_size(block2);
        tw_coap_put_block(w, TW_COAP_BLOCK2, block2);
    }
    uint8_t *payload = tw_coap_put_payload(w, size);
    if (payload)
        c->host->payload(c->host->ctx, message, offset, payload, size);
}

static size_t compose_response(struct tw_coap *c, const struct tw_coap_exchange *e) {
    struct tw_coap_writer w =
        tw_coap_begin(c->datagram, sizeof c->datagram, e->type, e->code, e->out.mid, &e->token);
    if (e->links) {
        tw_coap_put_uint_option(&w, TW_COAP_CONTENT_FORMAT, TW_COAP_LINK_FORMAT);
        tw_put8(&w.w, 0xFF);
        tw_put_text(&w.w, "</");
        tw_put_text(&w.w, tw_coap_relative(c->config->topic));
        tw_put_text(&w.w, c->config->observe ? ">;ct=0;obs" : ">;ct=0");
    } else if (e->code == TW_COAP_CONTENT) {
        if (e->has_observe)
            tw_coap_put_uint_option(&w, TW_COAP_OBSERVE, e->observe);
        tw_coap_put_uint_option(&w, TW_COAP_CONTENT_FORMAT, TW_COAP_TEXT_PLAIN);
        put_representation(c, &w, &e->message, &e->block2);
    } else if (e->block1.present) {
        tw_coap_put_block(&w, TW_COAP_BLOCK1, &e->block1);
    }
    return w.w.bad ? 0 : w.w.used;
}

static size_t compose_notification(struct tw_coap *c, const struct tw_coap_observer *o) {
    struct tw_coap_block block = {.szx = tw_coap_szx(c->config->block_bytes)};
    block.present = block.more =
        c->config->block_bytes && o->message.size > tw_coap_block_size(&block);
    struct tw_coap_writer w =
        tw_coap_begin(c->datagram, sizeof c->datagram, o->out.awaiting ? TW_COAP_CON : TW_COAP_NON,
                      TW_COAP_CONTENT, o->out.mid, &o->token);
    tw_coap_put_uint_option(&w, TW_COAP_OBSERVE, o->value);
    tw_coap_put_uint_option(&w, TW_COAP_CONTENT_FORMAT, TW_COAP_TEXT_PLAIN);
    put_representation(c, &w, &o->message, &block);
    return w.w.bad ? 0 : w.w.used;
}

size_t tw_coap_server_output(struct tw_coap *c, struct tw_peer *to) {
    struct tw_coap_server *server = &c->as.server;
    for (size_t i = 0; i < TW_COAP_EXCHANGES; i++)
        if (server->exchanges[i].expires && server->exchanges[i].out.send) {
            c->sending = &server->exchanges[i].out;
            *to = server->exchanges[i].peer;
            return compose_response(c, &server->exchanges[i]);
        }
    for (size_t i = 0; i < TW_COAP_OBSERVERS; i++)
        if (server->observers[i].used && server->observers[i].out.send) {
            c->sending = &server->observers[i].out;
            *to = server->observers[i].peer;
            return compose_notification(c, &server->observers[i]);
        }
    return 0;
}

bool tw_coap_server_idle(const struct tw_coap *c) {
    const struct tw_coap_server *server = &c->as.server;
    for (size_t i = 0; i < TW_COAP_EXCHANGES; i++)
        if (server->exchanges[i].expires &&
            (server->exchanges[i].out.send || server->exchanges[i].out.awaiting))
            return false;
    for (size_t i = 0; i < TW_COAP_OBSERVERS; i++)
        if (server->observers[i].used && server->observers[i].out.awaiting)
            return false;
    return true;
}
