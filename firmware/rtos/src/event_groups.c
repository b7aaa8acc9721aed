#include "freertos/event_groups.h"

#include <stdlib.h>

#include "clock.h"
#include "tasks.h"

struct event_group {
    EventBits_t bits;
};

EventGroupHandle_t xEventGroupCreate(void) {
    return calloc(1, sizeof(struct event_group));
}

void vEventGroupDelete(EventGroupHandle_t group) {
    free(group);
}

EventBits_t xEventGroupSetBits(EventGroupHandle_t group, EventBits_t bits) {
    group->bits |= bits;
    tasks_wake_all(group);
    return group->bits;
}

EventBits_t xEventGroupClearBits(EventGroupHandle_t group, EventBits_t bits) {
    EventBits_t before = group->bits;
    group->bits &= ~bits;
    return before;
}

EventBits_t xEventGroupWaitBits(EventGroupHandle_t group, EventBits_t bits, BaseType_t clear,
                                BaseType_t all, TickType_t ticks) {
    uint64_t until = tasks_deadline(ticks);
    for (;;) {
        EventBits_t before = group->bits, there = before & bits;
        if (all ? there == bits : there != 0) {
            if (clear)
                group->bits &= ~bits;
            return before;
        }
        if (!ticks || clock_us() >= until)
            return before;
        tasks_wait(group, until);
    }
}
