#include "mqtt5_flow.h"

#include "core/config.h"
#include "core/util/emit.h"
#include "mqtt5_packets.h"
#include "mqtt5_reasons.h"

#ifdef TW_MQTT5

enum flight_state { WAIT_PUBACK, WAIT_PUBREC, WAIT_PUBCOMP };

#define OUR_ALIAS 1
#define EMPTY_BYTES 2u /* PINGREQ */
#define END_BYTES 3u   /* DISCONNECT with a reason code */
#define ACK_BYTES 5u   /* PUBCOMP with one */
#define IDENTIFIER_NOT_FOUND 0x92

bool tw_mqtt5_asks(const struct tw_mqtt5 *m) {
    return m->config->pace == TW_PACE_ANSWER;
}

bool tw_mqtt5_answers(const struct tw_mqtt5 *m) {
    return m->config->role == TW_ROLE_ECHO;
}

/* ---- ends of a connection ---- */

void tw_mqtt5_end(struct tw_mqtt5 *m, enum tw_event_type type, const char *reason) {
    m->state = FINISHED;
    m->answer_due = m->ping_due = TW_NEVER;
    tw_emit(m->host, type, 0, reason);
}

void tw_mqtt5_refuse(struct tw_mqtt5 *m, tw_time now, uint8_t code, const char *reason) {
    struct tw_writer w = tw_stream_out_begin(&m->out);
    tw_mqtt5_put_disconnect(&w, code);
    tw_stream_out_commit(&m->out, &w);
    tw_mqtt5_end(m, TW_EVENT_CLOSE, reason ? reason : tw_mqtt5_reason(TW_MQTT_DISCONNECT, code));
    m->answer_due = now + TW_MQTT5_ANSWER_LIMIT;
}

/* ---- sending ---- */

/* Pings at 75 % of the keep-alive, which leaves a quarter for transit. */
tw_time tw_mqtt5_ping_interval(const struct tw_mqtt5 *m) {
    return TW_MS(750) * m->keepalive_s;
}

/* Restarts the keep-alive timer if a packet was sent [MQTT-3.1.2-20]. */
bool tw_mqtt5_committed(struct tw_mqtt5 *m, tw_time now, bool done) {
    if (done && m->keepalive_s)
        m->ping_due = now + tw_mqtt5_ping_interval(m);
    return done;
}

bool tw_mqtt5_commit(struct tw_mqtt5 *m, tw_time now, const struct tw_writer *w) {
    return tw_mqtt5_committed(m, now, tw_stream_out_commit(&m->out, w));
}

/* Sends the acknowledgements that are due, each type in its order [MQTT-4.6.0-2 to -4], and
 * PINGREQ, as far as there is room; DISCONNECT always finds some. */
void tw_mqtt5_send_due(struct tw_mqtt5 *m, tw_time now) {
    uint32_t owed;
    if (m->state == FINISHED) /* DISCONNECT is the last packet [MQTT-3.14.4-2] */
        return;
    for (uint8_t type = TW_MQTT_PUBACK; type <= TW_MQTT_PUBCOMP; type++) {
        struct tw_owed *list = &m->owed[type - TW_MQTT_PUBACK];
        while (tw_stream_out_room(&m->out) >= ACK_BYTES + EMPTY_BYTES + END_BYTES &&
               tw_owed_first(list, &owed)) {
            struct tw_writer w = tw_stream_out_begin(&m->out);
            tw_owed_pop(list);
            tw_mqtt5_put_ack(&w, type, (uint16_t)owed, (uint8_t)(owed >> 16));
            tw_mqtt5_commit(m, now, &w);
            if ((type == TW_MQTT_PUBACK || type == TW_MQTT_PUBCOMP) && m->incoming)
                m->incoming--;
        }
    }
    if (m->owes_ping && tw_stream_out_room(&m->out) >= EMPTY_BYTES + END_BYTES) {
        struct tw_writer w = tw_stream_out_begin(&m->out);
        m->owes_ping = false;
        tw_put8(&w, TW_MQTT_PINGREQ << 4);
        tw_put8(&w, 0);
        tw_mqtt5_commit(m, now, &w);
    }
}

void tw_mqtt5_send_ack(struct tw_mqtt5 *m, tw_time now, enum tw_mqtt_type type, uint16_t id,
                       uint8_t code) {
    if (!tw_owed_add(&m->owed[type - TW_MQTT_PUBACK], (uint32_t)code << 16 | id))
        return tw_mqtt5_refuse(m, now, TW_MQTT5_IMPLEMENTATION_SPECIFIC, "output_full");
    tw_mqtt5_send_due(m, now);
}

/* What is left of a message's lifetime, s: at least 1; 0: it has none. */
static uint32_t lifetime(const struct tw_mqtt5 *m, tw_time now, const struct tw_message *message) {
    uint32_t whole = m->config->message_expiry_s;
    tw_time age_s = (now - message->created_us) / TW_SECONDS(1);
    return !whole ? 0 : age_s < whole ? whole - (uint32_t)age_s : 1;
}

/* The head of the PUBLISH for a message, which answers `request` if that is not NULL. `number`:
 * room for its correlation data. */
static struct tw_mqtt5_publish head_of(const struct tw_mqtt5 *m, tw_time now,
                                       const struct tw_message *message, uint8_t number[4],
                                       const struct tw_mqtt5_request *request) {
    const struct tw_config *c = m->config;
    struct tw_mqtt5_publish head = {.qos = (uint8_t)c->qos,
                                    .expiry_s = lifetime(m, now, message),
                                    .payload_bytes = message->size};
    if (request) {
        head.topic.text = request->topic;
        head.topic.suffix = "";
        head.topic.text_bytes = request->topic_bytes;
        head.correlation = request->correlation;
        head.correlation_bytes = request->correlation_bytes;
        return head;
    }
    head.topic = tw_mqtt5_topic(c->topic, tw_mqtt5_answers(m) ? TW_MQTT5_ANSWER_SUFFIX : "");
    if (c->topic_alias && m->alias_max) {
        head.alias = OUR_ALIAS;
        if (m->alias_set)
            head.topic = tw_mqtt5_topic("", "");
    }
    if (tw_mqtt5_asks(m)) {
        struct tw_writer w = tw_writer(number, 4);
        tw_put32(&w, message->seq);
        head.answer = tw_mqtt5_topic(c->topic, TW_MQTT5_ANSWER_SUFFIX);
        head.correlation = number;
        head.correlation_bytes = 4;
    }
    return head;
}

static bool too_large(const struct tw_mqtt5 *m, const struct tw_mqtt5_publish *head) {
    return m->packet_max && tw_mqtt5_publish_bytes(head) > m->packet_max;
}

/* Writes a PUBLISH if it leaves the room that acknowledgements need, and the server takes another
 * one (section 4.9): those of QoS 0 use up no quota. */
static bool send_publish(struct tw_mqtt5 *m, tw_time now, const struct tw_mqtt5_publish *head,
                         const struct tw_message *message) {
    if (!m->quota ||
        !tw_stream_out_takes(&m->out, tw_mqtt5_publish_bytes(head), TW_STREAM_OUT_RESERVE))
        return false;
    struct tw_writer w = tw_stream_out_begin(&m->out);
    tw_mqtt5_put_publish(&w, head);
    struct tw_body payload = tw_stream_out_plain(m->host, message);
    if (!tw_mqtt5_committed(m, now, tw_stream_out_commit_message(&m->out, &w, &payload)))
        return false;
    m->alias_set |= head->alias != 0;
    if (head->qos)
        m->quota--;
    return true;
}

/* A flight is over: its answer's request as well. */
static void forget_flight(struct tw_mqtt5 *m, struct tw_flight *flight) {
    struct tw_mqtt5_request *request = tw_mqtt5_requests_find(&m->requests, (uint16_t)flight->id);
    if (request)
        tw_mqtt5_requests_remove(&m->requests, request);
    tw_inflight_remove(&m->inflight, flight);
}

static void fail(struct tw_mqtt5 *m, struct tw_flight *flight, const char *reason) {
    tw_emit_message(m->host, TW_EVENT_FAILED, &flight->message, reason);
    forget_flight(m, flight);
}

/* Sends again, oldest first [MQTT-4.6.0-1], what the last connection left open. */
void tw_mqtt5_resend(struct tw_mqtt5 *m, tw_time now) {
    struct tw_flight *flight;
    while (m->state == READY && (flight = tw_inflight_resend(&m->inflight))) {
        if (tw_stream_out_room(&m->out) < TW_STREAM_OUT_RESERVE)
            return;
        if (flight->state == WAIT_PUBCOMP) {
            tw_mqtt5_send_ack(m, now, TW_MQTT_PUBREL, (uint16_t)flight->id, 0);
        } else {
            uint8_t number[4];
            uint16_t id = (uint16_t)flight->id;
            struct tw_mqtt5_publish head =
                head_of(m, now, &flight->message, number, tw_mqtt5_requests_find(&m->requests, id));
            head.id = id;
            head.dup = flight->attempts;
            if (too_large(m, &head)) { /* this server takes less than the last one did */
                fail(m, flight, "packet_too_large");
                continue;
            }
            if (!send_publish(m, now, &head, &flight->message))
                return;
        }
        flight->resend = false;
        tw_emit_message(m->host, TW_EVENT_RETRANSMITTED, &flight->message, NULL);
    }
}

/* ---- acknowledgements of our messages ---- */

static void restore_quota(struct tw_mqtt5 *m) {
    if (m->quota < m->receive_max)
        m->quota++;
}

/* The exchange of a message has come to its end, with this reason code. */
static void complete(struct tw_mqtt5 *m, tw_time now, struct tw_flight *flight,
                     const char *failure) {
    struct tw_message message = flight->message;
    restore_quota(m);
    forget_flight(m, flight);
    tw_emit_message(m->host, failure ? TW_EVENT_FAILED : TW_EVENT_ACKED, &message, failure);
    tw_mqtt5_resend(m, now);
}

static void on_pubrec(struct tw_mqtt5 *m, tw_time now, const struct tw_mqtt5_item *item,
                      struct tw_flight *flight, const char *failure) {
    if (flight && flight->state == WAIT_PUBREC && failure)
        return complete(m, now, flight, failure); /* no PUBREL follows, section 4.3.3 */
    if (failure)
        return;
    if (!flight || flight->state == WAIT_PUBACK)
        return tw_mqtt5_send_ack(m, now, TW_MQTT_PUBREL, item->id, IDENTIFIER_NOT_FOUND);
    flight->state = WAIT_PUBCOMP;
    flight->resend = false;
    tw_mqtt5_send_ack(m, now, TW_MQTT_PUBREL, item->id, 0);
}

static void on_pubrel(struct tw_mqtt5 *m, tw_time now, uint16_t id) {
    bool known = tw_id_set_has(&m->receiving, id);
    if (!tw_id_set_remove(&m->receiving, id))
        return tw_mqtt5_refuse(m, now, TW_MQTT5_IMPLEMENTATION_SPECIFIC, "too_many_incoming");
    tw_mqtt5_send_ack(m, now, TW_MQTT_PUBCOMP, id, known ? 0 : IDENTIFIER_NOT_FOUND);
}

void tw_mqtt5_on_ack(struct tw_mqtt5 *m, tw_time now, const struct tw_mqtt5_item *item) {
    struct tw_flight *flight = tw_inflight_find(&m->inflight, item->id);
    const char *name = tw_mqtt5_reason(item->type, item->code);
    if (!name || !item->id)
        return tw_mqtt5_refuse(m, now, TW_MQTT5_PROTOCOL_ERROR, NULL);
    const char *failure = item->code < TW_MQTT5_FAILURE ? NULL : name;
    switch (item->type) {
    case TW_MQTT_PUBACK:
        if (flight && flight->state == WAIT_PUBACK)
            complete(m, now, flight, failure);
        break;
    case TW_MQTT_PUBREC:
        on_pubrec(m, now, item, flight, failure);
        break;
    case TW_MQTT_PUBCOMP: /* a server that does not know the identifier has let go of it before */
        if (flight && flight->state == WAIT_PUBCOMP)
            complete(m, now, flight, NULL);
        break;
    default:
        on_pubrel(m, now, item->id);
    }
}

/* ---- the session's messages ---- */

void tw_mqtt5_start_session(struct tw_mqtt5 *m) {
    for (size_t i = 0; i < m->inflight.count;) {
        struct tw_flight *flight = &m->inflight.flights[i];
        if (flight->state == WAIT_PUBCOMP) {
            fail(m, flight, "session_lost");
        } else {
            flight->resend = true;
            flight->attempts = 0;
            i++;
        }
    }
}

void tw_mqtt5_resume_session(struct tw_mqtt5 *m) {
    for (size_t i = 0; i < m->inflight.count; i++) {
        m->inflight.flights[i].resend = true;
        m->inflight.flights[i].attempts = 1;
    }
}

void tw_mqtt5_end_session(struct tw_mqtt5 *m) {
    while (m->inflight.count)
        fail(m, m->inflight.flights, "connection_lost");
}

/* ---- the application's messages ---- */

static bool expired(const struct tw_mqtt5 *m, tw_time now, const struct tw_message *message) {
    uint32_t limit = m->config->message_expiry_s;
    return limit && now - message->created_us >= TW_SECONDS(limit);
}

enum tw_publish tw_mqtt5_publish(struct tw_mqtt5 *m, tw_time now,
                                 const struct tw_message *message) {
    const struct tw_config *c = m->config;
    struct tw_mqtt5_request *request = NULL;
    struct tw_flight *flight = NULL;
    uint8_t number[4];
    if (c->role == TW_ROLE_SUBSCRIBE || message->size > TW_PAYLOAD_MAX)
        return TW_UNSUPPORTED;
    if (m->state != READY)
        return c->qos ? TW_BUSY : TW_OFFLINE;
    if (tw_inflight_resend(&m->inflight))
        return TW_BUSY;
    if (expired(m, now, message) && !tw_mqtt5_asks(m)) { /* a request ends with its answer */
        tw_emit_message(m->host, TW_EVENT_FAILED, message, "message_expired");
        return TW_UNWANTED;
    }
    if (tw_mqtt5_answers(m))
        request = tw_mqtt5_requests_next(&m->requests, message->created_us);
    struct tw_mqtt5_publish head = head_of(m, now, message, number, request);
    if (too_large(m, &head))
        return TW_UNSUPPORTED;
    if (c->qos) {
        head.id = tw_inflight_new_id(&m->inflight, &m->next_id);
        flight = tw_inflight_add(&m->inflight, c->inflight ? c->inflight : TW_INFLIGHT_MAX, head.id,
                                 message);
        if (!flight)
            return TW_BUSY;
        flight->state = c->qos == 1 ? WAIT_PUBACK : WAIT_PUBREC;
    }
    if (!send_publish(m, now, &head, message)) {
        if (flight)
            tw_inflight_remove(&m->inflight, flight);
        return TW_BUSY;
    }
    m->asked = message->seq;
    if (request && c->qos)
        request->answer_id = head.id;
    else if (request)
        tw_mqtt5_requests_remove(&m->requests, request);
    return TW_PUBLISHED;
}

#endif
