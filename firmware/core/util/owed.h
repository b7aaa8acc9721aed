/*
 * Acknowledgements that wait for room in the output, oldest first, by the identifiers of what they
 * acknowledge. Peers count up, so identifiers at equal distances are one run, which takes one
 * place: two of any distance are one as well.
 */
#ifndef TW_OWED_H
#define TW_OWED_H

#include <stdbool.h>
#include <stdint.h>

#define TW_OWED_RUNS 16

struct tw_owed_run {
    uint32_t first;
    uint16_t step, count;
};

struct tw_owed {
    uint8_t count;
    struct tw_owed_run runs[TW_OWED_RUNS];
};

/* Adds the newest one; false when it begins a run that has no place. */
bool tw_owed_add(struct tw_owed *owed, uint32_t id);
/* Reads the oldest one; false when there is none. */
bool tw_owed_first(const struct tw_owed *owed, uint32_t *id);
/* Removes the oldest one, which there must be. */
void tw_owed_pop(struct tw_owed *owed);

#endif
