/*
 * The identifiers of incoming QoS 2 messages that are owned and not yet released.
 *
 * A broker may have far more of them open than a table of a device has places: MQTT 3.1.1 knows no
 * limit, and mosquitto sends hundreds in one go. It numbers and releases them in order, so a few
 * ranges hold them all.
 */
#ifndef TW_ID_SET_H
#define TW_ID_SET_H

#include <stdbool.h>
#include <stdint.h>

#define TW_ID_RANGES 16

struct tw_id_set {
    uint8_t count;
    struct {
        uint16_t first, last;
    } ranges[TW_ID_RANGES]; /* apart from each other, the oldest first */
};

bool tw_id_set_has(const struct tw_id_set *set, uint16_t id);
/* Adds an identifier that the set does not have; false: it would be one range too many. */
bool tw_id_set_add(struct tw_id_set *set, uint16_t id);
/* Removes an identifier if the set has it; false: the rest would be one range too many. */
bool tw_id_set_remove(struct tw_id_set *set, uint16_t id);
/* Drops the oldest range of a set that is not empty. */
void tw_id_set_forget_oldest(struct tw_id_set *set);

#endif
