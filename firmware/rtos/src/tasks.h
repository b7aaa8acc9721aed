/*
 * Tasks that share the processor: each has a stack, and runs until it waits or makes a task of a
 * higher priority ready. Frames and time make tasks ready only while all wait: the chip's kernel
 * would preempt a task that runs for longer.
 */
#ifndef TASKS_H
#define TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "freertos/FreeRTOS.h"

#define TASKS_FOREVER UINT64_MAX

/* Once: the calling context becomes the first task, with the stack that main has. */
void tasks_start(UBaseType_t priority);
/* The task waits until `object` is woken, which is true, or until `until_us` on the board's clock.
 */
bool tasks_wait(const void *object, uint64_t until_us);
/* Wakes the task of the highest priority that waits for `object`, of equal ones the first. */
void tasks_wake(const void *object);
void tasks_wake_all(const void *object);
/* The end of a time of so many ticks; TASKS_FOREVER for portMAX_DELAY. */
uint64_t tasks_deadline(TickType_t ticks);
/* ulTaskNotifyTake with a time on the board's clock. */
uint32_t tasks_take(BaseType_t clear, uint64_t until_us);
/* In between no other task runs. Calls nest. */
void tasks_enter_critical(void);
void tasks_exit_critical(void);
/* A place for one pointer of the running task, and what frees it when the task is deleted. */
void **tasks_own(void (*release)(void *value));
/* The least of any task's stack that was never used, in bytes; of deleted tasks, too. */
uint32_t tasks_stack_free_min(void);

#endif
