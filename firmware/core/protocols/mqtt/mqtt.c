#include "mqtt.h"

#include <string.h>

#include "core/config.h"
#include "core/util/emit.h"
#include "mqtt_packets.h"

/* How long CONNACK, SUBACK and PINGRESP may take: sections 3.2 and 3.1.2.10 speak of "a reasonable
 * amount of time". */
#define ANSWER_LIMIT TW_SECONDS(10)

enum state { CLOSED, CONNECTING, SUBSCRIBING, READY, FINISHED };
enum flight_state { WAIT_PUBACK, WAIT_PUBREC, WAIT_PUBCOMP };

/* Answers have a topic of their own: that of the messages with this behind it. */
#define ANSWER_SUFFIX "/echo"
#define SUBSCRIPTION_REFUSED 0x80
#define QOS_MOST 2
#define EMPTY_BYTES 2u /* PINGREQ, DISCONNECT */

static bool waits_for_answers(const struct tw_mqtt *m) {
    return m->config->pace == TW_PACE_ANSWER;
}

static bool subscribes(const struct tw_mqtt *m) {
    return m->config->role == TW_ROLE_SUBSCRIBE || m->config->role == TW_ROLE_ECHO ||
           waits_for_answers(m);
}

static bool publishes(const struct tw_config *c) {
    return c->role != TW_ROLE_SUBSCRIBE || c->publish_ms;
}

static const char *init(void *state, const struct tw_setup *setup) {
    struct tw_mqtt *m = state;
    m->config = setup->config;
    m->host = setup->host;
    m->next_id = 1;
    m->has_session = setup->session_kept;
    m->answer_due = m->ping_due = TW_NEVER;
    if (m->config->qos < 0)
        return "qos";
    if (m->config->role == TW_ROLE_SERVE)
        return "role";
    return NULL;
}

static void error(struct tw_mqtt *m, const char *reason) {
    m->state = FINISHED;
    m->answer_due = m->ping_due = TW_NEVER;
    tw_emit(m->host, TW_EVENT_ERROR, 0, reason);
}

/* PINGRESP, SUBACK and the packets that ask for them may be behind long messages: an answer is not
 * late while bytes go either way. */
static void progress(struct tw_mqtt *m, tw_time now) {
    if (m->answer_due != TW_NEVER && m->state != CONNECTING)
        m->answer_due = now + ANSWER_LIMIT;
}

/* Pings at 75 % of the keep-alive, which leaves a quarter for transit. */
static tw_time ping_interval(const struct tw_mqtt *m) {
    return TW_MS(750) * m->config->keepalive_s;
}

/* Restarts the keep-alive timer if a packet was sent [MQTT-3.1.2-23]. */
static bool committed(struct tw_mqtt *m, tw_time now, bool done) {
    if (done && m->config->keepalive_s)
        m->ping_due = now + ping_interval(m);
    return done;
}

static bool commit(struct tw_mqtt *m, tw_time now, const struct tw_writer *w) {
    return committed(m, now, tw_stream_out_commit(&m->out, w));
}

/* A packet of a packet identifier alone (`size` 2), or of nothing. */
static void put_packet(struct tw_mqtt *m, tw_time now, enum tw_mqtt_type type, uint8_t size,
                       uint16_t id) {
    struct tw_writer w = tw_stream_out_begin(&m->out);
    tw_put8(&w, (uint8_t)(type << 4 | (type == TW_MQTT_PUBREL ? 2 : 0)));
    tw_put8(&w, size);
    if (size)
        tw_put16(&w, id);
    commit(m, now, &w);
}

/* Sends the acknowledgements that are due, each type in its order [MQTT-4.6.0-2], and PINGREQ, as
 * far as there is room; DISCONNECT always finds some. */
static void send_due(struct tw_mqtt *m, tw_time now) {
    uint32_t id;
    if (m->state == FINISHED) /* DISCONNECT is the last packet [MQTT-3.14.4-2] */
        return;
    for (enum tw_mqtt_type type = TW_MQTT_PUBACK; type <= TW_MQTT_PUBCOMP; type++) {
        struct tw_owed *owed = &m->owed[type - TW_MQTT_PUBACK];
        while (tw_stream_out_room(&m->out) >= 4 + 2 * EMPTY_BYTES && tw_owed_first(owed, &id)) {
            tw_owed_pop(owed);
            put_packet(m, now, type, 2, (uint16_t)id);
        }
    }
    if (m->owes_ping && tw_stream_out_room(&m->out) >= 2 * EMPTY_BYTES) {
        m->owes_ping = false;
        put_packet(m, now, TW_MQTT_PINGREQ, 0, 0);
    }
}

static void send_ack(struct tw_mqtt *m, tw_time now, enum tw_mqtt_type type, uint16_t id) {
    if (!tw_owed_add(&m->owed[type - TW_MQTT_PUBACK], id))
        return error(m, "output_full");
    send_due(m, now);
}

static void send_subscribe(struct tw_mqtt *m, tw_time now) {
    const struct tw_config *c = m->config;
    struct tw_writer w = tw_stream_out_begin(&m->out);
    m->subscribe_id = tw_inflight_new_id(&m->inflight, &m->next_id);
    tw_mqtt_put_subscribe(&w, m->subscribe_id, c->topic, waits_for_answers(m) ? ANSWER_SUFFIX : "",
                          (uint8_t)c->qos);
    commit(m, now, &w);
}

/* Writes a PUBLISH if it leaves the room that acknowledgements need. */
static bool send_publish(struct tw_mqtt *m, tw_time now, const struct tw_message *message,
                         uint16_t id, bool dup) {
    const struct tw_config *c = m->config;
    const char *suffix = c->role == TW_ROLE_ECHO        ? ANSWER_SUFFIX
                         : c->role == TW_ROLE_SUBSCRIBE ? "/out"
                                                        : "";
    size_t topic = strlen(c->topic) + strlen(suffix);
    size_t length = 2 + topic + (c->qos ? 2u : 0u) + message->size;
    if (!tw_stream_out_takes(&m->out, 5 + length, TW_STREAM_OUT_RESERVE))
        return false;
    struct tw_writer w = tw_stream_out_begin(&m->out);
    tw_put8(&w, (uint8_t)(TW_MQTT_PUBLISH << 4 | (dup ? 8 : 0) | c->qos << 1));
    tw_mqtt_put_length(&w, (uint32_t)length);
    tw_put16(&w, (uint16_t)topic);
    tw_put_text(&w, c->topic);
    tw_put_text(&w, suffix);
    if (c->qos)
        tw_put16(&w, id);
    struct tw_body payload = tw_stream_out_plain(m->host, message);
    return committed(m, now, tw_stream_out_commit_message(&m->out, &w, &payload));
}

/* Sends again, oldest first [MQTT-4.6.0-1], what the last connection left open. */
static void resend(struct tw_mqtt *m, tw_time now) {
    struct tw_flight *flight;
    while (m->state == READY && (flight = tw_inflight_resend(&m->inflight))) {
        if (tw_stream_out_room(&m->out) < TW_STREAM_OUT_RESERVE)
            return;
        if (flight->state == WAIT_PUBCOMP)
            send_ack(m, now, TW_MQTT_PUBREL, (uint16_t)flight->id);
        else if (!send_publish(m, now, &flight->message, (uint16_t)flight->id, flight->attempts))
            return;
        flight->resend = false;
        tw_emit_message(m->host, TW_EVENT_RETRANSMITTED, &flight->message, NULL);
    }
}

static void become_ready(struct tw_mqtt *m, tw_time now) {
    m->state = READY;
    m->answer_due = TW_NEVER;
    tw_emit(m->host, TW_EVENT_CONNECTED, 0, NULL);
    resend(m, now);
}

/* The server has no session: what it may have owned is unknown, what it cannot have is sent as
 * new. */
static void start_session(struct tw_mqtt *m) {
    m->receiving.count = 0;
    m->subscribed = false;
    for (size_t i = 0; i < m->inflight.count;) {
        struct tw_flight *flight = &m->inflight.flights[i];
        if (flight->state == WAIT_PUBCOMP) {
            tw_emit_message(m->host, TW_EVENT_FAILED, &flight->message, "session_lost");
            tw_inflight_remove(&m->inflight, flight);
        } else {
            flight->resend = true;
            flight->attempts = 0;
            i++;
        }
    }
}

static void end(struct tw_mqtt *m, const char *reason) {
    m->state = FINISHED;
    m->answer_due = m->ping_due = TW_NEVER;
    tw_emit(m->host, TW_EVENT_CLOSE, 0, reason);
}

/* In a session of before a reset, identifiers are in use that this device does not know. At QoS 2
 * the server would mistake a new message with one of them for the old one. So it is discarded as
 * section 3.2.2.2 describes: disconnect, connect with a clean session, disconnect. */
static bool must_discard(const struct tw_mqtt *m) {
    return !m->has_session && m->config->qos == 2 && publishes(m->config);
}

static void on_connack(struct tw_mqtt *m, tw_time now, const struct tw_mqtt_item *item) {
    bool present = item->flags & 1;
    if (m->state != CONNECTING || item->flags > 1 || ((m->config->clean || m->discards) && present))
        return error(m, "unexpected_connack");
    if (item->code)
        return error(m, "connection_refused");
    if (m->discards || (present && must_discard(m))) {
        m->discards = !m->discards;
        put_packet(m, now, TW_MQTT_DISCONNECT, 0, 0);
        return end(m, m->discards ? "session_unknown" : "session_discarded");
    }
    m->has_session = true;
    if (present) {
        for (size_t i = 0; i < m->inflight.count; i++) {
            m->inflight.flights[i].resend = true;
            m->inflight.flights[i].attempts = 1;
        }
    } else {
        start_session(m);
    }
    if (!subscribes(m) || m->subscribed)
        return become_ready(m, now);
    m->state = SUBSCRIBING;
    m->answer_due = now + ANSWER_LIMIT;
    send_subscribe(m, now);
}

static void on_suback(struct tw_mqtt *m, tw_time now, const struct tw_mqtt_item *item) {
    if (m->state != SUBSCRIBING || item->id != m->subscribe_id)
        return error(m, "unexpected_suback"); /* [MQTT-3.8.4-2] */
    if (item->code == SUBSCRIPTION_REFUSED)
        return error(m, "subscription_refused");
    if (item->code > QOS_MOST)
        return error(m, "malformed_packet"); /* [MQTT-3.9.3-2] */
    m->subscribed = true;
    become_ready(m, now);
}

static void complete(struct tw_mqtt *m, tw_time now, struct tw_flight *flight) {
    struct tw_message message = flight->message;
    tw_inflight_remove(&m->inflight, flight);
    tw_emit_message(m->host, TW_EVENT_ACKED, &message, NULL);
    resend(m, now);
}

static void on_pubrel(struct tw_mqtt *m, tw_time now, uint16_t id) {
    if (!tw_id_set_remove(&m->receiving, id))
        return error(m, "too_many_incoming");
    send_ack(m, now, TW_MQTT_PUBCOMP, id); /* [MQTT-3.6.4-1], even for an id no longer known */
}

static void on_ack(struct tw_mqtt *m, tw_time now, const struct tw_mqtt_item *item) {
    struct tw_flight *flight = tw_inflight_find(&m->inflight, item->id);
    switch (item->type) {
    case TW_MQTT_PUBACK:
        if (flight && flight->state == WAIT_PUBACK)
            complete(m, now, flight);
        break;
    case TW_MQTT_PUBREC:
        if (flight && flight->state != WAIT_PUBACK) {
            flight->state = WAIT_PUBCOMP;
            flight->resend = false;
        }
        send_ack(m, now, TW_MQTT_PUBREL, item->id);
        break;
    case TW_MQTT_PUBCOMP:
        if (flight && flight->state == WAIT_PUBCOMP)
            complete(m, now, flight);
        break;
    default:
        on_pubrel(m, now, item->id);
    }
}

static void on_packet(struct tw_mqtt *m, tw_time now, const struct tw_mqtt_item *item) {
    if (m->state == CONNECTING && item->type != TW_MQTT_CONNACK)
        return error(m, "connack_expected"); /* [MQTT-3.2.0-1] */
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
        return error(m, "unexpected_unsuback");
    default:
        return on_ack(m, now, item);
    }
}

static void on_publish_begin(struct tw_mqtt *m, const struct tw_mqtt_item *item) {
    if (m->state == CONNECTING)
        return error(m, "connack_expected");
    m->mute = m->segment_full || m->discard;
    m->discard = false;
    m->incoming_qos = m->mute ? 0 : item->qos;
    m->incoming_id = item->id;
    if (m->incoming_qos == 2 && tw_id_set_has(&m->receiving, item->id))
        m->mute = true; /* [MQTT-4.3.3-2]: acknowledged again, not delivered again */
}

static void on_publish_payload(struct tw_mqtt *m, tw_time now, const struct tw_mqtt_item *item) {
    bool known = m->incoming_qos == 2 && m->mute;
    if (item->last && m->incoming_qos == 2 && !known &&
        !tw_id_set_add(&m->receiving, m->incoming_id))
        return error(m, "too_many_incoming");
    if (!m->mute)
        tw_emit_received(m->host, 0, item->payload, item->size, item->offset, item->last);
    if (!item->last)
        return;
    m->segment_full = m->config->quirks & TW_QUIRK_FIRST_MESSAGE_PER_SEGMENT;
    if (m->incoming_qos == 1)
        send_ack(m, now, TW_MQTT_PUBACK, m->incoming_id);
    if (m->incoming_qos == 2)
        send_ack(m, now, TW_MQTT_PUBREC, m->incoming_id);
}

static void feed(struct tw_mqtt *m, tw_time now, const uint8_t *data, size_t size) {
    struct tw_mqtt_item item;
    do {
        size_t used = tw_mqtt_parse(&m->parser, data, size, &item);
        data += used;
        size -= used;
        switch (item.kind) {
        case TW_MQTT_PACKET:
            if (!m->segment_full && !m->discard)
                on_packet(m, now, &item);
            m->discard = false;
            m->segment_full = m->config->quirks & TW_QUIRK_FIRST_MESSAGE_PER_SEGMENT;
            break;
        case TW_MQTT_BEGIN:
            on_publish_begin(m, &item);
            break;
        case TW_MQTT_PAYLOAD:
            on_publish_payload(m, now, &item);
            break;
        case TW_MQTT_MALFORMED:
            error(m, "malformed_packet");
            break;
        case TW_MQTT_MORE:
            break;
        }
    } while (item.kind != TW_MQTT_MORE && m->state != CLOSED && m->state != FINISHED);
}

static void on_bytes(void *state, tw_time now, uint8_t link, const struct tw_peer *from,
                     const uint8_t *data, size_t size) {
    struct tw_mqtt *m = state;
    (void)link, (void)from;
    m->segment_full = false;
    progress(m, now);
    size_t step = m->config->quirks & TW_QUIRK_BYTE_AT_A_TIME_READ ? 1 : size;
    for (size_t at = 0; at < size && m->state != CLOSED && m->state != FINISHED; at += step)
        feed(m, now, data + at, step);
    m->discard |= m->segment_full && tw_mqtt_parser_in_headers(&m->parser);
}

static void on_open(void *state, tw_time now, uint8_t link) {
    struct tw_mqtt *m = state;
    (void)link;
    tw_mqtt_parser_reset(&m->parser);
    tw_stream_out_clear(&m->out);
    memset(m->owed, 0, sizeof m->owed);
    m->owes_ping = false;
    m->state = CONNECTING;
    m->mute = m->segment_full = m->discard = false;
    m->answer_due = now + ANSWER_LIMIT;
    struct tw_writer w = tw_stream_out_begin(&m->out);
    tw_mqtt_put_connect(&w, m->config, m->config->clean || m->discards);
    commit(m, now, &w);
}

static void on_close(void *state, tw_time now, uint8_t link) {
    struct tw_mqtt *m = state;
    (void)now, (void)link;
    m->state = CLOSED;
    m->answer_due = m->ping_due = TW_NEVER;
    tw_stream_out_clear(&m->out);
    if (!m->config->clean)
        return;
    tw_emit_all_failed(m->host, &m->inflight, "connection_lost");
    m->receiving.count = 0;
    m->subscribed = false;
}

static enum tw_publish publish(void *state, tw_time now, const struct tw_message *message) {
    struct tw_mqtt *m = state;
    const struct tw_config *c = m->config;
    if (!publishes(c) || message->size > TW_PAYLOAD_MAX)
        return TW_UNSUPPORTED;
    if (m->state != READY)
        return c->qos ? TW_BUSY : TW_OFFLINE;
    if (!c->qos)
        return send_publish(m, now, message, 0, false) ? TW_PUBLISHED : TW_BUSY;
    if (tw_inflight_resend(&m->inflight))
        return TW_BUSY;
    uint16_t id = tw_inflight_new_id(&m->inflight, &m->next_id);
    size_t limit = c->inflight ? c->inflight : TW_INFLIGHT_MAX;
    struct tw_flight *flight = tw_inflight_add(&m->inflight, limit, id, message);
    if (!flight)
        return TW_BUSY;
    flight->state = c->qos == 1 ? WAIT_PUBACK : WAIT_PUBREC;
    if (send_publish(m, now, message, id, false))
        return TW_PUBLISHED;
    tw_inflight_remove(&m->inflight, flight);
    return TW_BUSY;
}

static void on_time(void *state, tw_time now) {
    struct tw_mqtt *m = state;
    if (now >= m->answer_due)
        return error(m, m->state == READY ? "no_pingresp" : "no_connack");
    if (m->state == READY && now >= m->ping_due) {
        m->ping_due = now + ping_interval(m);
        m->owes_ping = true;
        send_due(m, now);
        if (m->answer_due == TW_NEVER)
            m->answer_due = now + ANSWER_LIMIT;
    }
}

static tw_time deadline(const void *state) {
    const struct tw_mqtt *m = state;
    tw_time ping = m->state == READY ? m->ping_due : TW_NEVER;
    return ping < m->answer_due ? ping : m->answer_due;
}

static bool output(void *state, tw_time now, uint8_t link, struct tw_output *out) {
    struct tw_mqtt *m = state;
    (void)now, (void)link;
    return tw_stream_out_get(&m->out, out);
}

static void accepted(void *state, tw_time now, uint8_t link, size_t size) {
    struct tw_mqtt *m = state;
    (void)link;
    tw_stream_out_accepted(&m->out, size);
    send_due(m, now);
    if (size > EMPTY_BYTES) /* a PINGREQ alone does not put off the answer to the one before it */
        progress(m, now);
    resend(m, now);
}

static bool idle(const void *state) {
    const struct tw_mqtt *m = state;
    return !m->inflight.count && tw_stream_out_empty(&m->out);
}

static void finish(void *state, tw_time now) {
    struct tw_mqtt *m = state;
    if (m->state == READY)
        put_packet(m, now, TW_MQTT_DISCONNECT, 0, 0);
    end(m, "finished");
}

const struct tw_engine tw_mqtt_engine = {
    .name = "mqtt",
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
