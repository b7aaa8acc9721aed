/* Semaphores are queues of empty items, as in FreeRTOS. Mutexes are left out: they need priorities
 * that are inherited, and no library here uses them. */
#ifndef FREERTOS_SEMPHR_H
#define FREERTOS_SEMPHR_H

#include "freertos/queue.h"

typedef QueueHandle_t SemaphoreHandle_t;

SemaphoreHandle_t xSemaphoreCreateCounting(UBaseType_t most, UBaseType_t initial);
#define xSemaphoreCreateBinary() xSemaphoreCreateCounting(1, 0)
#define xSemaphoreGive(semaphore) xQueueSend((semaphore), NULL, 0)
#define xSemaphoreTake(semaphore, ticks) xQueueReceive((semaphore), NULL, (ticks))
#define vSemaphoreDelete(semaphore) vQueueDelete(semaphore)

#endif
