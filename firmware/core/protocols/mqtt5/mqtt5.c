#include "mqtt5.h"

#include <string.h>

#include "core/config.h"
#include "core/util/emit.h"
#include "mqtt5_flow.h"
#include "mqtt5_packets.h"
#include "mqtt5_reasons.h"

#ifdef TW_MQTT5

#define QOS_MOST 2
#define EMPTY_BYTES 2u /* PINGREQ */
#define NO_LIMIT 65535u
#define RECEIVE_MAXIMUM_EXCEEDED 0x93
#define TOPIC_ALIAS_INVALID 0x94

static bool subscribes(const struct tw_mqtt5 *m) {
    return m->config->role == TW_ROLE_SUBSCRIBE || tw_mqtt5_answers(m) || tw_mqtt5_asks(m);
}

/* True when nothing outlives a connection. */
static bool forgets(const struct tw_mqtt5 *m) {
    return m->config->clean || !m->session_expiry_s;
}

static const char *init(void *state, const struct tw_setup *setup) {
    struct tw_mqtt5 *m = state;
    const struct tw_config *c = m->config = setup->config;
    m->host = setup->host;
    m->next_id = 1;
    m->session_expiry_s = c->session_expiry_s;
    m->has_session = setup->session_kept;
    m->answer_due = m->ping_due = TW_NEVER;
    if (c->qos < 0)
        return "qos";
    if (c->role == TW_ROLE_SERVE)
        return "role";
    if (c->quirks & (TW_QUIRK_FIRST_MESSAGE_PER_SEGMENT | TW_QUIRK_BYTE_AT_A_TIME_READ))
        return "quirks"; /* of clients for MQTT 3.1.1 */
    return NULL;
}

/* PINGRESP, SUBACK and the packets that ask for them may be behind long messages: an answer is not
 * late while bytes go either way. */
static void progress(struct tw_mqtt5 *m, tw_time now) {
    if (m->answer_due != TW_NEVER && m->state != CONNECTING && m->state != FINISHED)
        m->answer_due = now + TW_MQTT5_ANSWER_LIMIT;
}

static void send_subscribe(struct tw_mqtt5 *m, tw_time now) {
    struct tw_mqtt5_topic filter =
        tw_mqtt5_topic(m->config->topic, tw_mqtt5_asks(m) ? TW_MQTT5_ANSWER_SUFFIX : "");
    struct tw_writer w = tw_stream_out_begin(&m->out);
    m->subscribe_id = tw_inflight_new_id(&m->inflight, &m->next_id);
    tw_mqtt5_put_subscribe(&w, m->subscribe_id, &filter, (uint8_t)m->config->qos);
    tw_mqtt5_commit(m, now, &w);
}

/* ---- the session ---- */

static void become_ready(struct tw_mqtt5 *m, tw_time now) {
    m->state = READY;
    m->answer_due = TW_NEVER;
    tw_emit(m->host, TW_EVENT_CONNECTED, 0, NULL);
    tw_mqtt5_resend(m, now);
}

/* Takes what the server's CONNACK says of itself (section 3.2.2.3). Returns 0, or the code with
 * which this client ends the connection. */
static uint8_t take_limits(struct tw_mqtt5 *m, tw_time now) {
    const struct tw_mqtt5_properties *p = &m->parser.properties;
    const struct tw_config *c = m->config;
    if (tw_mqtt5_has(p, TW_MQTT5_AUTH_METHOD) || tw_mqtt5_has(p, TW_MQTT5_AUTH_DATA))
        return TW_MQTT5_PROTOCOL_ERROR; /* [MQTT-4.12.0-6] */
    m->session_expiry_s =
        tw_mqtt5_has(p, TW_MQTT5_SESSION_EXPIRY) ? p->session_expiry_s : c->session_expiry_s;
    m->receive_max = tw_mqtt5_has(p, TW_MQTT5_RECEIVE_MAXIMUM) ? p->receive_max : NO_LIMIT;
    m->quota = m->receive_max;
    m->packet_max = p->packet_max;
    m->alias_max = p->alias_max;
    if (tw_mqtt5_has(p, TW_MQTT5_SERVER_KEEP_ALIVE)) { /* [MQTT-3.2.2-21] */
        m->keepalive_s = p->keepalive_s;
        m->ping_due = m->keepalive_s ? now + tw_mqtt5_ping_interval(m) : TW_NEVER;
    }
    if (!c->assigned_id || m->assigned_id[0])
        return 0;
    if (!tw_mqtt5_has(p, TW_MQTT5_ASSIGNED_ID) || !p->text_bytes)
        return TW_MQTT5_PROTOCOL_ERROR; /* [MQTT-3.2.2-16] */
    if (p->text_bytes > sizeof p->text)
        return TW_MQTT5_IMPLEMENTATION_SPECIFIC; /* it could not be given again */
    memcpy(m->assigned_id, p->text, p->text_bytes);
    m->assigned_id[p->text_bytes] = 0;
    return 0;
}

/* A client must not go on with a session that it does not have [MQTT-3.2.2-4]. */
static void discard_session(struct tw_mqtt5 *m, tw_time now) {
    struct tw_writer w = tw_stream_out_begin(&m->out);
    tw_mqtt5_put_disconnect_for_good(&w);
    tw_mqtt5_commit(m, now, &w);
    tw_mqtt5_end(m, TW_EVENT_CLOSE, "session_unknown");
    m->answer_due = now + TW_MQTT5_ANSWER_LIMIT;
}

static void on_connack(struct tw_mqtt5 *m, tw_time now, const struct tw_mqtt5_item *item) {
    const struct tw_mqtt5_properties *p = &m->parser.properties;
    const char *name = tw_mqtt5_reason(TW_MQTT_CONNACK, item->code);
    bool present = item->flags & 1;
    if (m->state != CONNECTING || !name || (present && (m->config->clean || item->code)))
        return tw_mqtt5_refuse(m, now, TW_MQTT5_PROTOCOL_ERROR, "unexpected_connack");
    if (item->flags > 1)
        return tw_mqtt5_refuse(m, now, TW_MQTT5_MALFORMED, NULL);
    if (item->code)
        return tw_mqtt5_end(m, TW_EVENT_CLOSE, name);
    if (present && !m->has_session)
        return discard_session(m, now);
    uint8_t wrong = take_limits(m, now);
    if (wrong)
        return tw_mqtt5_refuse(m, now, wrong, NULL);
    if (tw_mqtt5_has(p, TW_MQTT5_MAXIMUM_QOS) && m->config->qos > p->qos_max)
        return tw_mqtt5_refuse(m, now, TW_MQTT5_IMPLEMENTATION_SPECIFIC,
                               "qos_not_supported"); /* [MQTT-3.2.2-11] */
    if (present) {
        tw_mqtt5_resume_session(m);
    } else {
        m->receiving.count = 0;
        m->subscribed = false;
        tw_mqtt5_start_session(m);
    }
    m->has_session = true;
    if (!subscribes(m) || m->subscribed)
        return become_ready(m, now);
    m->state = SUBSCRIBING;
    m->answer_due = now + TW_MQTT5_ANSWER_LIMIT;
    send_subscribe(m, now);
}

static void on_suback(struct tw_mqtt5 *m, tw_time now, const struct tw_mqtt5_item *item) {
    const char *name = tw_mqtt5_reason(TW_MQTT_SUBACK, item->code);
    if (m->state != SUBSCRIBING || item->id != m->subscribe_id || !name)
        return tw_mqtt5_refuse(m, now, TW_MQTT5_PROTOCOL_ERROR,
                               "unexpected_suback"); /* [MQTT-3.8.4-2] */
    if (item->code > QOS_MOST)
        return tw_mqtt5_refuse(m, now, 0, name);
    m->subscribed = true;
    become_ready(m, now);
}

/* ---- incoming ---- */

static void on_disconnect(struct tw_mqtt5 *m, tw_time now, uint8_t code) {
    const char *name = tw_mqtt5_reason(TW_MQTT_DISCONNECT, code);
    if (!name)
        return tw_mqtt5_refuse(m, now, TW_MQTT5_PROTOCOL_ERROR, NULL);
    tw_mqtt5_end(m, TW_EVENT_CLOSE, name);
}

static void on_packet(struct tw_mqtt5 *m, tw_time now, const struct tw_mqtt5_item *item) {
    if (item->type == TW_MQTT5_AUTH) /* no CONNECT of ours has a method [MQTT-4.12.0-6] */
        return tw_mqtt5_refuse(m, now, TW_MQTT5_PROTOCOL_ERROR, "unexpected_auth");
    if (m->state == CONNECTING && item->type != TW_MQTT_CONNACK)
        return tw_mqtt5_refuse(m, now, TW_MQTT5_PROTOCOL_ERROR, "connack_expected");
    switch (item->type) {
    case TW_MQTT_CONNACK:
        return on_connack(m, now, item);
    case TW_MQTT_SUBACK:
        return on_suback(m, now, item);
    case TW_MQTT_PINGRESP:
        if (m->state == READY) /* else SUBACK is what is waited for */
            m->answer_due = TW_NEVER;
        return;
    case TW_MQTT_UNSUBACK:
        return tw_mqtt5_refuse(m, now, TW_MQTT5_PROTOCOL_ERROR, "unexpected_unsuback");
    case TW_MQTT_DISCONNECT:
        return on_disconnect(m, now, item->code);
    default:
        return tw_mqtt5_on_ack(m, now, item);
    }
}

/* Returns 0, or the reason code for a PUBLISH without a topic (section 3.3.2.3.4). */
static uint8_t take_alias(struct tw_mqtt5 *m, bool named) {
    uint16_t alias = m->parser.properties.alias;
    if (!tw_mqtt5_has(&m->parser.properties, TW_MQTT5_TOPIC_ALIAS))
        return named ? 0 : TW_MQTT5_PROTOCOL_ERROR;
    if (!alias || alias > (m->config->topic_alias ? TW_MQTT5_ALIASES : 0))
        return TOPIC_ALIAS_INVALID; /* [MQTT-3.3.2-8], [MQTT-3.1.2-26] */
    uint16_t bit = (uint16_t)(1u << (alias - 1));
    if (named)
        m->known_aliases |= bit;
    return m->known_aliases & bit ? 0 : TW_MQTT5_PROTOCOL_ERROR;
}

/* True for an answer to another request than the last one. */
static bool foreign(const struct tw_mqtt5 *m) {
    const struct tw_mqtt5_properties *p = &m->parser.properties;
    if (!tw_mqtt5_asks(m) || !tw_mqtt5_has(p, TW_MQTT5_CORRELATION_DATA))
        return false;
    struct tw_reader r = tw_reader(p->correlation, 4);
    return p->correlation_bytes != 4 || tw_get32(&r) != m->asked;
}

static void on_publish_begin(struct tw_mqtt5 *m, tw_time now, const struct tw_mqtt5_item *item) {
    uint16_t limit = m->config->receive_max ? m->config->receive_max : NO_LIMIT;
    if (m->state == CONNECTING)
        return tw_mqtt5_refuse(m, now, TW_MQTT5_PROTOCOL_ERROR, "connack_expected");
    uint8_t wrong = take_alias(m, item->named);
    if (!wrong && item->qos && m->incoming++ >= limit)
        wrong = RECEIVE_MAXIMUM_EXCEEDED;
    if (wrong)
        return tw_mqtt5_refuse(m, now, wrong, NULL);
    m->incoming_qos = item->qos;
    m->incoming_id = item->id;
    /* [MQTT-4.3.3-10]: acknowledged again, not delivered again */
    m->mute = foreign(m) || (item->qos == 2 && tw_id_set_has(&m->receiving, item->id));
}

static void on_publish_payload(struct tw_mqtt5 *m, tw_time now, const struct tw_mqtt5_item *item) {
    uint16_t id = m->incoming_id;
    if (item->last && m->incoming_qos == 2 && !tw_id_set_has(&m->receiving, id) &&
        !tw_id_set_add(&m->receiving, id))
        return tw_mqtt5_refuse(m, now, TW_MQTT5_IMPLEMENTATION_SPECIFIC, "too_many_incoming");
    if (item->last && !m->mute && tw_mqtt5_answers(m))
        tw_mqtt5_requests_add(&m->requests, now, &m->parser.properties);
    if (!m->mute)
        tw_emit_received(m->host, 0, item->payload, item->size, item->offset, item->last);
    if (!item->last)
        return;
    if (m->incoming_qos == 1)
        tw_mqtt5_send_ack(m, now, TW_MQTT_PUBACK, id, 0);
    if (m->incoming_qos == 2)
        tw_mqtt5_send_ack(m, now, TW_MQTT_PUBREC, id, 0);
}

static void on_bytes(void *state, tw_time now, uint8_t link, const struct tw_peer *from,
                     const uint8_t *data, size_t size) {
    struct tw_mqtt5 *m = state;
    struct tw_mqtt5_item item = {.kind = TW_MQTT_PACKET};
    (void)link, (void)from;
    progress(m, now);
    while (item.kind != TW_MQTT_MORE && m->state != CLOSED && m->state != FINISHED) {
        size_t used = tw_mqtt5_parse(&m->parser, data, size, &item);
        data += used;
        size -= used;
        if (item.kind == TW_MQTT_PACKET)
            on_packet(m, now, &item);
        else if (item.kind == TW_MQTT_BEGIN)
            on_publish_begin(m, now, &item);
        else if (item.kind == TW_MQTT_PAYLOAD)
            on_publish_payload(m, now, &item);
        else if (item.kind == TW_MQTT_MALFORMED)
            tw_mqtt5_refuse(m, now, item.code, NULL);
    }
}

/* ---- the engine's table ---- */

static void on_open(void *state, tw_time now, uint8_t link) {
    struct tw_mqtt5 *m = state;
    const struct tw_config *c = m->config;
    (void)link;
    tw_mqtt5_parser_reset(&m->parser, c->packet_max);
    tw_stream_out_clear(&m->out);
    memset(m->owed, 0, sizeof m->owed);
    m->owes_ping = m->mute = m->alias_set = false;
    m->known_aliases = m->incoming = 0;
    m->keepalive_s = c->keepalive_s;
    m->state = CONNECTING;
    m->answer_due = now + TW_MQTT5_ANSWER_LIMIT;
    struct tw_writer w = tw_stream_out_begin(&m->out);
    tw_mqtt5_put_connect(&w, c, c->assigned_id ? m->assigned_id : c->id);
    tw_mqtt5_commit(m, now, &w);
}

static void on_close(void *state, tw_time now, uint8_t link) {
    struct tw_mqtt5 *m = state;
    (void)now, (void)link;
    m->state = CLOSED;
    m->answer_due = m->ping_due = TW_NEVER;
    tw_stream_out_clear(&m->out);
    if (!forgets(m))
        return;
    tw_mqtt5_end_session(m);
    m->receiving.count = 0;
    m->has_session = m->subscribed = false;
}

static enum tw_publish publish(void *state, tw_time now, const struct tw_message *message) {
    return tw_mqtt5_publish(state, now, message);
}

static void on_time(void *state, tw_time now) {
    struct tw_mqtt5 *m = state;
    if (now >= m->answer_due) {
        const char *reason = m->state == READY         ? "no_pingresp"
                             : m->state == FINISHED    ? "disconnect_blocked"
                             : m->state == SUBSCRIBING ? "no_suback"
                                                       : "no_connack";
        return tw_mqtt5_end(m, TW_EVENT_ERROR, reason);
    }
    if (m->state == READY && now >= m->ping_due) {
        m->ping_due = now + tw_mqtt5_ping_interval(m);
        m->owes_ping = true;
        tw_mqtt5_send_due(m, now);
        if (m->answer_due == TW_NEVER)
            m->answer_due = now + TW_MQTT5_ANSWER_LIMIT;
    }
}

static tw_time deadline(const void *state) {
    const struct tw_mqtt5 *m = state;
    return tw_earlier(m->state == READY ? m->ping_due : TW_NEVER, m->answer_due);
}

static bool output(void *state, tw_time now, uint8_t link, struct tw_output *out) {
    struct tw_mqtt5 *m = state;
    (void)now, (void)link;
    return tw_stream_out_get(&m->out, out);
}

static void accepted(void *state, tw_time now, uint8_t link, size_t size) {
    struct tw_mqtt5 *m = state;
    (void)link;
    tw_stream_out_accepted(&m->out, size);
    tw_mqtt5_send_due(m, now);
    if (size > EMPTY_BYTES) /* a PINGREQ alone does not put off the answer to the one before it */
        progress(m, now);
    tw_mqtt5_resend(m, now);
}

static bool idle(const void *state) {
    const struct tw_mqtt5 *m = state;
    return !m->inflight.count && tw_stream_out_empty(&m->out);
}

static void finish(void *state, tw_time now) {
    struct tw_mqtt5 *m = state;
    if (m->state == READY) {
        struct tw_writer w = tw_stream_out_begin(&m->out);
        tw_mqtt5_put_disconnect(&w, 0);
        tw_mqtt5_commit(m, now, &w);
    }
    tw_mqtt5_end(m, TW_EVENT_CLOSE, "finished");
}

const struct tw_engine tw_mqtt5_engine = {
    .name = "mqtt5",
    .transport = TW_STREAM,
    .port = 1883,
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

#endif
