/* What a gateway sends unasked: topic ids that it registers, and messages at each QoS. */
#include <string.h>

#include "core/config.h"
#include "core/protocols/mqtt/topic_name.h"
#include "core/util/emit.h"
#include "core/util/peer.h"
#include "mqttsn.h"

bool tw_mqttsn_accepts(const struct tw_mqttsn *m, bool searching, const struct tw_peer *from,
                       uint8_t type) {
    if (searching)
        return type == TW_MQTTSN_ADVERTISE || type == TW_MQTTSN_GWINFO;
    return m->gateway.address ? tw_same_peer(&m->gateway, from) : tw_from_peer(m->config, from);
}

/* Returns whether a topic name matches a filter: `+` matches one level, `#` the level before it and
 * all below. Neither matches a first level that begins with `$` (MQTT 3.1.1, section 4.7). */
static bool matches(const char *filter, const uint8_t *name, size_t size) {
    size_t at = 0;
    if ((*filter == '+' || *filter == '#') && size && *name == '$')
        return false;
    for (;; filter++) {
        if (*filter == '#')
            return true;
        if (*filter == '+') {
            while (at < size && name[at] != '/')
                at++;
        } else if (at == size) {
            return !*filter || !strcmp(filter, "/#");
        } else if ((uint8_t)*filter != name[at++]) {
            return false;
        }
    }
}

/* Returns whether a PUBLISH belongs to the subscription: it has the id from SUBACK, an id that the
 * gateway registered for a matching name, or a matching short name. */
static bool is_wanted(const struct tw_mqttsn *m, unsigned type, uint16_t id) {
    const struct tw_config *c = m->config;
    uint8_t name[2] = {(uint8_t)(id >> 8), (uint8_t)id};
    if (type == (unsigned)c->topic_type && m->subscribe_id && id == m->subscribe_id)
        return true;
    if (!tw_mqttsn_subscribes(m) || c->topic_type == TW_TOPIC_PREDEFINED)
        return false;
    return type == TW_TOPIC_SHORT ? matches(c->topic, name, sizeof name)
                                  : type == TW_TOPIC_NORMAL && tw_id_set_has(&m->topics, id);
}

void tw_mqttsn_on_register(struct tw_mqttsn *m, const struct tw_mqttsn_packet *p) {
    struct tw_utf8 name = {0};
    bool wanted = tw_mqttsn_subscribes(m) && m->config->topic_type != TW_TOPIC_PREDEFINED &&
                  tw_topic_name_take(&name, p->data, p->size, true) &&
                  matches(m->config->topic, p->data, p->size);
    while (wanted && !tw_id_set_has(&m->topics, p->topic_id) &&
           !tw_id_set_add(&m->topics, p->topic_id))
        tw_id_set_forget_oldest(&m->topics); /* the gateway registers it again when it is used */
    tw_mqttsn_reply(m, TW_MQTTSN_REGACK, p->topic_id, p->message_id,
                    wanted ? TW_MQTTSN_ACCEPTED : TW_MQTTSN_NOT_SUPPORTED);
}

void tw_mqttsn_on_publish(struct tw_mqttsn *m, const struct tw_mqttsn_packet *p) {
    unsigned qos = TW_MQTTSN_QOS_OF(p->flags);
    if (!is_wanted(m, TW_MQTTSN_TOPIC_TYPE(p->flags), p->topic_id))
        return tw_mqttsn_reply(m, TW_MQTTSN_PUBACK, p->topic_id, p->message_id,
                               TW_MQTTSN_INVALID_TOPIC);
    bool again = qos == 2 && tw_id_set_has(&m->receiving, p->message_id);
    /* What is oldest and was never released is a copy that came after its PUBREL: a network may
     * double datagrams and let them pass each other. */
    while (qos == 2 && !again && !tw_id_set_add(&m->receiving, p->message_id))
        tw_id_set_forget_oldest(&m->receiving);
    if (!again)
        tw_emit_received(m->host, 0, p->data, p->size, 0, true);
    if (qos == 1)
        tw_mqttsn_reply(m, TW_MQTTSN_PUBACK, p->topic_id, p->message_id, TW_MQTTSN_ACCEPTED);
    if (qos == 2)
        tw_mqttsn_reply(m, TW_MQTTSN_PUBREC, 0, p->message_id, 0);
}

void tw_mqttsn_on_pubrel(struct tw_mqttsn *m, uint16_t id) {
    while (!tw_id_set_remove(&m->receiving, id))
        tw_id_set_forget_oldest(&m->receiving);
    tw_mqttsn_reply(m, TW_MQTTSN_PUBCOMP, 0, id, 0);
}
