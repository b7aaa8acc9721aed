/*
 * The identifiers of incoming QoS 2 messages that are owned and not yet released.
 *
 * A broker may have far more of them open than a table of a device has places: MQTT 3.1.1 knows no
 * limit, and mosquitto sends hundreds in one go. It numbers them in order, together with its QoS 1
 * messages: hundreds in a row, every second one, or any pattern within a window. So the set is kept
 * in blocks of 16 identifiers, and a run of blocks with the same pattern takes one place.
 */
#ifndef TW_ID_SET_H
#define TW_ID_SET_H

#include <stdbool.h>
#include <stdint.h>

#define TW_ID_RUNS 32

struct tw_id_run {
    uint16_t block, blocks; /* the first one, and how many */
    uint16_t bits;          /* which identifiers of each block are in the set: never none */
};

struct tw_id_set {
    uint8_t count;
    struct tw_id_run runs[TW_ID_RUNS]; /* apart from each other, the oldest first */
};

bool tw_id_set_has(const struct tw_id_set *set, uint16_t id);
/* Adds an identifier; false: it would be one run too many. */
bool tw_id_set_add(struct tw_id_set *set, uint16_t id);
/* Removes an identifier; false: the rest would be one run too many. */
bool tw_id_set_remove(struct tw_id_set *set, uint16_t id);
/* Drops the oldest run of a set that is not empty. */
void tw_id_set_forget_oldest(struct tw_id_set *set);

#endif
