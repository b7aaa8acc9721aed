#include <string.h>

#include "core/config.h"
#include "mqttsn.h"

enum sending { REPLY, REQUEST, FLIGHT, ONE_WAY };

#define PROTOCOL_ID 1
#define BROADCAST 0xFFFFFFFFu
#define SEARCH_RADIUS 1

uint16_t tw_mqttsn_short_topic(const char *name) {
    return (uint16_t)((uint8_t)name[0] << 8 | (uint8_t)name[1]);
}

static struct tw_writer begin(struct tw_mqttsn *m, enum tw_mqttsn_type type, size_t body) {
    return tw_mqttsn_begin(m->datagram, sizeof m->datagram, type, body);
}

static const char *publish_suffix(const struct tw_mqttsn *m) {
    return m->config->role == TW_ROLE_ECHO ? "/echo" : "";
}

static size_t put_connect(struct tw_mqttsn *m) {
    const struct tw_config *c = m->config;
    struct tw_writer w = begin(m, TW_MQTTSN_CONNECT, 4 + strlen(c->id));
    unsigned flags = 0;
    if (!m->resuming)
        flags = (c->clean ? TW_MQTTSN_CLEAN : 0u) | (c->will ? TW_MQTTSN_WILL : 0u);
    tw_put8(&w, (uint8_t)flags);
    tw_put8(&w, PROTOCOL_ID);
    tw_put16(&w, c->keepalive_s);
    tw_put_text(&w, c->id);
    return w.used;
}

static size_t put_subscribe(struct tw_mqttsn *m) {
    const struct tw_config *c = m->config;
    bool named = c->topic_type != TW_TOPIC_PREDEFINED;
    struct tw_writer w = begin(m, TW_MQTTSN_SUBSCRIBE, 3 + (named ? strlen(c->topic) : 2));
    unsigned qos = c->qos < 0 ? 0 : (unsigned)c->qos;
    tw_put8(&w, (uint8_t)((m->attempts ? TW_MQTTSN_DUP : 0u) | TW_MQTTSN_QOS(qos) |
                          (unsigned)c->topic_type));
    tw_put16(&w, m->request_id);
    if (named)
        tw_put_text(&w, c->topic);
    else
        tw_put16(&w, c->topic_id);
    return w.used;
}

static size_t put_register(struct tw_mqttsn *m) {
    const char *suffix = publish_suffix(m);
    struct tw_writer w =
        begin(m, TW_MQTTSN_REGISTER, 4 + strlen(m->config->topic) + strlen(suffix));
    tw_put16(&w, 0); /* a client does not know the id yet (section 5.4.10) */
    tw_put16(&w, m->request_id);
    tw_put_text(&w, m->config->topic);
    tw_put_text(&w, suffix);
    return w.used;
}

static size_t put_request(struct tw_mqttsn *m) {
    struct tw_writer w;
    bool asleep_or_falling;
    switch (m->request) {
    case TW_MQTTSN_SEARCHGW:
        w = begin(m, TW_MQTTSN_SEARCHGW, 1);
        tw_put8(&w, SEARCH_RADIUS);
        return w.used;
    case TW_MQTTSN_CONNECT:
        return put_connect(m);
    case TW_MQTTSN_REGISTER:
        return put_register(m);
    case TW_MQTTSN_SUBSCRIBE:
        return put_subscribe(m);
    case TW_MQTTSN_PINGREQ: /* with the client's id it says: awake, send what you hold */
        asleep_or_falling = m->wake_due != TW_NEVER;
        w = begin(m, TW_MQTTSN_PINGREQ, asleep_or_falling ? strlen(m->config->id) : 0);
        if (asleep_or_falling)
            tw_put_text(&w, m->config->id);
        return w.used;
    default: /* DISCONNECT with the time that the client will sleep */
        w = begin(m, TW_MQTTSN_DISCONNECT, 2);
        tw_put16(&w, m->config->sleep_s);
        return w.used;
    }
}

static size_t put_reply(struct tw_mqttsn *m, const struct tw_mqttsn_reply *reply) {
    struct tw_writer w;
    size_t topic;
    switch (reply->type) {
    case TW_MQTTSN_WILLTOPIC:
        topic = strlen(m->config->topic);
        w = begin(m, TW_MQTTSN_WILLTOPIC, 1 + topic + 5);
        tw_put8(&w, (uint8_t)TW_MQTTSN_QOS(m->config->qos < 0 ? 0 : m->config->qos));
        tw_put_text(&w, m->config->topic);
        tw_put_text(&w, "/will");
        break;
    case TW_MQTTSN_WILLMSG:
        w = begin(m, TW_MQTTSN_WILLMSG, strlen(m->config->id));
        tw_put_text(&w, m->config->id);
        break;
    case TW_MQTTSN_REGACK:
    case TW_MQTTSN_PUBACK:
        w = begin(m, reply->type, 5);
        tw_put16(&w, reply->topic_id);
        tw_put16(&w, reply->message_id);
        tw_put8(&w, reply->code);
        break;
    case TW_MQTTSN_PINGRESP:
    case TW_MQTTSN_DISCONNECT:
        w = begin(m, reply->type, 0);
        break;
    default: /* PUBREC, PUBREL, PUBCOMP */
        w = begin(m, reply->type, 2);
        tw_put16(&w, reply->message_id);
    }
    return w.used;
}

static size_t put_publish(struct tw_mqttsn *m, const struct tw_message *message, uint16_t id,
                          bool dup) {
    const struct tw_config *c = m->config;
    struct tw_writer w = begin(m, TW_MQTTSN_PUBLISH, 5 + message->size);
    tw_put8(&w, (uint8_t)((dup ? TW_MQTTSN_DUP : 0u) | TW_MQTTSN_QOS(c->qos) |
                          (unsigned)c->topic_type));
    tw_put16(&w, m->publish_id);
    tw_put16(&w, id);
    uint8_t *payload = tw_reserve(&w, message->size);
    if (payload)
        m->host->payload(m->host->ctx, message, 0, payload, message->size);
    return w.bad ? 0 : w.used;
}

size_t tw_mqttsn_output(struct tw_mqttsn *m, struct tw_peer *to) {
    *to = m->gateway;
    if (m->reply_count) {
        m->sending = REPLY;
        return put_reply(m, &m->replies[0]);
    }
    if (m->request_send) {
        m->sending = REQUEST;
        if (m->request == TW_MQTTSN_SEARCHGW)
            *to = (struct tw_peer){BROADCAST, m->config->port};
        return put_request(m);
    }
    if (!m->publish_id)
        return 0;
    m->sending_flight = tw_inflight_resend(&m->inflight);
    if (m->sending_flight) {
        m->sending = FLIGHT;
        const struct tw_flight *f = m->sending_flight;
        if (f->state == TW_MQTTSN_PUBREL)
            return put_reply(m, &(struct tw_mqttsn_reply){.type = TW_MQTTSN_PUBREL,
                                                          .message_id = (uint16_t)f->id});
        return put_publish(m, &f->message, (uint16_t)f->id, f->attempts);
    }
    if (m->one_way_pending) {
        m->sending = ONE_WAY;
        return put_publish(m, &m->one_way, 0, false);
    }
    return 0;
}

void tw_mqttsn_sent(struct tw_mqttsn *m) {
    switch ((enum sending)m->sending) {
    case REPLY:
        m->reply_count--;
        memmove(m->replies, m->replies + 1, m->reply_count * sizeof m->replies[0]);
        break;
    case REQUEST:
        m->request_send = false;
        break;
    case FLIGHT:
        m->sending_flight->resend = false;
        break;
    case ONE_WAY:
        m->one_way_pending = false;
    }
}
