#include "owed.h"

#include <string.h>

/* The run goes on with `id`: as its second one, at any distance, or at the distance of the others.
 */
static bool goes_on(const struct tw_owed_run *run, uint32_t id) {
    uint32_t step = run->count == 1 ? id - run->first : run->step;
    return step <= UINT16_MAX && run->count < UINT16_MAX && id == run->first + step * run->count;
}

bool tw_owed_add(struct tw_owed *owed, uint32_t id) {
    struct tw_owed_run *last = owed->count ? &owed->runs[owed->count - 1] : NULL;
    if (last && goes_on(last, id)) {
        last->step = last->count == 1 ? (uint16_t)(id - last->first) : last->step;
        last->count++;
        return true;
    }
    if (owed->count == TW_OWED_RUNS)
        return false;
    owed->runs[owed->count++] = (struct tw_owed_run){.first = id, .count = 1};
    return true;
}

bool tw_owed_first(const struct tw_owed *owed, uint32_t *id) {
    *id = owed->runs[0].first;
    return owed->count > 0;
}

void tw_owed_pop(struct tw_owed *owed) {
    struct tw_owed_run *run = &owed->runs[0];
    run->first += run->step;
    if (--run->count)
        return;
    owed->count--;
    memmove(run, run + 1, owed->count * sizeof *run);
}
