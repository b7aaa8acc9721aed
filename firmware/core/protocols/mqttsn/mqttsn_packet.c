#include "mqttsn_packet.h"

/* The body after the type, for each type that a client receives. */
static void read_body(struct tw_mqttsn_packet *p, struct tw_reader *r) {
    switch (p->type) {
    case TW_MQTTSN_ADVERTISE: /* gateway id, duration */
        tw_take(r, 3);
        break;
    case TW_MQTTSN_GWINFO: /* gateway id, then its address if another client answers for it */
        tw_get8(r);
        p->size = tw_left(r);
        p->data = tw_take(r, p->size);
        break;
    case TW_MQTTSN_CONNACK:
        p->code = tw_get8(r);
        break;
    case TW_MQTTSN_REGISTER:
        p->topic_id = tw_get16(r);
        p->message_id = tw_get16(r);
        p->size = tw_left(r);
        p->data = tw_take(r, p->size);
        break;
    case TW_MQTTSN_REGACK:
    case TW_MQTTSN_PUBACK:
        p->topic_id = tw_get16(r);
        p->message_id = tw_get16(r);
        p->code = tw_get8(r);
        break;
    case TW_MQTTSN_PUBLISH:
        p->flags = tw_get8(r);
        p->topic_id = tw_get16(r);
        p->message_id = tw_get16(r);
        p->size = tw_left(r);
        p->data = tw_take(r, p->size);
        break;
    case TW_MQTTSN_PUBREC:
    case TW_MQTTSN_PUBREL:
    case TW_MQTTSN_PUBCOMP:
        p->message_id = tw_get16(r);
        break;
    case TW_MQTTSN_SUBACK:
        p->flags = tw_get8(r);
        p->topic_id = tw_get16(r);
        p->message_id = tw_get16(r);
        p->code = tw_get8(r);
        break;
    case TW_MQTTSN_PINGREQ:    /* may carry an id */
    case TW_MQTTSN_DISCONNECT: /* may carry a duration */
        tw_take(r, tw_left(r));
        break;
    case TW_MQTTSN_WILLTOPICREQ:
    case TW_MQTTSN_WILLMSGREQ:
    case TW_MQTTSN_PINGRESP:
        break;
    default:
        r->bad = true;
    }
}

bool tw_mqttsn_parse(struct tw_mqttsn_packet *packet, const uint8_t *data, size_t size) {
    struct tw_reader r = tw_reader(data, size);
    *packet = (struct tw_mqttsn_packet){0};
    size_t length = tw_get8(&r);
    if (length == 1)
        length = tw_get16(&r);
    packet->type = tw_get8(&r);
    if (r.bad || length != size)
        return false;
    read_body(packet, &r);
    return !r.bad && !tw_left(&r);
}

struct tw_writer tw_mqttsn_begin(uint8_t *data, size_t size, enum tw_mqttsn_type type,
                                 size_t body_size) {
    struct tw_writer w = tw_writer(data, size);
    if (body_size + 2 < 256) {
        tw_put8(&w, (uint8_t)(body_size + 2));
    } else {
        tw_put8(&w, 1);
        tw_put16(&w, (uint16_t)(body_size + 4));
    }
    tw_put8(&w, (uint8_t)type);
    return w;
}
