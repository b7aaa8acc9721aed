/*
 * The content body of an AMQP message: its payload in frames (specification, section 4.2.6.3).
 */
#ifndef TW_AMQP_BODY_H
#define TW_AMQP_BODY_H

#include "core/util/stream_out.h"

/* The payload of `message` in frames of at most TW_AMQP_FRAME_MIN bytes, all but the last full. */
struct tw_body tw_amqp_body(const struct tw_host *host, const struct tw_message *message);

#endif
