#include "oscore.h"

#include <string.h>

#include "core/config.h"
#include "core/util/emit.h"
#include "core/util/peer.h"
#include "core/util/random.h"

#ifdef TW_OSCORE

/* A datagram's payload: what OSCORE adds must not make a packet that lwIP cannot send in a frame.
 */
#define PAYLOAD_MAX (TW_SEGMENT_MAX - 32u)
#define TOKEN_BYTES 4u /* of the CoAP client's requests */
#define UNAUTHORIZED TW_COAP_CODE(4, 1)
/* Runs of appendix B.2 in which the server answers request 2 by another response 1, which it may
 * where it has lost its number. One that does so for ever is not followed. */
#define RUNS_MAX 3

_Static_assert(TW_OSCORE_RECORD_BYTES <= TW_KEPT_BYTES, "a board keeps the record");

static size_t payload_max(const struct tw_config *config) {
    return config->rederive ? PAYLOAD_MAX - TW_OSCORE_KID_CONTEXT_MAX : PAYLOAD_MAX;
}

static struct tw_oscore_input input_of(const struct tw_config *config) {
    struct tw_oscore_input input = tw_oscore_credentials;
    if (config->sender_id[0])
        input.sender_id =
            (struct tw_oscore_bytes){(const uint8_t *)config->sender_id, strlen(config->sender_id)};
    return input;
}

/* ---- a new context (appendix B.2) ---- */

/* A number that has not been before. One of the seed has, after a restart with the same seed. */
static bool draw(struct tw_oscore *o, uint8_t out[TW_OSCORE_R_BYTES]) {
    if (o->config->entropy == TW_ENTROPY_BOARD)
        return o->host->random && o->host->random(o->host->ctx, out, TW_OSCORE_R_BYTES);
    for (size_t i = 0; i < TW_OSCORE_R_BYTES; i++)
        out[i] = (uint8_t)(tw_random_next(o->coap.random) >> 24);
    return true;
}

/* Step 1. */
static bool begin(struct tw_oscore *o) {
    const struct tw_oscore_input input = input_of(o->config);
    uint8_t r1[TW_OSCORE_R_BYTES];
    o->runs = 0;
    return draw(o, r1) && tw_oscore_first(&o->context, &input, r1);
}

static bool paced(const struct tw_config *config) {
    return tw_coap_engine.paced(config);
}

static const char *init(void *state, const struct tw_setup *setup) {
    struct tw_oscore *o = state;
    const struct tw_config *config = setup->config;
    const struct tw_oscore_input input = input_of(config);
    uint8_t record[TW_OSCORE_RECORD_BYTES];
    o->config = config;
    o->host = setup->host;
    if (config->role != TW_ROLE_PUBLISH)
        return "role";
    bool kept = o->host->recall && o->host->recall(o->host->ctx, record, sizeof record) &&
                tw_oscore_restore(&o->context, &input, record);
    if (!kept && !tw_oscore_derive(&o->context, &input))
        return "sender_id";
    if (!config->block_bytes && tw_config_too_large(config, payload_max(config)))
        return tw_config_too_large(config, payload_max(config));
    const char *wrong = tw_coap_engine.init(state, setup);
    if (wrong)
        return wrong;
    if (config->rederive && !kept && !begin(o))
        return "entropy";
    o->context.names_id_context = config->kid_context;
    return NULL;
}

static void on_open(void *state, tw_time now, uint8_t link) {
    tw_coap_engine.on_open(state, now, link);
}

static void on_close(void *state, tw_time now, uint8_t link) {
    struct tw_oscore *o = state;
    memset(o->sent, 0, sizeof o->sent);
    tw_coap_engine.on_close(state, now, link);
}

static struct tw_coap_request *request_of(struct tw_oscore *o, uint32_t token) {
    struct tw_coap_client *client = &o->coap.as.client;
    for (size_t i = 0; i < client->count; i++)
        if (client->requests[i].token == token)
            return &client->requests[i];
    return NULL;
}

/* Writes the record. Before the server's number there is nothing to be kept: a restart begins anew.
 */
static void keep(struct tw_oscore *o) {
    uint8_t record[TW_OSCORE_RECORD_BYTES];
    if (!o->host->keep || o->context.stage == TW_OSCORE_FIRST)
        return;
    tw_oscore_save(&o->context, record);
    o->host->keep(o->host->ctx, record, sizeof record);
}

static uint16_t mid_of(const uint8_t *datagram) {
    return (uint16_t)(datagram[2] << 8 | datagram[3]);
}

static uint32_t token_of(const uint8_t *datagram) {
    struct tw_reader r = tw_reader(datagram + 4, TOKEN_BYTES);
    return tw_get32(&r);
}

/* ---- what arrives ---- */

/* Whether a retransmission may need the Echo option as it is: its bytes must not change. */
static bool echo_in_use(struct tw_oscore *o) {
    for (size_t i = 0; i < TW_COAP_REQUESTS; i++)
        if (o->sent[i].used && o->sent[i].echoed && request_of(o, o->sent[i].token))
            return true;
    return false;
}

/* Sends a request as a new message, with a number of its own. */
static void repeat(struct tw_oscore *o, tw_time now, struct tw_coap_request *request) {
    tw_time due = request->out.due;
    tw_coap_start(&o->coap, now, &request->out, o->config->confirmable);
    if (!o->config->confirmable)
        request->out.due = due; /* when the response has to be there */
    tw_emit_message(o->host, TW_EVENT_RETRANSMITTED, &request->message, NULL);
}

/* Sends what waits for a response under the context that was derived just now. The numbers of the
 * context before do not count any more. */
static void repeat_all(struct tw_oscore *o, tw_time now) {
    struct tw_coap_client *client = &o->coap.as.client;
    o->context.names_id_context = o->config->kid_context;
    memset(o->sent, 0, sizeof o->sent);
    for (size_t i = 0; i < client->count; i++)
        repeat(o, now, &client->requests[i]);
}

/* Of a response whose request goes on as another message. */
static void acknowledge(struct tw_oscore *o, bool confirmable, uint16_t mid,
                        const struct tw_peer *from) {
    if (confirmable)
        tw_coap_send_empty(&o->coap, TW_COAP_ACK, mid, from);
}

/* Step 3: takes the response if it is an error 4.01 with the server's number, protected with that.
 * Returns false if it is not; `o->datagram` is then unchanged, or without meaning. */
static bool take_r2(struct tw_oscore *o, tw_time now, const struct tw_oscore_sent *sent,
                    struct tw_oscore_bytes datagram) {
    const struct tw_oscore_input input = input_of(o->config);
    struct tw_oscore_context second;
    struct tw_oscore_bytes r2;
    uint8_t r3[TW_OSCORE_R_BYTES];
    size_t size;
    if (!o->config->rederive || o->runs == RUNS_MAX ||
        !tw_oscore_read_r2(tw_oscore_kid_context_of(datagram), &r2))
        return false;
    if (!tw_oscore_second(&second, &input, r2, &o->context) ||
        tw_oscore_verify(&second, &o->context, &sent->piv, datagram, o->datagram, &size) !=
            TW_OSCORE_VERIFIED ||
        o->datagram[1] != UNAUTHORIZED)
        return false;
    if (!draw(o, r3) || !tw_oscore_third(&o->context, &input, r2, r3))
        return false;
    o->runs++;
    repeat_all(o, now);
    return true;
}

/* A server without the context cannot protect its refusal (section 8.2): makes a new one. A message
 * goes on once, under a context that worked before; else it has failed, and the others go on. */
static void on_unprotected(struct tw_oscore *o, tw_time now, const struct tw_peer *from,
                           struct tw_oscore_bytes datagram, bool confirmable) {
    bool lost = o->config->rederive && datagram.data[1] == UNAUTHORIZED &&
                o->context.stage != TW_OSCORE_FIRST;
    if (lost && o->context.stage == TW_OSCORE_ESTABLISHED && begin(o)) {
        repeat_all(o, now);
        return acknowledge(o, confirmable, mid_of(datagram.data), from);
    }
    tw_coap_engine.on_bytes(o, now, 0, from, datagram.data, datagram.size);
    if (lost && begin(o))
        repeat_all(o, now);
}

/* A response was verified with the context, which step 5 establishes. False: a response to request
 * 1, of a server that did not add its number. */
static bool establish(struct tw_oscore *o) {
    if (o->context.stage == TW_OSCORE_FIRST)
        return false;
    if (o->context.stage == TW_OSCORE_THIRD) {
        o->context.stage = TW_OSCORE_ESTABLISHED;
        keep(o);
    }
    o->runs = 0;
    return true;
}

/* The server wants to know that a request is fresh (RFC 8613, appendix B.1.2): sends it again with
 * the Echo option, as a message of its own. Returns false if that was done before. */
static bool repeat_with_echo(struct tw_oscore *o, tw_time now, struct tw_oscore_sent *sent,
                             struct tw_oscore_bytes response) {
    struct tw_coap_request *request = request_of(o, sent->token);
    struct tw_oscore_echo echo = tw_oscore_echo_of(response);
    if (response.data[1] != UNAUTHORIZED || !echo.size || sent->echoed || !request ||
        (echo_in_use(o) && memcmp(&echo, &o->echo, sizeof echo) != 0))
        return false;
    o->echo = echo;
    sent->echoed = true;
    repeat(o, now, request);
    return true;
}

static void on_response(struct tw_oscore *o, tw_time now, const struct tw_peer *from,
                        struct tw_oscore_sent *sent, struct tw_oscore_bytes datagram) {
    struct tw_oscore_bytes plain = {o->datagram, 0};
    bool confirmable = (datagram.data[0] >> 4 & 3) == TW_COAP_CON;
    uint16_t mid = mid_of(datagram.data);
    if (take_r2(o, now, sent, datagram))
        return acknowledge(o, confirmable, mid, from);
    switch (tw_oscore_verify(&o->context, &o->context, &sent->piv, datagram, o->datagram,
                             &plain.size)) {
    case TW_OSCORE_VERIFIED:
        if (!establish(o))
            break;
        if (!repeat_with_echo(o, now, sent, plain))
            return tw_coap_engine.on_bytes(o, now, 0, from, plain.data, plain.size);
        return acknowledge(o, confirmable, mid, from);
    case TW_OSCORE_UNPROTECTED: /* a server without the context cannot protect its refusal (8.2) */
        if (TW_COAP_CLASS(datagram.data[1]) != 2)
            return on_unprotected(o, now, from, datagram, confirmable);
        break;
    case TW_OSCORE_MALFORMED:
    case TW_OSCORE_INVALID:
        break;
    }
    if (confirmable)
        tw_coap_send_empty(&o->coap, TW_COAP_RST, mid, from);
}

static void on_bytes(void *state, tw_time now, uint8_t link, const struct tw_peer *from,
                     const uint8_t *data, size_t size) {
    struct tw_oscore *o = state;
    struct tw_oscore_sent *sent = NULL;
    if (size >= 4 + TOKEN_BYTES && data[0] >> 6 == 1 && (data[0] & 15) == TOKEN_BYTES &&
        TW_COAP_IS_RESPONSE(data[1]) && tw_from_peer(o->config, from))
        for (size_t i = 0; i < TW_COAP_REQUESTS; i++)
            if (o->sent[i].used && o->sent[i].token == token_of(data))
                sent = &o->sent[i];
    if (sent && size <= sizeof o->datagram)
        on_response(o, now, from, sent, (struct tw_oscore_bytes){data, size});
    else if (!sent)
        tw_coap_engine.on_bytes(state, now, link, from, data, size);
}

/* ---- what leaves ---- */

/* The record of this request; one that is new has the next Partial IV, and that is used up before
 * the message can leave (section 7.2.1). NULL: there is none left. */
static struct tw_oscore_sent *record_of(struct tw_oscore *o, const uint8_t *plain) {
    uint32_t token = token_of(plain);
    uint16_t mid = mid_of(plain);
    struct tw_oscore_sent *place = NULL;
    for (size_t i = 0; i < TW_COAP_REQUESTS; i++) {
        struct tw_oscore_sent *sent = &o->sent[i];
        if (sent->used && sent->token == token) {
            if (sent->mid == mid)
                return sent;
            place = sent; /* sent again as another message: this one's answer counts no more */
            break;
        }
        if (!sent->used || !request_of(o, sent->token))
            place = sent;
    }
    if (!place || o->context.next > TW_OSCORE_LAST)
        return NULL;
    *place =
        (struct tw_oscore_sent){.token = token,
                                .mid = mid,
                                .used = true,
                                .echoed = place->used && place->token == token && place->echoed,
                                .piv = tw_oscore_piv(o->context.next++)};
    keep(o);
    return place;
}

static bool output(void *state, tw_time now, uint8_t link, struct tw_output *out) {
    struct tw_oscore *o = state;
    static const struct tw_oscore_echo none = {0};
    if (!tw_coap_engine.output(state, now, link, out))
        return false;
    if (out->data[1] == TW_COAP_EMPTY)
        return true;
    const struct tw_oscore_sent *sent = record_of(o, out->data);
    if (!sent) {
        tw_emit(o->host, TW_EVENT_ERROR, 0, "sequence_exhausted");
        return false;
    }
    out->size = tw_oscore_protect(&o->context, &sent->piv, sent->echoed ? &o->echo : &none,
                                  (struct tw_oscore_bytes){out->data, out->size}, o->datagram,
                                  sizeof o->datagram);
    out->data = o->datagram;
    return out->size > 0;
}

static void accepted(void *state, tw_time now, uint8_t link, size_t size) {
    tw_coap_engine.accepted(state, now, link, size);
}

static enum tw_publish publish(void *state, tw_time now, const struct tw_message *message) {
    const struct tw_oscore *o = state;
    if (!o->config->block_bytes && message->size > payload_max(o->config))
        return TW_UNSUPPORTED;
    if (o->context.stage != TW_OSCORE_ESTABLISHED && o->coap.as.client.count)
        return TW_BUSY; /* one run of appendix B.2 at a time */
    return tw_coap_engine.publish(state, now, message);
}

static void on_time(void *state, tw_time now) {
    tw_coap_engine.on_time(state, now);
}

static tw_time deadline(const void *state) {
    return tw_coap_engine.deadline(state);
}

static bool idle(const void *state) {
    return tw_coap_engine.idle(state);
}

static void finish(void *state, tw_time now) {
    tw_coap_engine.finish(state, now);
}

const struct tw_engine tw_oscore_engine = {
    .name = "oscore",
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

#endif
