#include "libraries/engine.h"

#include <string.h>

#include "core/util/emit.h"
#include "libraries/adapter.h"

/* A message without an answer is given up after this time, since libraries for Arduino set no
 * limit. */
#define ANSWER_LIMIT TW_SECONDS(10)

/* The state of a message in flight. `due` is its deadline while it is OPEN, and afterwards the time
 * at which it was acknowledged or given up. */
enum { OPEN, ACKED, LOST };

/* The application's state, which the callbacks of the library need. */
static struct tw_library *own;

/* The last exchange of a closed loop, by the board's clock, with nothing of the application in
 * between: when the library was given the own message, when its loop began that called back, and
 * when it did. `waits` is what the sketch had waited at the last two. */
static struct {
    tw_time given, loop, called_back;
    struct tw_library_waits before, at_loop, at_callback; /* before: at the pass before */
} exchange;
static tw_time next_given; /* 0: no message was given since the callback */

static bool turns(const struct tw_config *config) {
    return config->role == TW_ROLE_ECHO || config->pace == TW_PACE_ANSWER;
}

#ifdef TW_LIBRARY_SUBSCRIBES /* a build for ESP8266_RTOS_SDK, where lwIP is configured freely */
#define SUBSCRIBES true
#define OFFERS_MSS(mss) true
#else
#define SUBSCRIBES false
/* The Arduino core has lwIP in two variants: for lower memory, and for higher bandwidth. */
#define OFFERS_MSS(mss) ((mss) == 536 || (mss) == 1460)
#endif

/* The key of a setting that no library here supports, or NULL. */
static const char *common_refusal(const struct tw_config *c) {
    if (c->role != TW_ROLE_PUBLISH && c->role != TW_ROLE_ECHO &&
        !(SUBSCRIBES && c->role == TW_ROLE_SUBSCRIBE))
        return "role";
    if (turns(c) && !tw_adapter.receives)
        return c->role == TW_ROLE_ECHO ? "role" : "pace";
    if (turns(c) && c->qos) /* the answer might come while the library waits for a PUBACK */
        return "qos";
    const char *large = tw_config_too_large(c, tw_adapter.payload_bytes);
    return large                    ? large
           : !c->port               ? "port"
           : c->connection_messages ? "connection_messages"
           : c->quirks              ? "quirks"
           : c->inflight            ? "inflight"
           : !OFFERS_MSS(c->mss)    ? "mss"
           : c->will                ? "will"
           : !c->clean              ? "clean"
           : c->fragment_bytes      ? "fragment_bytes"
           : c->block_bytes         ? "block_bytes"
                                    : NULL;
}

static const char *init(void *state, const struct tw_setup *setup) {
    struct tw_library *s = own = state;
    s->config = setup->config;
    s->host = setup->host;
    const char *key = common_refusal(s->config);
    return key ? key : tw_adapter.refuses(s->config);
}

static void on_open(void *state, tw_time now, uint8_t link) {
    (void)now, (void)link;
    ((struct tw_library *)state)->step = TW_LIBRARY_CONNECTING;
}

static void on_close(void *state, tw_time now, uint8_t link) {
    struct tw_library *s = state;
    (void)now, (void)link;
    s->step = TW_LIBRARY_AWAY;
    tw_adapter.disconnect();
    tw_emit_all_failed(s->host, &s->inflight, "connection_lost");
}

/* Reports messages as acknowledged or failed, with times relative to now. */
static void settle(struct tw_library *s, tw_time now) {
    for (size_t i = 0; i < s->inflight.count;) {
        struct tw_flight *flight = &s->inflight.flights[i];
        struct tw_message message = flight->message;
        if (flight->state == OPEN && now < flight->due) {
            i++;
            continue;
        }
        bool acked = flight->state == ACKED;
        if (acked)
            message.sent_us += now - flight->due;
        tw_inflight_remove(&s->inflight, flight);
        tw_emit_message(s->host, acked ? TW_EVENT_ACKED : TW_EVENT_FAILED, &message,
                        acked ? NULL : "no_response");
    }
}

static struct tw_library_waits waits(void) {
    return tw_adapter.waits ? tw_adapter.waits() : (struct tw_library_waits){0};
}

/* As in a sketch: loop() { if (!client.connected()) ...; client.loop(); } */
static void run(void) {
    exchange.before = exchange.at_loop;
    exchange.at_loop = waits();
    exchange.loop = tw_adapter.now_us();
    if (tw_adapter.connected())
        tw_adapter.poll();
}

static enum tw_library_step connect(struct tw_library *s) {
    if (!tw_adapter.connect(s->config))
        return TW_LIBRARY_FAILED;
    return tw_adapter.calls_back && !tw_adapter.connected() ? TW_LIBRARY_WAITING : TW_LIBRARY_FRESH;
}

static void on_time(void *state, tw_time now) {
    struct tw_library *s = state;
    switch (s->step) {
    case TW_LIBRARY_AWAY:
        return;
    case TW_LIBRARY_CONNECTING:
        s->step = connect(s);
        return;
    case TW_LIBRARY_WAITING:
        if (tw_adapter.available()) {
            tw_adapter.poll();
            s->step = tw_adapter.connected() ? TW_LIBRARY_FRESH : TW_LIBRARY_FAILED;
        }
        return;
    case TW_LIBRARY_FRESH:
        s->step = TW_LIBRARY_UP;
        tw_emit(s->host, TW_EVENT_CONNECTED, 0, NULL);
        return;
    case TW_LIBRARY_FAILED:
        s->step = TW_LIBRARY_AWAY;
        tw_emit(s->host, TW_EVENT_ERROR, 0, "refused");
        return;
    case TW_LIBRARY_UP:
        run();
        settle(s, now);
        if (!tw_adapter.connected()) {
            s->step = TW_LIBRARY_AWAY;
            tw_emit(s->host, TW_EVENT_ERROR, 0, "closed");
        }
    }
}

/* True when received bytes are waiting in the library's own transport (net.c). */
static void on_bytes(void *state, tw_time now, uint8_t link, const struct tw_peer *from,
                     const uint8_t *data, size_t size) {
    struct tw_library *s = state;
    (void)link, (void)from, (void)data, (void)size;
    if (tw_adapter.calls_back)
        on_time(s, now);
    else if (s->step == TW_LIBRARY_UP)
        run();
}

static enum tw_publish publish(void *state, tw_time now, const struct tw_message *message) {
    struct tw_library *s = state;
    struct tw_flight *flight = NULL;
    bool confirms = tw_adapter.confirms(s->config);
    if (s->step != TW_LIBRARY_UP)
        return confirms ? TW_BUSY : TW_OFFLINE;
    if (message->size > sizeof s->payload)
        return TW_UNSUPPORTED;
    uint16_t tag = tw_inflight_new_id(&s->inflight, &s->next_tag);
    if (confirms) {
        flight = tw_inflight_add(&s->inflight, TW_INFLIGHT_MAX, tag, message);
        if (!flight)
            return TW_BUSY;
        flight->due = tw_adapter.calls_back ? TW_NEVER : now + ANSWER_LIMIT;
    }
    s->host->payload(s->host->ctx, message, 0, s->payload, message->size);
    tw_time given = tw_adapter.now_us();
    enum tw_library_publish result = tw_adapter.publish(s->config, s->payload, message->size, tag);
    next_given = given;
    bool unsent = result == TW_LIBRARY_REFUSED || result == TW_LIBRARY_FULL;
    if (flight && unsent)
        tw_inflight_remove(&s->inflight, flight);
    else if (flight && result != TW_LIBRARY_SENT) {
        flight->state = result == TW_LIBRARY_ACKED ? ACKED : LOST;
        flight->due = tw_adapter.now_us();
    }
    return result == TW_LIBRARY_FULL ? TW_BUSY : unsent ? TW_OFFLINE : TW_PUBLISHED;
}

void tw_library_received(const uint8_t *data, size_t size) {
    exchange.called_back = tw_adapter.now_us();
    exchange.at_callback = waits();
    exchange.given = next_given;
    next_given = 0;
    tw_emit_received(own->host, 0, data, size, 0, true);
}

void tw_library_log_exchange(struct tw_log *log) {
    if (exchange.given)
        tw_log_number(log, "publish_rtt_us", exchange.called_back - exchange.given);
    tw_log_number(log, "loop_us", exchange.called_back - exchange.loop);
    if (!tw_adapter.waits)
        return;
    tw_log_number(log, "yields", exchange.at_callback.count - exchange.at_loop.count);
    tw_log_number(log, "yield_us", exchange.at_callback.us - exchange.at_loop.us);
    tw_log_number(log, "frames_us", exchange.at_loop.frames_us - exchange.before.frames_us);
}

static void close_flight(uint16_t tag, uint8_t result) {
    struct tw_flight *flight = tw_inflight_find(&own->inflight, tag);
    if (!flight || flight->state != OPEN)
        return;
    flight->state = result;
    flight->due = tw_adapter.now_us();
}

void tw_library_acked(uint16_t tag) {
    close_flight(tag, ACKED);
}

void tw_library_lost(uint16_t tag) {
    close_flight(tag, LOST);
}

/* A library for Arduino expects to be called as often as possible. One that calls back is called
 * by net.c. */
static tw_time deadline(const void *state) {
    enum tw_library_step step = ((const struct tw_library *)state)->step;
    bool quiet = step == TW_LIBRARY_AWAY ||
                 (tw_adapter.calls_back && (step == TW_LIBRARY_WAITING || step == TW_LIBRARY_UP));
    return quiet ? TW_NEVER : 0;
}

static bool output(void *state, tw_time now, uint8_t link, struct tw_output *out) {
    (void)state, (void)now, (void)link, (void)out;
    return false; /* the library has its own */
}

static void accepted(void *state, tw_time now, uint8_t link, size_t size) {
    (void)state, (void)now, (void)link, (void)size;
}

static bool idle(const void *state) {
    return !((const struct tw_library *)state)->inflight.count;
}

static void finish(void *state, tw_time now) {
    (void)now;
    struct tw_library *s = state;
    s->step = TW_LIBRARY_AWAY;
    tw_adapter.disconnect();
    tw_emit(s->host, TW_EVENT_CLOSE, 0, "finished");
}

const struct tw_engine tw_library_engine = {
    .name = TW_TEXT(TW_LIBRARY),
    .transport = TW_DATAGRAM, /* nothing for the board to connect */
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
