#include "mqtt_packets.h"

#include <string.h>

#include "mqtt_parser.h"

#define PROTOCOL_LEVEL 4
#define FLAG_CLEAN 0x02
#define FLAG_WILL 0x04

void tw_mqtt_put_length(struct tw_writer *w, uint32_t length) {
    do {
        uint8_t byte = length & 127;
        length >>= 7;
        tw_put8(w, length ? byte | 128 : byte);
    } while (length);
}

void tw_mqtt_put_connect(struct tw_writer *w, const struct tw_config *c, bool clean) {
    static const char will_suffix[] = "/will";
    size_t id = strlen(c->id), topic = strlen(c->topic) + sizeof will_suffix - 1;
    uint8_t flags = clean ? FLAG_CLEAN : 0;
    size_t length = 10 + 2 + id;
    if (c->will) {
        flags |= (uint8_t)(FLAG_WILL | c->qos << 3);
        length += 2 + topic + 2 + id;
    }
    tw_put8(w, TW_MQTT_CONNECT << 4);
    tw_mqtt_put_length(w, (uint32_t)length);
    tw_put_string16(w, "MQTT");
    tw_put8(w, PROTOCOL_LEVEL);
    tw_put8(w, flags);
    tw_put16(w, c->keepalive_s);
    tw_put_string16(w, c->id);
    if (c->will) {
        tw_put16(w, (uint16_t)topic);
        tw_put_text(w, c->topic);
        tw_put_text(w, will_suffix);
        tw_put_string16(w, c->id);
    }
}

void tw_mqtt_put_subscribe(struct tw_writer *w, uint16_t id, const char *topic, const char *suffix,
                           uint8_t qos) {
    size_t filter = strlen(topic) + strlen(suffix);
    tw_put8(w, TW_MQTT_SUBSCRIBE << 4 | 2);
    tw_mqtt_put_length(w, (uint32_t)(2 + 2 + filter + 1));
    tw_put16(w, id);
    tw_put16(w, (uint16_t)filter);
    tw_put_text(w, topic);
    tw_put_text(w, suffix);
    tw_put8(w, qos);
}
