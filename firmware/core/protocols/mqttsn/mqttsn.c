#include "mqttsn.h"

#include <string.h>

#include "core/config.h"
#include "core/util/emit.h"
#include "core/util/random.h"

enum state { CLOSED, SEARCHING, CONNECTING, PREPARING, READY, FALLING_ASLEEP, ASLEEP, AWAKE, DONE };

/* A sleeping client's device sleeps when it has had nothing to do for this long. */
#define IDLE_BEFORE_SLEEP TW_SECONDS(1)

bool tw_mqttsn_subscribes(const struct tw_mqttsn *m) {
    return m->config->role == TW_ROLE_SUBSCRIBE || m->config->role == TW_ROLE_ECHO;
}

static tw_time retry(const struct tw_mqttsn *m) {
    return TW_MS(m->config->retry_ms);
}

static void stop_timers(struct tw_mqttsn *m) {
    m->request_due = m->ping_due = m->idle_due = m->wake_due = m->congested_until = TW_NEVER;
}

static const char *init(void *state, const struct tw_setup *setup) {
    struct tw_mqttsn *m = state;
    const struct tw_config *c = m->config = setup->config;
    m->host = setup->host;
    m->random = setup->random;
    m->next_id = 1;
    stop_timers(m);
    if (c->role == TW_ROLE_SERVE)
        return "role";
    if (c->qos < 0 && (c->role != TW_ROLE_PUBLISH || c->topic_type == TW_TOPIC_NORMAL))
        return "topic_type"; /* QoS -1 knows no registration (section 6.8) */
    if (c->topic_type == TW_TOPIC_SHORT && strlen(c->topic) != 2)
        return "topic";
    if (c->role != TW_ROLE_SUBSCRIBE && c->topic_type != TW_TOPIC_PREDEFINED &&
        c->topic[strcspn(c->topic, "+#")])
        return "topic"; /* a filter, which nobody can publish to (MQTT 3.1.1, section 4.7.1) */
    if (c->role == TW_ROLE_ECHO && c->topic_type != TW_TOPIC_NORMAL)
        return "topic_type";
    return tw_config_too_large(c, TW_SEGMENT_MAX);
}

static void error(struct tw_mqttsn *m, const char *reason) {
    m->state = DONE;
    m->request_open = m->request_send = false;
    stop_timers(m);
    tw_emit(m->host, TW_EVENT_ERROR, 0, reason);
}

void tw_mqttsn_reply(struct tw_mqttsn *m, enum tw_mqttsn_type type, uint16_t topic_id,
                     uint16_t message_id, uint8_t code) {
    if (m->reply_count == TW_MQTTSN_REPLIES)
        return; /* lost, as a datagram may be: the gateway repeats */
    m->replies[m->reply_count++] =
        (struct tw_mqttsn_reply){(uint8_t)type, code, topic_id, message_id};
}

/* Sends a request at `now` + `delay` and repeats it until it is answered. */
static void request(struct tw_mqttsn *m, tw_time now, enum tw_mqttsn_type type) {
    m->request = (uint8_t)type;
    m->request_open = m->request_send = true;
    m->attempts = 0;
    m->request_id = tw_inflight_new_id(&m->inflight, &m->next_id);
    m->request_due = now + retry(m);
}

static void answered(struct tw_mqttsn *m) {
    m->request_open = m->request_send = false;
    m->request_due = TW_NEVER;
}

static bool waits_for(const struct tw_mqttsn *m, enum tw_mqttsn_type type) {
    return m->request_open && m->request == type;
}

/* Postpones sleep and keep-alive: something was sent or received. */
static void active(struct tw_mqttsn *m, tw_time now) {
    if (m->state != READY)
        return;
    if (m->config->keepalive_s && m->config->qos >= 0)
        m->ping_due = now + TW_MS(750) * m->config->keepalive_s;
    m->idle_due = m->config->sleep_s ? now + IDLE_BEFORE_SLEEP : TW_NEVER;
}

static void become_ready(struct tw_mqttsn *m, tw_time now) {
    m->state = READY;
    m->wake_due = TW_NEVER;
    active(m, now);
    if (m->was_connected)
        return; /* awake again after sleep: the session never ended */
    m->was_connected = true;
    tw_emit(m->host, TW_EVENT_CONNECTED, 0, NULL);
    for (size_t i = 0; i < m->inflight.count; i++) {
        struct tw_flight *flight = &m->inflight.flights[i];
        flight->resend = true;
        flight->attempts = 1;
        flight->due = now + retry(m);
        tw_emit_message(m->host, TW_EVENT_RETRANSMITTED, &flight->message, NULL);
    }
}

/* After CONNACK: subscribes and registers as far as the role and kind of topic need it. */
static void prepare(struct tw_mqttsn *m, tw_time now) {
    const struct tw_config *c = m->config;
    m->state = PREPARING;
    if (tw_mqttsn_subscribes(m) && !m->subscribed)
        return request(m, now, TW_MQTTSN_SUBSCRIBE);
    if (c->topic_type == TW_TOPIC_PREDEFINED)
        m->publish_id = c->topic_id;
    else if (c->topic_type == TW_TOPIC_SHORT)
        m->publish_id = tw_mqttsn_short_topic(c->topic);
    else if (c->role != TW_ROLE_SUBSCRIBE && !m->publish_id)
        return request(m, now, TW_MQTTSN_REGISTER);
    become_ready(m, now);
}

static void connect(struct tw_mqttsn *m, tw_time now) {
    m->state = CONNECTING;
    m->resuming = m->was_connected;
    request(m, now, TW_MQTTSN_CONNECT);
}

static void start(struct tw_mqttsn *m, tw_time now) {
    if (m->config->qos < 0)
        return prepare(m, now); /* QoS -1 needs no connection */
    connect(m, now);
}

static void on_open(void *state, tw_time now, uint8_t link) {
    struct tw_mqttsn *m = state;
    (void)link;
    m->reply_count = 0;
    m->gateway = (struct tw_peer){0};
    m->subscribed = m->was_connected = m->one_way_pending = m->renewed = false;
    m->publish_id = m->subscribe_id = m->refused_id = 0;
    m->topics.count = 0;
    if (!m->config->search)
        return start(m, now);
    m->state = SEARCHING; /* after a random pause: a cell that wakes up is not to shout at once */
    request(m, now, TW_MQTTSN_SEARCHGW);
    m->request_send = false;
    m->request_due = now + TW_MS(tw_random_below(m->random, TW_MQTTSN_T_SEARCHGW_MS));
}

static void on_close(void *state, tw_time now, uint8_t link) {
    struct tw_mqttsn *m = state;
    (void)now, (void)link;
    m->state = CLOSED;
    stop_timers(m);
    m->request_open = m->request_send = m->one_way_pending = false;
    m->reply_count = 0;
    if (!m->config->clean)
        return;
    tw_emit_all_failed(m->host, &m->inflight, "connection_lost");
    m->receiving.count = 0;
}

static void on_gateway(struct tw_mqttsn *m, tw_time now, const struct tw_peer *from,
                       const struct tw_mqttsn_packet *p) {
    if (m->state != SEARCHING)
        return;
    m->gateway = *from;
    if (p->size == 4) { /* a neighbour answered for the gateway, with its IPv4 address */
        struct tw_reader r = tw_reader(p->data, 4);
        m->gateway = (struct tw_peer){tw_get32(&r), m->config->port};
    }
    answered(m);
    start(m, now);
}

static void complete(struct tw_mqttsn *m, struct tw_flight *flight) {
    struct tw_message message = flight->message;
    m->renewed = false;
    tw_inflight_remove(&m->inflight, flight);
    tw_emit_message(m->host, TW_EVENT_ACKED, &message, NULL);
}

/* The gateway has too much to do: publishes nothing for T_WAIT (section 6.6). */
static void on_congestion(struct tw_mqttsn *m, tw_time now) {
    m->congested_until = now + TW_MQTTSN_T_WAIT;
    for (size_t i = 0; i < m->inflight.count; i++) {
        struct tw_flight *flight = &m->inflight.flights[i];
        if (flight->state == TW_MQTTSN_PUBLISH) {
            flight->resend = false;
            flight->attempts = 0;
            flight->due = m->congested_until;
        }
    }
}

/* The gateway does not know the topic id of a PUBLISH: registers the topic again, and then repeats
 * the message (section 6.6). False: the gateway also refuses the id that it gave for that. */
static bool renew_topic(struct tw_mqttsn *m, tw_time now, struct tw_flight *flight, uint16_t id) {
    bool late = m->refused_id && id == m->refused_id && id != m->publish_id; /* of the old id */
    if (flight && m->renewed && m->publish_id && !late) {
        m->renewed = false;
        return false;
    }
    if (flight)
        flight->resend = true;
    if (late)
        return true;
    if (m->publish_id)
        m->refused_id = m->publish_id;
    m->publish_id = 0;
    m->renewed = true;
    if (m->state == READY)
        prepare(m, now);
    return true;
}

static void on_puback(struct tw_mqttsn *m, tw_time now, const struct tw_mqttsn_packet *p) {
    struct tw_flight *flight = tw_inflight_find(&m->inflight, p->message_id);
    if (p->code == TW_MQTTSN_INVALID_TOPIC && m->config->topic_type == TW_TOPIC_NORMAL &&
        renew_topic(m, now, flight, p->topic_id))
        return;
    if (p->code == TW_MQTTSN_CONGESTION)
        return on_congestion(m, now);
    if (!flight || flight->state != TW_MQTTSN_PUBLISH)
        return;
    if (p->code == TW_MQTTSN_ACCEPTED && m->config->qos == 1)
        return complete(m, flight);
    if (p->code != TW_MQTTSN_ACCEPTED) {
        tw_emit_message(m->host, TW_EVENT_FAILED, &flight->message, "refused");
        tw_inflight_remove(&m->inflight, flight);
    }
}

static void on_pubrec(struct tw_mqttsn *m, tw_time now, uint16_t id) {
    struct tw_flight *flight = tw_inflight_find(&m->inflight, id);
    if (!flight)
        return tw_mqttsn_reply(m, TW_MQTTSN_PUBREL, 0, id, 0);
    if (m->config->qos != 2)
        return;
    flight->state = TW_MQTTSN_PUBREL;
    flight->attempts = 0;
    flight->resend = true;
    flight->due = now + retry(m);
}

static void on_connack(struct tw_mqttsn *m, tw_time now, uint8_t code) {
    if (!waits_for(m, TW_MQTTSN_CONNECT))
        return;
    if (code == TW_MQTTSN_CONGESTION)
        return error(m, "congestion");
    if (code != TW_MQTTSN_ACCEPTED)
        return error(m, "connection_refused");
    answered(m);
    prepare(m, now);
}

static void on_suback(struct tw_mqttsn *m, tw_time now, const struct tw_mqttsn_packet *p) {
    const struct tw_config *c = m->config;
    if (!waits_for(m, TW_MQTTSN_SUBSCRIBE) || p->message_id != m->request_id)
        return;
    if (p->code != TW_MQTTSN_ACCEPTED)
        return error(m, "subscription_refused");
    m->subscribe_id = c->topic_type == TW_TOPIC_SHORT        ? tw_mqttsn_short_topic(c->topic)
                      : c->topic_type == TW_TOPIC_PREDEFINED ? c->topic_id
                                                             : p->topic_id;
    m->subscribed = true;
    answered(m);
    prepare(m, now);
}

static void on_regack(struct tw_mqttsn *m, tw_time now, const struct tw_mqttsn_packet *p) {
    if (!waits_for(m, TW_MQTTSN_REGISTER) || p->message_id != m->request_id)
        return;
    if (p->code == TW_MQTTSN_CONGESTION) { /* asks again after T_WAIT (section 6.5) */
        m->attempts = 0;
        m->request_due = now + TW_MQTTSN_T_WAIT;
        return;
    }
    if (p->code != TW_MQTTSN_ACCEPTED || !p->topic_id)
        return error(m, "registration_refused");
    m->publish_id = p->topic_id;
    answered(m);
    prepare(m, now);
}

static void fall_asleep(struct tw_mqttsn *m, tw_time now) {
    answered(m);
    m->state = ASLEEP;
    m->ping_due = m->idle_due = TW_NEVER;
    m->wake_due = now + TW_MS(875) * m->config->sleep_s; /* before the gateway gives up on us */
}

static void on_packet(struct tw_mqttsn *m, tw_time now, const struct tw_peer *from,
                      const struct tw_mqttsn_packet *p) {
    struct tw_flight *flight;
    switch (p->type) {
    case TW_MQTTSN_ADVERTISE:
    case TW_MQTTSN_GWINFO:
        return on_gateway(m, now, from, p);
    case TW_MQTTSN_CONNACK:
        return on_connack(m, now, p->code);
    case TW_MQTTSN_WILLTOPICREQ:
        return tw_mqttsn_reply(m, TW_MQTTSN_WILLTOPIC, 0, 0, 0);
    case TW_MQTTSN_WILLMSGREQ:
        return tw_mqttsn_reply(m, TW_MQTTSN_WILLMSG, 0, 0, 0);
    case TW_MQTTSN_REGISTER:
        return tw_mqttsn_on_register(m, p);
    case TW_MQTTSN_REGACK:
        return on_regack(m, now, p);
    case TW_MQTTSN_SUBACK:
        return on_suback(m, now, p);
    case TW_MQTTSN_PUBLISH:
        return tw_mqttsn_on_publish(m, p);
    case TW_MQTTSN_PUBACK:
        return on_puback(m, now, p);
    case TW_MQTTSN_PUBREC:
        return on_pubrec(m, now, p->message_id);
    case TW_MQTTSN_PUBREL:
        return tw_mqttsn_on_pubrel(m, p->message_id);
    case TW_MQTTSN_PUBCOMP:
        flight = tw_inflight_find(&m->inflight, p->message_id);
        if (flight && flight->state == TW_MQTTSN_PUBREL)
            complete(m, flight);
        return;
    case TW_MQTTSN_PINGREQ:
        return tw_mqttsn_reply(m, TW_MQTTSN_PINGRESP, 0, 0, 0);
    case TW_MQTTSN_PINGRESP:
        if (!waits_for(m, TW_MQTTSN_PINGREQ))
            return;
        answered(m);
        if (m->state == AWAKE)
            fall_asleep(m, now);
        return;
    default: /* DISCONNECT: the answer to ours, or the gateway's own */
        if (m->state == FALLING_ASLEEP && waits_for(m, TW_MQTTSN_DISCONNECT))
            return fall_asleep(m, now);
        if (m->state == ASLEEP && m->request == TW_MQTTSN_DISCONNECT && m->attempts)
            return (void)m->attempts--; /* the answer to a copy of ours */
        error(m, "disconnected_by_gateway");
    }
}

static void on_bytes(void *state, tw_time now, uint8_t link, const struct tw_peer *from,
                     const uint8_t *data, size_t size) {
    struct tw_mqttsn *m = state;
    struct tw_mqttsn_packet packet;
    (void)link;
    if (m->state == CLOSED || m->state == DONE || !tw_mqttsn_parse(&packet, data, size) ||
        !tw_mqttsn_accepts(m, m->state == SEARCHING, from, packet.type))
        return;
    active(m, now);
    on_packet(m, now, from, &packet);
}

static enum tw_publish publish(void *state, tw_time now, const struct tw_message *message) {
    struct tw_mqttsn *m = state;
    const struct tw_config *c = m->config;
    size_t limit = c->inflight ? c->inflight : 1; /* section 6.6: one outstanding at a time */
    if (c->role == TW_ROLE_SUBSCRIBE || message->size > TW_SEGMENT_MAX)
        return TW_UNSUPPORTED;
    if (m->state == ASLEEP)
        connect(m, now); /* a sleeping client has to connect before it publishes (section 6.14) */
    if (m->state != READY || m->congested_until != TW_NEVER)
        return c->qos > 0 || m->was_connected ? TW_BUSY : TW_OFFLINE;
    if (c->qos <= 0) {
        if (m->one_way_pending)
            return TW_BUSY;
        m->one_way = *message;
        m->one_way_pending = true;
    } else {
        struct tw_flight *flight =
            m->inflight.count < limit
                ? tw_inflight_add(&m->inflight, limit,
                                  tw_inflight_new_id(&m->inflight, &m->next_id), message)
                : NULL;
        if (!flight)
            return TW_BUSY;
        flight->state = TW_MQTTSN_PUBLISH;
        flight->resend = true;
        flight->due = now + retry(m);
    }
    active(m, now);
    return TW_PUBLISHED;
}

static void repeat_flights(struct tw_mqttsn *m, tw_time now) {
    for (size_t i = 0; i < m->inflight.count; i++) {
        struct tw_flight *flight = &m->inflight.flights[i];
        if (now < flight->due)
            continue;
        if (flight->attempts == TW_MQTTSN_N_RETRY)
            return error(m, "no_answer"); /* the gateway is gone (section 6.13) */
        flight->attempts++;
        flight->resend = true;
        flight->due = now + retry(m);
        tw_emit_message(m->host, TW_EVENT_RETRANSMITTED, &flight->message, NULL);
    }
}

static void repeat_request(struct tw_mqttsn *m, tw_time now) {
    bool first_search = m->state == SEARCHING && !m->request_send && !m->attempts;
    if (m->attempts == TW_MQTTSN_N_RETRY)
        return error(m, "no_answer");
    m->attempts++;
    m->request_send = true;
    m->request_due = now + retry(m);
    if (m->state == SEARCHING) /* exponential (section 6.1) */
        m->request_due = now + (TW_MS(TW_MQTTSN_T_SEARCHGW_MS) << (m->attempts - 1));
    if (!first_search)
        tw_emit_message(m->host, TW_EVENT_RETRANSMITTED, &(struct tw_message){0}, NULL);
}

static void on_time(void *state, tw_time now) {
    struct tw_mqttsn *m = state;
    if (m->request_open && now >= m->request_due)
        repeat_request(m, now);
    if (now >= m->congested_until)
        m->congested_until = TW_NEVER;
    if (m->state == READY)
        repeat_flights(m, now);
    if (m->state == READY && now >= m->idle_due && !m->inflight.count && !m->one_way_pending) {
        m->state = FALLING_ASLEEP;
        request(m, now, TW_MQTTSN_DISCONNECT);
    } else if (m->state == READY && now >= m->ping_due) {
        m->ping_due = now + TW_MS(750) * m->config->keepalive_s;
        if (!m->request_open)
            request(m, now, TW_MQTTSN_PINGREQ);
    } else if (m->state == ASLEEP && now >= m->wake_due) {
        m->state = AWAKE;
        request(m, now, TW_MQTTSN_PINGREQ);
    }
}

static tw_time deadline(const void *state) {
    const struct tw_mqttsn *m = state;
    tw_time due = m->request_due;
    if (m->state == READY) {
        due = tw_earlier(due, tw_earlier(m->ping_due, tw_inflight_due(&m->inflight)));
        due = tw_earlier(due, m->congested_until);
        if (!m->inflight.count && !m->one_way_pending)
            due = tw_earlier(due, m->idle_due);
    }
    return m->state == ASLEEP ? tw_earlier(due, m->wake_due) : due;
}

static bool output(void *state, tw_time now, uint8_t link, struct tw_output *out) {
    struct tw_mqttsn *m = state;
    (void)now, (void)link;
    if (m->state == CLOSED)
        return false;
    out->data = m->datagram;
    out->size = tw_mqttsn_output(m, &out->to);
    return out->size > 0;
}

static void accepted(void *state, tw_time now, uint8_t link, size_t size) {
    (void)now, (void)link, (void)size;
    tw_mqttsn_sent(state);
}

static bool idle(const void *state) {
    const struct tw_mqttsn *m = state;
    return !m->inflight.count && !m->one_way_pending && !m->reply_count;
}

static void finish(void *state, tw_time now) {
    struct tw_mqttsn *m = state;
    (void)now;
    if (m->state != CLOSED && m->state != SEARCHING && m->config->qos >= 0)
        tw_mqttsn_reply(m, TW_MQTTSN_DISCONNECT, 0, 0, 0);
    answered(m);
    m->state = DONE;
    m->ping_due = m->idle_due = m->wake_due = TW_NEVER;
    tw_emit(m->host, TW_EVENT_CLOSE, 0, "finished");
}

const struct tw_engine tw_mqttsn_engine = {
    .name = "mqttsn",
    .transport = TW_DATAGRAM,
    .port = 1884,
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
