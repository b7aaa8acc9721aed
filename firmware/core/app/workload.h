/*
 * The application payload, the same for every protocol.
 *
 * A payload of n bytes is ASCII and exactly n bytes long. From 24 bytes on it is the long form
 *
 *     ID SEQ T_US[ [.]*]         "board1 17 20345678 ......"      ^(\S+) (\d+) (\d+) ?\.*$
 *
 * device id, sequence number and device timestamp in decimal, then a blank and dots up to n. Below
 * 24 bytes, and where the long form would not fit, it is the compact form
 *
 *     ID:SEQ[.]*                 "board1:17.."                    ^([^:]*):(\d+)\.*$
 *
 * with as many last characters of the id as fit. The shortest payload is 2 bytes; a sequence
 * number with more digits than fit keeps its last digits.
 */
#ifndef TW_WORKLOAD_H
#define TW_WORKLOAD_H

#include "core/config.h"
#include "core/engine.h"

#define TW_LONG_FORM_BYTES 24u

/* Bytes before the padding; the longest id, two decimals of 10 and 20 digits, separators. */
#define TW_PAYLOAD_HEAD 64u

/* The payload of message `index`, counted from 0: payload_bytes, then each of payload_steps, for
 * equal shares of `messages`. */
uint32_t tw_payload_bytes(const struct tw_config *config, uint32_t index);

/* Writes payload bytes [offset, offset + size) of `message` as device `id` sends it. */
void tw_payload_write(const char *id, const struct tw_message *message, size_t offset, uint8_t *out,
                      size_t size);

/* What a received payload says about itself. */
struct tw_payload {
    char id[24];
    uint32_t seq;
    tw_time created_us; /* 0 in the compact form */
    bool known;         /* false: the bytes follow neither form */
};

/* Reads the first `size` bytes of a payload (TW_PAYLOAD_HEAD are enough). */
void tw_payload_read(const uint8_t *data, size_t size, struct tw_payload *out);

/* The send schedule: message k is due at first + k * interval, or in a closed loop once the one
 * before it is answered, but no sooner than an interval after it. */
struct tw_schedule {
    tw_time next; /* TW_NEVER when over */
    tw_time end;  /* no message is due from here on */
    tw_time interval;
    tw_time last; /* when the last message was made */
    uint32_t made, limit;
    bool closed; /* pace=answer */
};

/* Messages from `now + start_ms` on; ends after `messages` or `duration_ms`, 0 meaning no limit. */
void tw_schedule_start(struct tw_schedule *schedule, const struct tw_config *config, tw_time now);
/* True when a message is due, and counts it. */
bool tw_schedule_take(struct tw_schedule *schedule, tw_time now);
/* A closed loop: the next message is due, at `now` at the earliest. */
void tw_schedule_answered(struct tw_schedule *schedule, tw_time now);
/* Moves a schedule that has made no message yet, and its end, so that it begins at `now` at the
 * earliest. */
void tw_schedule_postpone(struct tw_schedule *schedule, tw_time now);
bool tw_schedule_over(const struct tw_schedule *schedule, tw_time now);

#endif
