/*
 * Requests that wait for an answer of this device (section 4.10): the response topic and the
 * correlation data of each. The application answers in the order of the requests; one that it
 * drops is known by the time at which a later one arrived. A request is kept until its answer needs
 * no repetition.
 */
#ifndef TW_MQTT5_REQUESTS_H
#define TW_MQTT5_REQUESTS_H

#include "core/engine.h"
#include "mqtt5_properties.h"

#ifndef TW_MQTT5_REQUESTS
#define TW_MQTT5_REQUESTS 4u
#endif

struct tw_mqtt5_request {
    tw_time at;         /* when it was complete */
    uint16_t answer_id; /* packet identifier of its answer; 0: not yet, or QoS 0 */
    uint16_t topic_bytes;
    uint16_t correlation_bytes;
    char topic[TW_MQTT5_TEXT_BYTES];
    uint8_t correlation[TW_MQTT5_CORRELATION_BYTES];
};

struct tw_mqtt5_requests {
    uint8_t count;
    struct tw_mqtt5_request waiting[TW_MQTT5_REQUESTS]; /* the oldest first */
};

/* Remembers a message with these properties, complete at `at`. Not one without a response topic, or
 * whose texts are too long to be kept, or beyond TW_MQTT5_REQUESTS: its answer goes where those of
 * MQTT 3.1.1 go. */
void tw_mqtt5_requests_add(struct tw_mqtt5_requests *requests, tw_time at,
                           const struct tw_mqtt5_properties *properties);
/* The request whose answer was made at `at` and is not published yet, or NULL. */
struct tw_mqtt5_request *tw_mqtt5_requests_next(struct tw_mqtt5_requests *requests, tw_time at);
/* The one whose answer has this packet identifier, or NULL. */
struct tw_mqtt5_request *tw_mqtt5_requests_find(struct tw_mqtt5_requests *requests, uint16_t id);
void tw_mqtt5_requests_remove(struct tw_mqtt5_requests *requests, struct tw_mqtt5_request *request);

#endif
