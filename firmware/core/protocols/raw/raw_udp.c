#include "raw_udp.h"

#include <string.h>

#include "core/config.h"
#include "core/util/emit.h"
#include "core/util/peer.h"

/* A message that is not acknowledged by then has failed. */
#define ACK_LIMIT TW_SECONDS(10)

static bool serves(const struct tw_raw_udp *u) {
    return u->config->role == TW_ROLE_SERVE;
}

static const char *init(void *state, const struct tw_setup *setup) {
    struct tw_raw_udp *u = state;
    u->config = setup->config;
    u->host = setup->host;
    return serves(u) || u->config->role == TW_ROLE_PUBLISH
               ? tw_config_too_large(u->config, TW_SEGMENT_MAX)
               : "role";
}

static void on_open(void *state, tw_time now, uint8_t link) {
    struct tw_raw_udp *u = state;
    (void)now, (void)link;
    u->open = true;
    u->pending = false;
    u->ack_count = 0;
    tw_emit(u->host, TW_EVENT_CONNECTED, 0, NULL);
}

static void on_close(void *state, tw_time now, uint8_t link) {
    struct tw_raw_udp *u = state;
    (void)now, (void)link;
    u->open = false;
    tw_emit_all_failed(u->host, &u->inflight, "connection_lost");
}

static void on_data(struct tw_raw_udp *u, const struct tw_peer *from,
                    const struct tw_raw_header *header, const uint8_t *payload) {
    tw_emit_received(u->host, 0, payload, header->size, 0, true);
    if (!header->ack_wanted || u->ack_count == TW_RAW_UDP_ACKS)
        return; /* no room: lost, as a datagram may be */
    u->acks[u->ack_count].to = *from;
    u->acks[u->ack_count++].seq = header->seq;
}

static void on_bytes(void *state, tw_time now, uint8_t link, const struct tw_peer *from,
                     const uint8_t *data, size_t size) {
    struct tw_raw_udp *u = state;
    struct tw_raw_header header;
    (void)now, (void)link;
    if (!u->open || size < TW_RAW_HEADER_BYTES || !tw_raw_get(data, &header) ||
        size != TW_RAW_HEADER_BYTES + (size_t)header.size)
        return;
    if (serves(u)) {
        if (header.type == TW_RAW_DATA)
            on_data(u, from, &header, data + TW_RAW_HEADER_BYTES);
        return;
    }
    if (header.type == TW_RAW_DATA || !tw_from_peer(u->config, from))
        return;
    struct tw_flight *flight = tw_inflight_find(&u->inflight, header.seq);
    if (!flight)
        return;
    struct tw_message message = flight->message;
    tw_inflight_remove(&u->inflight, flight);
    tw_emit_message(u->host, TW_EVENT_ACKED, &message, NULL);
}

static void fail(struct tw_raw_udp *u, struct tw_flight *flight, const char *reason) {
    struct tw_message message = flight->message;
    tw_inflight_remove(&u->inflight, flight);
    tw_emit_message(u->host, TW_EVENT_FAILED, &message, reason);
}

static enum tw_publish publish(void *state, tw_time now, const struct tw_message *message) {
    struct tw_raw_udp *u = state;
    if (serves(u) || message->size > TW_SEGMENT_MAX)
        return TW_UNSUPPORTED;
    if (!u->open)
        return TW_OFFLINE;
    if (u->pending)
        return TW_BUSY;
    if (u->config->confirmable) {
        if (u->inflight.count == TW_INFLIGHT_MAX) /* loss must not stop the flow */
            fail(u, &u->inflight.flights[0], "table_full");
        struct tw_flight *flight =
            tw_inflight_add(&u->inflight, TW_INFLIGHT_MAX, message->seq, message);
        flight->due = now + ACK_LIMIT;
    }
    u->message = *message;
    u->pending = true;
    return TW_PUBLISHED;
}

static void on_time(void *state, tw_time now) {
    struct tw_raw_udp *u = state;
    while (u->inflight.count && now >= u->inflight.flights[0].due)
        fail(u, &u->inflight.flights[0], "no_response");
}

static tw_time deadline(const void *state) {
    const struct tw_raw_udp *u = state;
    return tw_inflight_due(&u->inflight);
}

static bool output(void *state, tw_time now, uint8_t link, struct tw_output *out) {
    struct tw_raw_udp *u = state;
    struct tw_writer w = tw_writer(u->datagram, sizeof u->datagram);
    (void)now, (void)link;
    *out = (struct tw_output){.data = u->datagram};
    if (!u->open)
        return false;
    if (u->ack_count) {
        tw_raw_put(&w, &(struct tw_raw_header){.type = TW_RAW_ACK, .seq = u->acks[0].seq});
        out->to = u->acks[0].to;
    } else if (u->pending) {
        const struct tw_message *m = &u->message;
        tw_raw_put(&w, &(struct tw_raw_header){.type = TW_RAW_DATA,
                                               .ack_wanted = u->config->confirmable,
                                               .size = (uint16_t)m->size,
                                               .seq = m->seq});
        uint8_t *payload = tw_reserve(&w, m->size);
        if (payload)
            u->host->payload(u->host->ctx, m, 0, payload, m->size);
    }
    out->size = w.used;
    return w.used > 0;
}

static void accepted(void *state, tw_time now, uint8_t link, size_t size) {
    struct tw_raw_udp *u = state;
    (void)now, (void)link, (void)size;
    if (u->ack_count) {
        u->ack_count--;
        memmove(u->acks, u->acks + 1, u->ack_count * sizeof u->acks[0]);
    } else {
        u->pending = false;
    }
}

static bool idle(const void *state) {
    const struct tw_raw_udp *u = state;
    return !u->inflight.count && !u->pending && !u->ack_count;
}

static void finish(void *state, tw_time now) {
    struct tw_raw_udp *u = state;
    (void)now;
    tw_emit(u->host, TW_EVENT_CLOSE, 0, "finished");
}

const struct tw_engine tw_raw_udp_engine = {
    .name = "udp",
    .transport = TW_DATAGRAM,
    .port = 7001,
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
