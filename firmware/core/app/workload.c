#include "workload.h"

#include <string.h>

#include "core/util/bytes.h"

/* The unpadded payload of `message` in `head`; returns its length, at most message->size. */
static size_t compose_head(const char *id, const struct tw_message *message,
                           uint8_t head[TW_PAYLOAD_HEAD]) {
    struct tw_writer w = tw_writer(head, TW_PAYLOAD_HEAD);
    if (message->size >= TW_LONG_FORM_BYTES) {
        tw_put_text(&w, id);
        tw_put8(&w, ' ');
        tw_put_decimal(&w, message->seq);
        tw_put8(&w, ' ');
        tw_put_decimal(&w, message->created_us);
        if (!w.bad && w.used <= message->size) {
            if (w.used < message->size)
                tw_put8(&w, ' ');
            return w.used;
        }
    }
    uint8_t number[11];
    struct tw_writer n = tw_writer(number, sizeof number);
    tw_put8(&n, ':');
    tw_put_decimal(&n, message->seq);
    size_t digits = n.used - 1, id_size = strlen(id);
    if (digits + 1 > message->size)
        digits = message->size ? message->size - 1 : 0;
    size_t room = message->size - digits - (message->size ? 1 : 0);
    size_t kept = id_size < room ? id_size : room;
    w = tw_writer(head, TW_PAYLOAD_HEAD);
    tw_put(&w, id + id_size - kept, kept);
    if (message->size)
        tw_put8(&w, ':');
    tw_put(&w, number + n.used - digits, digits);
    return w.used;
}

uint32_t tw_payload_bytes(const struct tw_config *config, uint32_t index) {
    uint32_t sizes = 1;
    while (sizes <= TW_STEPS_MAX && config->payload_steps[sizes - 1])
        sizes++;
    if (sizes == 1 || index >= config->messages)
        return config->payload_bytes;
    uint32_t share = config->messages / sizes, step = share ? index / share : 0;
    if (step >= sizes)
        step = sizes - 1; /* what cannot be shared is the last one's */
    return step ? config->payload_steps[step - 1] : config->payload_bytes;
}

void tw_payload_write(const char *id, const struct tw_message *message, size_t offset, uint8_t *out,
                      size_t size) {
    uint8_t head[TW_PAYLOAD_HEAD];
    size_t length = compose_head(id, message, head);
    for (size_t i = 0; i < size; i++, offset++)
        out[i] = offset < length ? head[offset] : '.';
}

/* A decimal at `*at`; false without a digit or above `limit`. */
static bool read_decimal(const uint8_t *data, size_t size, size_t *at, uint64_t limit,
                         uint64_t *value) {
    size_t start = *at;
    uint64_t v = 0, tenth = limit / 10;
    while (*at < size && data[*at] >= '0' && data[*at] <= '9') {
        unsigned digit = data[*at] - '0';
        if (v > tenth || (v == tenth && digit > limit % 10))
            return false;
        v = v * 10 + digit;
        ++*at;
    }
    *value = v;
    return *at > start;
}

void tw_payload_read(const uint8_t *data, size_t size, struct tw_payload *out) {
    memset(out, 0, sizeof *out);
    size_t at = 0;
    while (at < size && at < sizeof out->id - 1 && data[at] != ' ' && data[at] != ':') {
        out->id[at] = (char)data[at];
        at++;
    }
    if (at == size || (data[at] != ' ' && data[at] != ':'))
        return;
    bool is_long = data[at++] == ' ';
    uint64_t seq, created = 0;
    if (!read_decimal(data, size, &at, UINT32_MAX, &seq))
        return;
    if (is_long) {
        if (at == size || data[at++] != ' ')
            return;
        if (!read_decimal(data, size, &at, UINT64_MAX, &created))
            return;
    }
    if (is_long && at < size && data[at] == ' ')
        at++;
    if (at < size && data[at] != '.') /* only padding may follow */
        return;
    out->seq = (uint32_t)seq;
    out->created_us = created;
    out->known = true;
}

void tw_schedule_start(struct tw_schedule *schedule, const struct tw_config *config, tw_time now) {
    tw_time first = now + TW_MS(config->start_ms);
    bool both = config->role == TW_ROLE_SUBSCRIBE && config->publish_ms;
    *schedule = (struct tw_schedule){
        .next = first,
        .end = config->duration_ms ? first + TW_MS(config->duration_ms) : TW_NEVER,
        .interval = TW_MS(both ? config->publish_ms : config->interval_ms),
        .limit = both || config->role == TW_ROLE_SERVE ? 0 : config->messages,
        .closed = config->pace == TW_PACE_ANSWER,
    };
}

bool tw_schedule_take(struct tw_schedule *schedule, tw_time now) {
    if (now < schedule->next)
        return false;
    if (schedule->next >= schedule->end) {
        schedule->next = TW_NEVER;
        return false;
    }
    schedule->made++;
    schedule->last = now;
    schedule->next = schedule->closed ? TW_NEVER : schedule->next + schedule->interval;
    if ((schedule->limit && schedule->made == schedule->limit) || schedule->next >= schedule->end)
        schedule->next = TW_NEVER;
    return true;
}

void tw_schedule_answered(struct tw_schedule *schedule, tw_time now) {
    tw_time least = schedule->last + schedule->interval;
    if (!tw_schedule_over(schedule, now))
        schedule->next = least > now ? least : now;
}

void tw_schedule_postpone(struct tw_schedule *schedule, tw_time now) {
    if (schedule->made || now <= schedule->next)
        return;
    if (schedule->end != TW_NEVER)
        schedule->end += now - schedule->next;
    schedule->next = now;
}

bool tw_schedule_over(const struct tw_schedule *schedule, tw_time now) {
    return (schedule->limit && schedule->made >= schedule->limit) || now >= schedule->end;
}
