/*
 * Topic names as MQTT and MQTT-SN have them in a PUBLISH or REGISTER (MQTT 3.1.1, sections 1.5.3
 * and 4.7).
 */
#ifndef TW_TOPIC_NAME_H
#define TW_TOPIC_NAME_H

#include <stddef.h>

#include "core/util/utf8.h"

/* Takes the next piece of a name, the `last` one or not; false: no name goes on, or ends, so. */
bool tw_topic_name_take(struct tw_utf8 *name, const uint8_t *data, size_t size, bool last);

#endif
