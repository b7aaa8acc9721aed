#ifndef FREERTOS_QUEUE_H
#define FREERTOS_QUEUE_H

#include "freertos/FreeRTOS.h"

typedef struct queue *QueueHandle_t;

/* NULL: no memory. Items of 0 bytes are counted only. */
QueueHandle_t xQueueCreate(UBaseType_t length, UBaseType_t item_bytes);
void vQueueDelete(QueueHandle_t queue);
BaseType_t xQueueSend(QueueHandle_t queue, const void *item, TickType_t ticks);
BaseType_t xQueueReceive(QueueHandle_t queue, void *item, TickType_t ticks);
UBaseType_t uxQueueMessagesWaiting(QueueHandle_t queue);

#endif
