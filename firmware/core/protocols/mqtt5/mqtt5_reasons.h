/*
 * Reason codes of MQTT 5 (OASIS MQTT 5.0, table 2-6), by the packets in which a server sends them.
 */
#ifndef TW_MQTT5_REASONS_H
#define TW_MQTT5_REASONS_H

#include <stdint.h>

/* From here on a code is a failure. */
#define TW_MQTT5_FAILURE 0x80

/* The code's name in the standard, as a word of the log; NULL where no packet of type `packet`
 * (enum tw_mqtt_type) from a server may have it. */
const char *tw_mqtt5_reason(uint8_t packet, uint8_t code);

#endif
