#include "id_set.h"

#include <stddef.h>
#include <string.h>

#define BLOCK 16u /* identifiers */

static uint16_t bit_of(uint16_t id) {
    return (uint16_t)(1u << id % BLOCK);
}

/* The place of the run that has the block, or `count`. */
static uint8_t find(const struct tw_id_set *set, unsigned block) {
    uint8_t i = 0;
    while (i < set->count &&
           (block < set->runs[i].block || block - set->runs[i].block >= set->runs[i].blocks))
        i++;
    return i;
}

/* Puts `size` runs in the place of `old` ones at `i`. */
static void replace(struct tw_id_set *set, uint8_t i, uint8_t old, const struct tw_id_run *runs,
                    uint8_t size) {
    uint8_t behind = (uint8_t)(set->count - i - old);
    memmove(&set->runs[i + size], &set->runs[i + old], behind * sizeof *runs);
    if (size)
        memcpy(&set->runs[i], runs, size * sizeof *runs);
    set->count = (uint8_t)(i + size + behind);
}

/* Joins the run at `i` with those right before and after it that have the same pattern. */
static void join(struct tw_id_set *set, uint8_t i) {
    for (uint8_t other = 0; other < set->count; other++) {
        struct tw_id_run *a = &set->runs[i], *b = &set->runs[other];
        if (a->bits != b->bits ||
            (a->block + a->blocks != b->block && b->block + b->blocks != a->block))
            continue;
        struct tw_id_run both = {a->block < b->block ? a->block : b->block,
                                 (uint16_t)(a->blocks + b->blocks), a->bits};
        uint8_t kept = i < other ? i : other, gone = i < other ? other : i;
        set->runs[kept] = both;
        replace(set, gone, 1, NULL, 0);
        i = kept;
        other = UINT8_MAX; /* from the beginning again */
    }
}

/* Gives the block of `id` these bits: the run that has it is cut where it must be. */
static bool change(struct tw_id_set *set, uint16_t id, uint16_t bits) {
    unsigned block = id / BLOCK;
    uint8_t i = find(set, block), size = 0, old = i < set->count, changed = 0;
    struct tw_id_run runs[3], was = old ? set->runs[i] : (struct tw_id_run){(uint16_t)block, 1, 0};
    unsigned before = block - was.block, behind = was.blocks - before - 1;
    if (before)
        runs[size++] = (struct tw_id_run){was.block, (uint16_t)before, was.bits};
    changed = size;
    if (bits)
        runs[size++] = (struct tw_id_run){(uint16_t)block, 1, bits};
    if (behind)
        runs[size++] = (struct tw_id_run){(uint16_t)(block + 1), (uint16_t)behind, was.bits};
    if (set->count - old + size > TW_ID_RUNS)
        return false;
    replace(set, i, old, runs, size);
    if (bits)
        join(set, (uint8_t)(i + changed));
    return true;
}

/* The bits of the block of `id`. */
static uint16_t bits_at(const struct tw_id_set *set, uint16_t id) {
    uint8_t i = find(set, id / BLOCK);
    return i < set->count ? set->runs[i].bits : 0;
}

bool tw_id_set_has(const struct tw_id_set *set, uint16_t id) {
    return bits_at(set, id) & bit_of(id);
}

bool tw_id_set_add(struct tw_id_set *set, uint16_t id) {
    return tw_id_set_has(set, id) || change(set, id, bits_at(set, id) | bit_of(id));
}

bool tw_id_set_remove(struct tw_id_set *set, uint16_t id) {
    return !tw_id_set_has(set, id) || change(set, id, (uint16_t)(bits_at(set, id) & ~bit_of(id)));
}

void tw_id_set_forget_oldest(struct tw_id_set *set) {
    replace(set, 0, 1, NULL, 0);
}
