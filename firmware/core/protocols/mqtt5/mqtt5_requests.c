#include "mqtt5_requests.h"

#include <string.h>

void tw_mqtt5_requests_add(struct tw_mqtt5_requests *requests, tw_time at,
                           const struct tw_mqtt5_properties *p) {
    if (requests->count == TW_MQTT5_REQUESTS || !tw_mqtt5_has(p, TW_MQTT5_RESPONSE_TOPIC) ||
        p->text_bytes > sizeof p->text || p->correlation_bytes > sizeof p->correlation)
        return;
    struct tw_mqtt5_request *request = &requests->waiting[requests->count++];
    *request = (struct tw_mqtt5_request){
        .at = at, .topic_bytes = p->text_bytes, .correlation_bytes = p->correlation_bytes};
    memcpy(request->topic, p->text, p->text_bytes);
    memcpy(request->correlation, p->correlation, p->correlation_bytes);
}

void tw_mqtt5_requests_remove(struct tw_mqtt5_requests *requests,
                              struct tw_mqtt5_request *request) {
    size_t behind = (size_t)(requests->waiting + requests->count - request) - 1;
    memmove(request, request + 1, behind * sizeof *request);
    requests->count--;
}

struct tw_mqtt5_request *tw_mqtt5_requests_next(struct tw_mqtt5_requests *requests, tw_time at) {
    for (size_t i = 0; i < requests->count;) {
        struct tw_mqtt5_request *request = &requests->waiting[i];
        if (!request->answer_id && request->at == at)
            return request;
        if (!request->answer_id && request->at < at)
            tw_mqtt5_requests_remove(requests, request); /* its answer was dropped */
        else
            i++;
    }
    return NULL;
}

struct tw_mqtt5_request *tw_mqtt5_requests_find(struct tw_mqtt5_requests *requests, uint16_t id) {
    for (size_t i = 0; i < requests->count; i++)
        if (requests->waiting[i].answer_id == id)
            return &requests->waiting[i];
    return NULL;
}
