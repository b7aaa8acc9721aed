#include "id_set.h"

#include <stddef.h>
#include <string.h>

/* The place of the range that has `id`, or `count`. */
static uint8_t find(const struct tw_id_set *set, uint16_t id) {
    uint8_t i = 0;
    while (i < set->count && (id < set->ranges[i].first || id > set->ranges[i].last))
        i++;
    return i;
}

static bool append(struct tw_id_set *set, uint16_t first, uint16_t last) {
    if (set->count == TW_ID_RANGES)
        return false;
    set->ranges[set->count].first = first;
    set->ranges[set->count++].last = last;
    return true;
}

static void drop(struct tw_id_set *set, uint8_t i) {
    set->count--;
    memmove(&set->ranges[i], &set->ranges[i + 1], (set->count - i) * sizeof set->ranges[0]);
}

bool tw_id_set_has(const struct tw_id_set *set, uint16_t id) {
    return find(set, id) < set->count;
}

bool tw_id_set_add(struct tw_id_set *set, uint16_t id) {
    uint8_t below = id ? find(set, (uint16_t)(id - 1)) : set->count;
    uint8_t above = id < UINT16_MAX ? find(set, (uint16_t)(id + 1)) : set->count;
    if (below < set->count && above < set->count) { /* it closes the gap between two */
        set->ranges[below].last = set->ranges[above].last;
        drop(set, above);
    } else if (below < set->count) {
        set->ranges[below].last = id;
    } else if (above < set->count) {
        set->ranges[above].first = id;
    } else {
        return append(set, id, id);
    }
    return true;
}

bool tw_id_set_remove(struct tw_id_set *set, uint16_t id) {
    uint8_t i = find(set, id);
    if (i == set->count)
        return true;
    uint16_t first = set->ranges[i].first, last = set->ranges[i].last;
    if (first == last) {
        drop(set, i);
    } else if (id == first) {
        set->ranges[i].first++;
    } else if (id == last) {
        set->ranges[i].last--;
    } else {
        if (!append(set, (uint16_t)(id + 1), last))
            return false;
        set->ranges[i].last = (uint16_t)(id - 1);
    }
    return true;
}

void tw_id_set_forget_oldest(struct tw_id_set *set) {
    drop(set, 0);
}
