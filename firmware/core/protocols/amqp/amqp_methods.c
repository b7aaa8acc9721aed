#include "amqp_methods.h"

#include <string.h>

#include "core/config.h"
#include "core/util/inflight.h"

#define REPLY_SUCCESS 200

enum content_flags { CONTENT_TYPE = 0x8000, DELIVERY_MODE = 0x1000 };
enum declare_bits { DURABLE = 2 };
enum consume_bits { NO_ACK = 2 };
enum delivery_mode { TRANSIENT = 1, PERSISTENT = 2 };

static void put_empty_table(struct tw_writer *w) {
    tw_put32(w, 0);
}

void tw_amqp_put_start_ok(struct tw_writer *w, const struct tw_config *config) {
    size_t start = tw_amqp_begin_method(w, 0, TW_AMQP_CONNECTION_START_OK);
    put_empty_table(w); /* client-properties */
    tw_amqp_put_shortstr(w, "PLAIN");
    tw_put32(w, (uint32_t)(strlen(config->user) + strlen(config->password) + 2));
    tw_put8(w, 0); /* RFC 4616: no authorization identity */
    tw_put_text(w, config->user);
    tw_put8(w, 0);
    tw_put_text(w, config->password);
    tw_amqp_put_shortstr(w, "en_US");
    tw_amqp_end_method(w, start);
}

void tw_amqp_put_tune_ok(struct tw_writer *w, uint16_t heartbeat_s) {
    size_t start = tw_amqp_begin_method(w, 0, TW_AMQP_CONNECTION_TUNE_OK);
    tw_put16(w, TW_AMQP_CHANNEL); /* channel-max */
    tw_put32(w, TW_AMQP_FRAME_MIN);
    tw_put16(w, heartbeat_s);
    tw_amqp_end_method(w, start);
}

void tw_amqp_put_open(struct tw_writer *w) {
    size_t start = tw_amqp_begin_method(w, 0, TW_AMQP_CONNECTION_OPEN);
    tw_amqp_put_shortstr(w, "/"); /* virtual host */
    tw_put16(w, 0);               /* reserved: a short string and a bit */
    tw_amqp_end_method(w, start);
}

void tw_amqp_put_declare(struct tw_writer *w, const struct tw_config *config) {
    size_t start = tw_amqp_begin_method(w, TW_AMQP_CHANNEL, TW_AMQP_QUEUE_DECLARE);
    tw_put16(w, 0); /* reserved, here and below */
    tw_amqp_put_shortstr(w, config->queue);
    tw_put8(w, config->clean ? 0 : DURABLE);
    put_empty_table(w); /* arguments */
    tw_amqp_end_method(w, start);
}

void tw_amqp_put_qos(struct tw_writer *w, const struct tw_config *config) {
    size_t start = tw_amqp_begin_method(w, TW_AMQP_CHANNEL, TW_AMQP_BASIC_QOS);
    tw_put32(w, 0); /* prefetch-size: any */
    tw_put16(w, config->inflight ? config->inflight : TW_INFLIGHT_MAX);
    tw_put8(w, 0); /* global */
    tw_amqp_end_method(w, start);
}

void tw_amqp_put_consume(struct tw_writer *w, const struct tw_config *config) {
    size_t start = tw_amqp_begin_method(w, TW_AMQP_CHANNEL, TW_AMQP_BASIC_CONSUME);
    tw_put16(w, 0);
    tw_amqp_put_shortstr(w, config->queue);
    tw_amqp_put_shortstr(w, "tw"); /* a short tag keeps Basic.Deliver short */
    tw_put8(w, config->confirmable ? 0 : NO_ACK);
    put_empty_table(w); /* arguments */
    tw_amqp_end_method(w, start);
}

void tw_amqp_put_ack(struct tw_writer *w, uint64_t tag, bool multiple) {
    size_t start = tw_amqp_begin_method(w, TW_AMQP_CHANNEL, TW_AMQP_BASIC_ACK);
    tw_put64(w, tag);
    tw_put8(w, multiple);
    tw_amqp_end_method(w, start);
}

void tw_amqp_put_cancel_ok(struct tw_writer *w, const uint8_t *tag, size_t size) {
    size_t start = tw_amqp_begin_method(w, TW_AMQP_CHANNEL, TW_AMQP_BASIC_CANCEL_OK);
    tw_put8(w, (uint8_t)size);
    tw_put(w, tag, size);
    tw_amqp_end_method(w, start);
}

void tw_amqp_put_heartbeat(struct tw_writer *w, const struct tw_config *config) {
    (void)config;
    tw_amqp_put_frame(w, TW_AMQP_HEARTBEAT, 0, 0);
    tw_put8(w, TW_AMQP_FRAME_END);
}

void tw_amqp_put_close(struct tw_writer *w, const struct tw_config *config) {
    (void)config;
    size_t start = tw_amqp_begin_method(w, 0, TW_AMQP_CONNECTION_CLOSE);
    tw_put16(w, REPLY_SUCCESS);
    tw_amqp_put_shortstr(w, "");
    tw_put32(w, 0); /* the method that it is about: none */
    tw_amqp_end_method(w, start);
}

void tw_amqp_put_publish(struct tw_writer *w, const struct tw_config *config, uint32_t size) {
    static const char type[] = "text/plain";
    size_t start = tw_amqp_begin_method(w, TW_AMQP_CHANNEL, TW_AMQP_BASIC_PUBLISH);
    tw_put16(w, 0);
    tw_amqp_put_shortstr(w, ""); /* the default exchange routes by queue name */
    tw_amqp_put_shortstr(w, config->queue);
    tw_put8(w, 0); /* mandatory, immediate */
    tw_amqp_end_method(w, start);
    tw_amqp_put_frame(w, TW_AMQP_HEADER, TW_AMQP_CHANNEL, 14 + sizeof type + 1);
    tw_put16(w, TW_AMQP_BASIC);
    tw_put16(w, 0); /* weight */
    tw_put64(w, size);
    tw_put16(w, CONTENT_TYPE | DELIVERY_MODE);
    tw_amqp_put_shortstr(w, type);
    tw_put8(w, config->clean ? TRANSIENT : PERSISTENT);
    tw_put8(w, TW_AMQP_FRAME_END);
}
