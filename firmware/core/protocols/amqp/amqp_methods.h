/*
 * The methods that an AMQP client of one channel and one queue sends, each written whole.
 */
#ifndef TW_AMQP_METHODS_H
#define TW_AMQP_METHODS_H

#include "amqp_frame.h"

struct tw_config;

#define TW_AMQP_CHANNEL 1
#define TW_AMQP_BASIC 60 /* the class of messages */

void tw_amqp_put_start_ok(struct tw_writer *w, const struct tw_config *config);
void tw_amqp_put_tune_ok(struct tw_writer *w, uint16_t heartbeat_s);
void tw_amqp_put_open(struct tw_writer *w);
void tw_amqp_put_declare(struct tw_writer *w, const struct tw_config *config);
void tw_amqp_put_qos(struct tw_writer *w, const struct tw_config *config);
void tw_amqp_put_consume(struct tw_writer *w, const struct tw_config *config);
/* For the delivery of the tag or, with `multiple`, all up to it. */
void tw_amqp_put_ack(struct tw_writer *w, uint64_t tag, bool multiple);
void tw_amqp_put_cancel_ok(struct tw_writer *w, const uint8_t *tag, size_t size);
void tw_amqp_put_heartbeat(struct tw_writer *w, const struct tw_config *config);
void tw_amqp_put_close(struct tw_writer *w, const struct tw_config *config);
/* Basic.Publish and the content header of a payload of `size` bytes; its body follows
 * (amqp_body.h). */
void tw_amqp_put_publish(struct tw_writer *w, const struct tw_config *config, uint32_t size);

#endif
