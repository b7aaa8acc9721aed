/*
 * CoAP client: requests, blocks of either direction, and one observation.
 *
 * A request waits for its ACK (confirmable), or for its response: `out.awaiting` says which.
 *
 *   waits for  event                                     action                next
 *   (new)      publish, on_open, refresh_at, finish      CON, or NON           ACK, or response
 *   ACK        its timeout                               the same CON again    ACK
 *   ACK        the timeout after MAX_RETRANSMIT          FAILED timeout        (removed)
 *   ACK        empty ACK: the response is separate                             response
 *   response   no response in time                       FAILED no_response    (removed)
 *   either     RST                                       FAILED reset          (removed)
 *   either     2.xx, and blocks are left                 the next block        as (new)
 *   either     4.13 with a smaller block size            the first block anew  as (new)
 *   either     2.xx                                      ACKED, or RECEIVED    (removed)
 *   either     another response                          FAILED                (removed)
 *
 * The engine's own requests have no message, so ERROR replaces FAILED for REGISTER.
 *
 * The observation (role subscribe, observe=1); `registered` is its state:
 *
 *   registered  event                                    action                next
 *   false       on_open                                  REGISTER              false
 *   false       its response with Observe                CONNECTED, RECEIVED   true
 *   false       its response without Observe             ERROR not_observable  false
 *   true        a newer notification                     RECEIVED, or FETCH    true
 *   true        Max-Age and 5 to 15 s more pass          REGISTER              true
 *   true        a notification without Observe, or not   ERROR                 false
 *               2.xx, or with an unknown critical option
 *   true        finish                                   DEREGISTER            false
 */
#include <string.h>

#include "coap.h"
#include "core/config.h"
#include "core/util/emit.h"
#include "core/util/peer.h"
#include "core/util/random.h"

enum kind { SEND, POLL, REGISTER, DEREGISTER, FETCH };

/* How long a non-confirmable request waits for its response; the application's choice. */
#define RESPONSE_LIMIT TW_SECONDS(10)
/* Max-Age when the option is absent (section 5.10.5), and the pause before asking anew (RFC 7641
 * section 3.3.1: 5 to 15 seconds at random). */
#define DEFAULT_MAX_AGE_S 60u
#define REFRESH_MIN_MS 5000u
#define REFRESH_SPREAD_MS 10000u

static bool confirmable(const struct tw_coap *c, const struct tw_coap_request *request) {
    return c->config->confirmable || request->kind >= REGISTER;
}

/* Sends the request as it is now. Each block gets a new token, so that a late copy of the response
 * to the block before matches no request. */
static void transmit(struct tw_coap *c, tw_time now, struct tw_coap_request *request) {
    bool observes = request->kind == REGISTER || request->kind == DEREGISTER;
    request->token = observes ? c->as.client.observe_token : c->as.client.next_token++;
    tw_coap_start(c, now, &request->out, confirmable(c, request));
    if (!confirmable(c, request))
        request->out.due = now + RESPONSE_LIMIT;
}

static void remove_request(struct tw_coap_client *client, struct tw_coap_request *request) {
    size_t at = (size_t)(request - client->requests);
    memmove(request, request + 1, (client->count - at - 1) * sizeof *request);
    client->count--;
}

static struct tw_coap_request *add_request(struct tw_coap *c, tw_time now, enum kind kind,
                                           const struct tw_message *message) {
    struct tw_coap_client *client = &c->as.client;
    if (client->count == TW_COAP_REQUESTS)
        return NULL;
    struct tw_coap_request *request = &client->requests[client->count++];
    *request = (struct tw_coap_request){.kind = (uint8_t)kind};
    request->szx = tw_coap_szx(c->config->block_bytes ? c->config->block_bytes : 1024);
    if (message)
        request->message = *message;
    request->blocks =
        kind == SEND && c->config->block_bytes && request->message.size > c->config->block_bytes;
    transmit(c, now, request);
    return request;
}

/* Gives a request up. The engine's own requests have no message: without them it cannot go on. */
static void fail_request(struct tw_coap *c, struct tw_coap_request *request, const char *reason) {
    struct tw_message message = request->message;
    bool own = request->kind == REGISTER;
    remove_request(&c->as.client, request);
    if (message.seq)
        tw_emit_message(c->host, TW_EVENT_FAILED, &message, reason);
    else if (own)
        tw_emit(c->host, TW_EVENT_ERROR, 0, reason);
}

void tw_coap_client_open(struct tw_coap *c, tw_time now) {
    struct tw_coap_client *client = &c->as.client;
    memset(client, 0, sizeof *client);
    client->next_token = tw_random_next(c->random);
    client->refresh_at = TW_NEVER;
    if (c->config->role == TW_ROLE_SUBSCRIBE && c->config->observe) {
        client->observe_token = client->next_token++;
        add_request(c, now, REGISTER, NULL);
    } else {
        tw_emit(c->host, TW_EVENT_CONNECTED, 0, NULL);
    }
}

void tw_coap_client_close(struct tw_coap *c) {
    struct tw_coap_client *client = &c->as.client;
    for (size_t i = 0; i < client->count; i++)
        if (client->requests[i].message.seq)
            tw_emit_message(c->host, TW_EVENT_FAILED, &client->requests[i].message,
                            "connection_lost");
    client->count = 0;
    client->registered = client->connected = false;
}

/* Returns whether a confirmable response was taken before (section 4.5). */
static bool seen_before(const struct tw_coap_client *client, tw_time now, uint16_t mid) {
    for (size_t i = 0; i < TW_COAP_SEEN; i++)
        if (client->seen[i].mid == mid && now < client->seen[i].until)
            return true;
    return false;
}

static void remember(struct tw_coap_client *client, tw_time now, uint16_t mid) {
    client->seen[client->seen_next] =
        (struct tw_coap_seen){.until = now + TW_COAP_EXCHANGE_LIFETIME, .mid = mid};
    client->seen_next = (uint8_t)((client->seen_next + 1) % TW_COAP_SEEN);
}

/* RFC 7641 section 3.4: is this notification newer than the last? */
static bool fresh(const struct tw_coap_client *client, tw_time now, uint32_t value) {
    uint32_t last = client->observe_value;
    return !client->observe_at || now > client->observe_at + TW_SECONDS(128) ||
           (last < value && value - last < 1u << 23) || (last > value && last - value > 1u << 23);
}

/* Where the payload of a response starts in its representation. */
static size_t offset_of(const struct tw_coap_message *m) {
    return m->block2.present ? m->block2.number * tw_coap_block_size(&m->block2) : 0;
}

/* Hands on the payload of a response. Returns true when its blocks go on after this one. */
static bool deliver(struct tw_coap *c, const struct tw_coap_message *m) {
    size_t offset = offset_of(m);
    bool more = m->block2.present && m->block2.more;
    tw_emit_received(c->host, 0, m->payload, m->payload_size, offset, !more);
    return more;
}

/* Makes the block after that of `m` the next one to fetch. */
static void fetch_after(struct tw_coap_request *request, const struct tw_coap_message *m) {
    request->block = m->block2.number + 1;
    request->szx = m->block2.szx;
    if (m->etag.size)
        request->etag = m->etag;
}

/* A response to a registration, or a later notification: both carry Observe. Only notifications of
 * one registration have an order (RFC 7641 section 3.4): a server that restarted counts anew in its
 * response to the next one. */
static void on_notification(struct tw_coap *c, tw_time now, const struct tw_coap_message *m,
                            bool responds) {
    struct tw_coap_client *client = &c->as.client;
    uint32_t age = m->has_max_age ? m->max_age : DEFAULT_MAX_AGE_S;
    bool is_new = responds || fresh(client, now, m->observe);
    client->refresh_at = now + TW_SECONDS(age) + TW_MS(REFRESH_MIN_MS) +
                         TW_MS(tw_random_below(c->random, REFRESH_SPREAD_MS));
    client->registered = true;
    if (!client->connected) {
        client->connected = true;
        tw_emit(c->host, TW_EVENT_CONNECTED, 0, NULL);
    }
    if (!is_new)
        return;
    client->observe_value = m->observe;
    client->observe_at = now;
    if (!deliver(c, m))
        return;
    for (size_t i = 0; i < client->count; i++) /* a newer state replaces one being fetched */
        if (client->requests[i].kind == FETCH)
            remove_request(client, &client->requests[i--]);
    struct tw_coap_request *request = add_request(c, now, FETCH, NULL);
    if (request)
        fetch_after(request, m);
}

static void complete(struct tw_coap *c, struct tw_coap_request *request) {
    struct tw_message message = request->message;
    remove_request(&c->as.client, request);
    if (message.seq)
        tw_emit_message(c->host, TW_EVENT_ACKED, &message, NULL);
}

/* A block of an upload was taken. Goes on to the next one, in smaller blocks if the server asks for
 * them (RFC 7959 sections 2.3 and 2.5). */
static void on_block_taken(struct tw_coap *c, tw_time now, struct tw_coap_request *request,
                           const struct tw_coap_message *m) {
    size_t done = (size_t)(request->block + 1) << (request->szx + 4);
    if (done >= request->message.size)
        return complete(c, request);
    if (m->block1.present && m->block1.szx < request->szx)
        request->szx = m->block1.szx;
    request->block = (uint32_t)(done >> (request->szx + 4));
    transmit(c, now, request);
}

/* Returns whether a refusal names a block size in which the server would accept the payload,
 * smaller than the one that it refused (RFC 7959 section 2.9.3). */
static bool wants_smaller(const struct tw_coap_request *request, const struct tw_coap_message *m) {
    return m->code == TW_COAP_TOO_LARGE && !m->bad_option && m->block1.present &&
           request->message.size > tw_coap_block_size(&m->block1) &&
           (!request->blocks || m->block1.szx < request->szx);
}

/* Returns whether a response carries the bytes that were requested, of the same representation as
 * the blocks before (RFC 7959 section 2.4). The server may have reduced the block size; its number
 * then counts smaller blocks. */
static bool continues(const struct tw_coap_request *request, const struct tw_coap_message *m) {
    return offset_of(m) == (size_t)request->block << (request->szx + 4) &&
           (!request->etag.size || !m->etag.size || tw_coap_same_token(&request->etag, &m->etag));
}

static void on_response(struct tw_coap *c, tw_time now, struct tw_coap_request *request,
                        const struct tw_coap_message *m) {
    if (request->kind == SEND && wants_smaller(request, m)) {
        request->szx = m->block1.szx;
        request->block = 0;
        request->blocks = true;
        return transmit(c, now, request);
    }
    if (TW_COAP_CLASS(m->code) != 2 || m->bad_option)
        return fail_request(c, request, m->bad_option ? "bad_option" : "refused");
    switch ((enum kind)request->kind) {
    case SEND:
        if (request->blocks)
            return on_block_taken(c, now, request, m);
        return complete(c, request);
    case REGISTER:
        if (!m->has_observe)
            return fail_request(c, request, "not_observable");
        remove_request(&c->as.client, request);
        return on_notification(c, now, m, true);
    case DEREGISTER:
        return complete(c, request);
    case POLL:
    case FETCH:
        if (!continues(request, m))
            return fail_request(c, request, "block_order");
        if (!deliver(c, m))
            return complete(c, request);
        fetch_after(request, m);
        return transmit(c, now, request);
    }
}

static uint32_t token_value(const struct tw_coap_token *token) {
    const uint8_t *b = token->bytes;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static struct tw_coap_request *find_token(struct tw_coap_client *client, uint32_t token) {
    for (size_t i = 0; i < client->count; i++)
        if (client->requests[i].token == token)
            return &client->requests[i];
    return NULL;
}

static void on_empty(struct tw_coap *c, tw_time now, const struct tw_coap_message *m) {
    struct tw_coap_client *client = &c->as.client;
    for (size_t i = 0; i < client->count; i++) {
        struct tw_coap_request *request = &client->requests[i];
        if (request->out.mid != m->mid)
            continue;
        if (m->type == TW_COAP_RST)
            return fail_request(c, request, "reset");
        if (m->type == TW_COAP_ACK && request->notified)
            return remove_request(client, request);
        if (m->type == TW_COAP_ACK && request->out.awaiting) { /* a separate response follows */
            tw_coap_stop(&request->out);
            request->out.due = now + TW_COAP_MAX_TRANSMIT_WAIT;
        }
        return;
    }
}

/* Returns whether a message with the request's token is its response. Notifications have the same
 * token: they also arrive while a registration is repeated, and while it is cancelled. The response
 * to a cancellation has no Observe option (RFC 7641 sections 3.1 and 3.6). */
static bool responds(const struct tw_coap_client *client, const struct tw_coap_request *request,
                     const struct tw_coap_message *m) {
    if (request->kind == REGISTER && m->type != TW_COAP_ACK)
        return !client->registered || !request->out.awaiting;
    return request->kind != DEREGISTER || !m->has_observe;
}

void tw_coap_client_on_message(struct tw_coap *c, tw_time now, const struct tw_peer *from,
                               const struct tw_coap_message *m) {
    struct tw_coap_client *client = &c->as.client;
    /* A response comes from the endpoint that the request went to (section 5.3.2). A CON that
     * matches nothing is rejected by a Reset (section 4.2): a ping, and what a stranger sends. */
    bool foreign = !tw_from_peer(c->config, from);
    if (m->type == TW_COAP_CON && (foreign || m->code == TW_COAP_EMPTY))
        tw_coap_send_empty(c, TW_COAP_RST, m->mid, from);
    if (foreign)
        return;
    if (m->code == TW_COAP_EMPTY)
        return on_empty(c, now, m);
    if (m->type == TW_COAP_RST)
        return;
    bool is_response = TW_COAP_IS_RESPONSE(m->code) && m->token.size == 4;
    uint32_t token = token_value(&m->token);
    struct tw_coap_request *request = is_response ? find_token(client, token) : NULL;
    bool notifies = is_response && client->registered && token == client->observe_token;
    if (request && !responds(client, request, m)) {
        request->notified = request->kind == REGISTER;
        request = NULL;
    }
    if (m->type == TW_COAP_ACK) {
        if (request && request->out.mid == m->mid)
            on_response(c, now, request, m);
        return;
    }
    if (m->type == TW_COAP_CON) {
        /* The response that an open request waits for is no copy: its token is new. */
        if (is_response && !(request && request->kind != REGISTER) &&
            seen_before(client, now, m->mid))
            return tw_coap_send_empty(c, TW_COAP_ACK, m->mid, from);
        bool takes = (request || notifies) && !m->bad_option; /* else rejected: section 5.4.1 */
        tw_coap_send_empty(c, takes ? TW_COAP_ACK : TW_COAP_RST, m->mid, from);
        if (takes)
            remember(client, now, m->mid);
    } else if (TW_COAP_IS_RESPONSE(m->code) && m->has_observe && !request && !notifies) {
        tw_coap_send_empty(c, TW_COAP_RST, m->mid, from); /* of an observation that ended */
    }
    if (request) {
        on_response(c, now, request, m);
    } else if (notifies && m->bad_option) {
        client->registered = false; /* a Reset ends the observation: RFC 7641 section 3.6 */
        tw_emit(c->host, TW_EVENT_ERROR, 0, "bad_option");
    } else if (notifies && m->has_observe && TW_COAP_CLASS(m->code) == 2) {
        on_notification(c, now, m, false);
    } else if (notifies) {
        client->registered = false;
        tw_emit(c->host, TW_EVENT_ERROR, 0, "observation_ended");
    }
}

enum tw_publish tw_coap_client_publish(struct tw_coap *c, tw_time now,
                                       const struct tw_message *message) {
    struct tw_coap_client *client = &c->as.client;
    bool polls = c->config->role == TW_ROLE_SUBSCRIBE;
    size_t limit = c->config->inflight ? c->config->inflight : 1; /* NSTART, section 4.7 */
    if (polls && c->config->observe)
        return TW_UNSUPPORTED;
    if (c->config->confirmable && client->count >= limit)
        return TW_BUSY;
    if (client->count == TW_COAP_REQUESTS)
        fail_request(c, &client->requests[0], "table_full"); /* loss must not stop the flow */
    return add_request(c, now, polls ? POLL : SEND, message) ? TW_PUBLISHED : TW_BUSY;
}

void tw_coap_client_on_time(struct tw_coap *c, tw_time now) {
    struct tw_coap_client *client = &c->as.client;
    for (size_t i = client->count; i-- > 0;) {
        struct tw_coap_request *request = &client->requests[i];
        switch (tw_coap_due(&request->out, now)) {
        case TW_COAP_AGAIN:
            tw_emit_message(c->host, TW_EVENT_RETRANSMITTED, &request->message, NULL);
            break;
        case TW_COAP_GIVE_UP:
            fail_request(c, request, "timeout");
            break;
        case TW_COAP_NOT_DUE:
            if (!request->out.awaiting && now >= request->out.due)
                fail_request(c, request, "no_response");
        }
    }
    if (client->registered && now >= client->refresh_at) {
        client->refresh_at = TW_NEVER;
        add_request(c, now, REGISTER, NULL);
    }
}

tw_time tw_coap_client_deadline(const struct tw_coap *c) {
    const struct tw_coap_client *client = &c->as.client;
    tw_time due = client->registered ? client->refresh_at : TW_NEVER;
    for (size_t i = 0; i < client->count; i++)
        if (client->requests[i].out.due < due)
            due = client->requests[i].out.due;
    return due;
}

/* Writes a request; returns its size. */
static size_t compose(struct tw_coap *c, const struct tw_coap_request *request) {
    uint32_t t = request->token;
    struct tw_coap_token token = {
        4, {(uint8_t)(t >> 24), (uint8_t)(t >> 16), (uint8_t)(t >> 8), (uint8_t)t}};
    struct tw_coap_block block = {.number = request->block, .szx = request->szx};
    size_t offset = 0, size = request->kind == SEND ? request->message.size : 0;
    if (request->blocks) {
        offset = request->block * tw_coap_block_size(&block);
        size -= offset;
        block.more = size > tw_coap_block_size(&block);
        if (block.more)
            size = tw_coap_block_size(&block);
    }
    struct tw_coap_writer w = tw_coap_begin(
        c->datagram, sizeof c->datagram, confirmable(c, request) ? TW_COAP_CON : TW_COAP_NON,
        request->kind == SEND ? TW_COAP_POST : TW_COAP_GET, request->out.mid, &token);
    if (request->kind == REGISTER || request->kind == DEREGISTER)
        tw_coap_put_uint_option(&w, TW_COAP_OBSERVE, request->kind == DEREGISTER);
    tw_coap_put_path(&w, c->config->topic);
    if (request->kind == SEND)
        tw_coap_put_uint_option(&w, TW_COAP_CONTENT_FORMAT, TW_COAP_TEXT_PLAIN);
    else if (request->block || c->config->block_bytes)
        tw_coap_put_block(&w, TW_COAP_BLOCK2, &block);
    if (request->blocks)
        tw_coap_put_block(&w, TW_COAP_BLOCK1, &block);
    uint8_t *payload = tw_coap_put_payload(&w, size);
    if (payload)
        c->host->payload(c->host->ctx, &request->message, offset, payload, size);
    return w.w.bad ? 0 : w.w.used;
}

size_t tw_coap_client_output(struct tw_coap *c) {
    struct tw_coap_client *client = &c->as.client;
    for (size_t i = 0; i < client->count; i++)
        if (client->requests[i].out.send) {
            c->sending = &client->requests[i].out;
            return compose(c, &client->requests[i]);
        }
    return 0;
}

bool tw_coap_client_idle(const struct tw_coap *c) {
    return !c->as.client.count;
}

void tw_coap_client_finish(struct tw_coap *c, tw_time now) {
    if (c->as.client.registered)
        add_request(c, now, DEREGISTER, NULL);
    c->as.client.registered = false;
}
