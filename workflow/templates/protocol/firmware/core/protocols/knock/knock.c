#include "knock.h"

#include "core/config.h"
#include "core/util/emit.h"

static const char *init(void *state, const struct tw_setup *setup) {
    struct tw_knock *k = state;
    k->host = setup->host;
    return setup->config->role == TW_ROLE_PUBLISH ? NULL : "role";
}

static void on_open(void *state, tw_time now, uint8_t link) {
    struct tw_knock *k = state;
    (void)now, (void)link;
    k->open = true;
    k->pending = false;
    tw_emit(k->host, TW_EVENT_CONNECTED, 0, NULL);
}

static void on_close(void *state, tw_time now, uint8_t link) {
    struct tw_knock *k = state;
    (void)now, (void)link;
    k->open = false;
}

static void on_bytes(void *state, tw_time now, uint8_t link, const struct tw_peer *from,
                     const uint8_t *data, size_t size) {
    (void)state, (void)now, (void)link, (void)from, (void)data, (void)size;
}

static enum tw_publish publish(void *state, tw_time now, const struct tw_message *message) {
    struct tw_knock *k = state;
    (void)now;
    if (message->size > sizeof k->datagram)
        return TW_UNSUPPORTED;
    if (!k->open)
        return TW_OFFLINE;
    if (k->pending)
        return TW_BUSY;
    k->message = *message;
    k->pending = true;
    return TW_PUBLISHED;
}

static void on_time(void *state, tw_time now) {
    (void)state, (void)now;
}

static tw_time deadline(const void *state) {
    (void)state;
    return TW_NEVER;
}

static bool output(void *state, tw_time now, uint8_t link, struct tw_output *out) {
    struct tw_knock *k = state;
    (void)now, (void)link;
    if (!k->open || !k->pending)
        return false;
    k->host->payload(k->host->ctx, &k->message, 0, k->datagram, k->message.size);
    *out = (struct tw_output){.data = k->datagram, .size = k->message.size};
    return true;
}

static void accepted(void *state, tw_time now, uint8_t link, size_t size) {
    struct tw_knock *k = state;
    (void)now, (void)link, (void)size;
    k->pending = false;
}

static bool idle(const void *state) {
    const struct tw_knock *k = state;
    return !k->pending;
}

static void finish(void *state, tw_time now) {
    struct tw_knock *k = state;
    (void)now;
    tw_emit(k->host, TW_EVENT_CLOSE, 0, "finished");
}

const struct tw_engine tw_knock_engine = {
    .name = "knock",
    .transport = TW_DATAGRAM,
    .port = 7002,
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
