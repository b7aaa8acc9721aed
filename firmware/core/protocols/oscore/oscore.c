#include "oscore.h"

#include <string.h>

#include "core/config.h"
#include "core/util/emit.h"
#include "core/util/peer.h"

#ifdef TW_OSCORE

/* A datagram's payload: what OSCORE adds must not make a packet that lwIP cannot send in a frame.
 */
#define PAYLOAD_MAX (TW_SEGMENT_MAX - 32u)
#define TOKEN_BYTES 4u /* of the CoAP client's requests */
#define UNAUTHORIZED TW_COAP_CODE(4, 1)

static bool paced(const struct tw_config *config) {
    return tw_coap_engine.paced(config);
}

static const char *init(void *state, const struct tw_setup *setup) {
    struct tw_oscore *o = state;
    const struct tw_config *config = setup->config;
    struct tw_oscore_input input = tw_oscore_credentials;
    uint8_t record[TW_OSCORE_RECORD_BYTES];
    o->config = config;
    o->host = setup->host;
    if (config->role != TW_ROLE_PUBLISH)
        return "role";
    if (config->sender_id[0])
        input.sender_id =
            (struct tw_oscore_bytes){(const uint8_t *)config->sender_id, strlen(config->sender_id)};
    if (!tw_oscore_derive(&o->context, &input))
        return "sender_id";
    if (o->host->recall && o->host->recall(o->host->ctx, record, sizeof record))
        tw_oscore_restore(&o->context, record);
    if (!config->block_bytes && tw_config_too_large(config, PAYLOAD_MAX))
        return tw_config_too_large(config, PAYLOAD_MAX);
    return tw_coap_engine.init(state, setup);
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

/* The server wants to know that a request is fresh (RFC 8613, appendix B.1.2): sends it again with
 * the Echo option, as a message of its own. Returns false if that was done before. */
static bool repeat_with_echo(struct tw_oscore *o, tw_time now, struct tw_oscore_sent *sent,
                             struct tw_oscore_bytes response) {
    struct tw_coap_request *request = request_of(o, sent->token);
    struct tw_oscore_echo echo = tw_oscore_echo_of(response);
    if (response.data[1] != UNAUTHORIZED || !echo.size || sent->echoed || !request ||
        (echo_in_use(o) && memcmp(&echo, &o->echo, sizeof echo) != 0))
        return false;
    tw_time due = request->out.due;
    o->echo = echo;
    sent->echoed = true;
    tw_coap_start(&o->coap, now, &request->out, o->config->confirmable);
    if (!o->config->confirmable)
        request->out.due = due; /* when the response has to be there */
    tw_emit_message(o->host, TW_EVENT_RETRANSMITTED, &request->message, NULL);
    return true;
}

static void on_response(struct tw_oscore *o, tw_time now, const struct tw_peer *from,
                        struct tw_oscore_sent *sent, struct tw_oscore_bytes datagram) {
    struct tw_oscore_bytes plain = {o->datagram, 0};
    bool confirmable = (datagram.data[0] >> 4 & 3) == TW_COAP_CON;
    uint16_t mid = mid_of(datagram.data);
    switch (tw_oscore_verify(&o->context, &sent->piv, datagram, o->datagram, &plain.size)) {
    case TW_OSCORE_VERIFIED:
        if (!repeat_with_echo(o, now, sent, plain))
            return tw_coap_engine.on_bytes(o, now, 0, from, plain.data, plain.size);
        if (confirmable)
            tw_coap_send_empty(&o->coap, TW_COAP_ACK, mid, from);
        return;
    case TW_OSCORE_UNPROTECTED: /* a server without the context cannot protect its refusal (8.2) */
        if (TW_COAP_CLASS(datagram.data[1]) != 2)
            return tw_coap_engine.on_bytes(o, now, 0, from, datagram.data, datagram.size);
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
    uint8_t record[TW_OSCORE_RECORD_BYTES];
    if (!place || o->context.next > TW_OSCORE_LAST)
        return NULL;
    *place =
        (struct tw_oscore_sent){.token = token,
                                .mid = mid,
                                .used = true,
                                .echoed = place->used && place->token == token && place->echoed,
                                .piv = tw_oscore_piv(o->context.next++)};
    tw_oscore_save(&o->context, record);
    if (o->host->keep)
        o->host->keep(o->host->ctx, record, sizeof record);
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
    if (!o->config->block_bytes && message->size > PAYLOAD_MAX)
        return TW_UNSUPPORTED;
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
