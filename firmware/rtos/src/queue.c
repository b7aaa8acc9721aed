#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "freertos/semphr.h"
#include "tasks.h"

/* Tasks wait for `sent` of a queue without items, for `taken` of a full one. */
struct queue {
    UBaseType_t length, item_bytes, count, oldest;
    char sent, taken;
    uint8_t items[];
};

QueueHandle_t xQueueCreate(UBaseType_t length, UBaseType_t item_bytes) {
    struct queue *queue = calloc(1, sizeof *queue + length * item_bytes);
    if (queue) {
        queue->length = length;
        queue->item_bytes = item_bytes;
    }
    return queue;
}

void vQueueDelete(QueueHandle_t queue) {
    free(queue);
}

static uint8_t *place(struct queue *queue, UBaseType_t number) {
    return queue->items + number % queue->length * queue->item_bytes;
}

/* False: it is still `full` (or empty) after the time. */
static bool wait_while(const UBaseType_t *counted, UBaseType_t is, const void *object,
                       TickType_t ticks) {
    uint64_t until = tasks_deadline(ticks);
    while (*counted == is) {
        if (!ticks || clock_us() >= until)
            return false;
        tasks_wait(object, until);
    }
    return true;
}

BaseType_t xQueueSend(QueueHandle_t queue, const void *item, TickType_t ticks) {
    if (!wait_while(&queue->count, queue->length, &queue->taken, ticks))
        return errQUEUE_FULL;
    if (queue->item_bytes)
        memcpy(place(queue, queue->oldest + queue->count), item, queue->item_bytes);
    queue->count++;
    tasks_wake(&queue->sent);
    return pdPASS;
}

BaseType_t xQueueReceive(QueueHandle_t queue, void *item, TickType_t ticks) {
    if (!wait_while(&queue->count, 0, &queue->sent, ticks))
        return errQUEUE_EMPTY;
    if (queue->item_bytes)
        memcpy(item, place(queue, queue->oldest), queue->item_bytes);
    queue->oldest = (queue->oldest + 1u) % queue->length;
    queue->count--;
    tasks_wake(&queue->taken);
    return pdPASS;
}

UBaseType_t uxQueueMessagesWaiting(QueueHandle_t queue) {
    return queue->count;
}

SemaphoreHandle_t xSemaphoreCreateCounting(UBaseType_t most, UBaseType_t initial) {
    struct queue *semaphore = xQueueCreate(most, 0);
    if (semaphore)
        semaphore->count = initial;
    return semaphore;
}
