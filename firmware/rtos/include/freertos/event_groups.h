#ifndef FREERTOS_EVENT_GROUPS_H
#define FREERTOS_EVENT_GROUPS_H

#include "freertos/FreeRTOS.h"

typedef struct event_group *EventGroupHandle_t;
typedef TickType_t EventBits_t;

/* NULL: no memory. */
EventGroupHandle_t xEventGroupCreate(void);
void vEventGroupDelete(EventGroupHandle_t group);
EventBits_t xEventGroupSetBits(EventGroupHandle_t group, EventBits_t bits);
/* Returns the bits before. */
EventBits_t xEventGroupClearBits(EventGroupHandle_t group, EventBits_t bits);
/* Returns the bits when the wait ended, before it cleared any. */
EventBits_t xEventGroupWaitBits(EventGroupHandle_t group, EventBits_t bits, BaseType_t clear,
                                BaseType_t all, TickType_t ticks);

#endif
