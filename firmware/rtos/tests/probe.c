/*
 * A firmware that uses the tasks, queues, semaphores and event groups of freertos/, for
 * test_rtos.py. The first argument names what it does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <thinwire/device.h>

#include "freertos/event_groups.h"
#include "freertos/semphr.h"
#include "freertos/task.h"
#include "tasks.h"

#define STACK_BYTES 2048u
#define OWN_PRIORITY 3u

static QueueHandle_t queue;
static SemaphoreHandle_t semaphore;
static EventGroupHandle_t group;

static unsigned now_ms(void) {
    return (unsigned)(device_time_us() / 1000);
}

static void start(TaskFunction_t function, void *argument, UBaseType_t priority) {
    if (xTaskCreate(function, "probe", STACK_BYTES, argument, priority, NULL) != pdPASS)
        printf("no task\n");
}

/* ---- who runs when ---- */

static void once(void *name) {
    printf("%s\n", (const char *)name);
    vTaskDelete(NULL);
}

static void twice(void *name) {
    printf("%s\n", (const char *)name);
    vTaskDelay(0);
    once(name);
}

static int order(void) {
    start(twice, "low1", 1);
    start(twice, "low2", 1);
    start(once, "high", OWN_PRIORITY + 1u);
    start(once, "equal", OWN_PRIORITY);
    tasks_enter_critical();
    start(once, "postponed", OWN_PRIORITY + 1u);
    printf("critical\n");
    tasks_exit_critical();
    printf("own,%u\n", (unsigned)uxTaskGetNumberOfTasks());
    vTaskDelay(1);
    printf("end,%u\n", (unsigned)uxTaskGetNumberOfTasks());
    return 0;
}

/* A delay ends with a tick of 10 ms, and not before so many ticks have begun. */
static int delays(void) {
    vTaskDelay(1);
    unsigned tick = now_ms() / 10;
    vTaskDelay(3);
    printf("%u %u\n", now_ms() / 10 - tick, now_ms() % 10);
    tasks_wait(NULL, device_time_us() + 4000);
    vTaskDelay(2);
    printf("%u %u\n", now_ms() / 10 - tick, now_ms() % 10);
    printf("%d\n", xTaskGetTickCount() == now_ms() / 10);
    return 0;
}

/* ---- queues ---- */

static void send_numbers(void *argument) {
    (void)argument;
    for (uint32_t i = 1; i <= 5; i++) {
        xQueueSend(queue, &i, portMAX_DELAY);
        printf("sent%u\n", (unsigned)i);
    }
    vTaskDelete(NULL);
}

static int queues(void) {
    uint32_t number = 0, none = 7;
    queue = xQueueCreate(2, sizeof number);
    printf("%d %d", (int)xQueueReceive(queue, &none, 0), (int)none);
    unsigned began = now_ms();
    printf(" %d", (int)xQueueReceive(queue, &none, 5));
    printf(" %d\n", now_ms() - began > 40 && now_ms() - began <= 50);
    start(send_numbers, NULL, OWN_PRIORITY + 1u);
    printf("%u,%d\n", (unsigned)uxQueueMessagesWaiting(queue), (int)xQueueSend(queue, &none, 0));
    while (xQueueReceive(queue, &number, 1) == pdPASS)
        printf("got%u\n", (unsigned)number);
    vQueueDelete(queue);
    return 0;
}

/* ---- semaphores and notifications ---- */

static void take(void *name) {
    xSemaphoreTake(semaphore, portMAX_DELAY);
    once(name);
}

static void take_notified(void *argument) {
    (void)argument;
    uint32_t one = ulTaskNotifyTake(pdFALSE, portMAX_DELAY), all = ulTaskNotifyTake(pdTRUE, 0);
    printf("%u %u %u\n", (unsigned)one, (unsigned)all, (unsigned)ulTaskNotifyTake(pdTRUE, 1));
    vTaskDelete(NULL);
}

static int semaphores(void) {
    semaphore = xSemaphoreCreateCounting(2, 1);
    printf("%d %d", (int)xSemaphoreTake(semaphore, 0), (int)xSemaphoreTake(semaphore, 1));
    for (int i = 0; i < 3; i++)
        printf(" %d", (int)xSemaphoreGive(semaphore));
    printf("\n");
    while (xSemaphoreTake(semaphore, 0))
        ;
    start(take, "low", OWN_PRIORITY + 1u);
    start(take, "first", OWN_PRIORITY + 2u);
    start(take, "second", OWN_PRIORITY + 2u);
    for (int i = 0; i < 3; i++)
        xSemaphoreGive(semaphore);
    TaskHandle_t task;
    xTaskCreate(take_notified, "probe", STACK_BYTES, NULL, 1, &task);
    for (int i = 0; i < 3; i++)
        xTaskNotifyGive(task);
    vTaskDelay(3);
    return 0;
}

/* ---- event groups ---- */

static void wait_for_any(void *bits) {
    EventBits_t wanted = (uintptr_t)bits;
    printf("any %x\n",
           (unsigned)xEventGroupWaitBits(group, wanted, pdFALSE, pdFALSE, portMAX_DELAY));
    vTaskDelete(NULL);
}

static void wait_for_all(void *bits) {
    EventBits_t wanted = (uintptr_t)bits;
    printf("all %x\n", (unsigned)xEventGroupWaitBits(group, wanted, pdTRUE, pdTRUE, portMAX_DELAY));
    vTaskDelete(NULL);
}

static int events(void) {
    group = xEventGroupCreate();
    printf("%x\n", (unsigned)xEventGroupWaitBits(group, 1, pdFALSE, pdFALSE, 2));
    start(wait_for_any, (void *)6, OWN_PRIORITY + 1u);
    start(wait_for_all, (void *)5, OWN_PRIORITY + 1u);
    xEventGroupSetBits(group, 4);
    printf("set 4\n");
    xEventGroupSetBits(group, 9);
    printf("set 9, left %x\n", (unsigned)xEventGroupClearBits(group, 8));
    printf("%x\n", (unsigned)xEventGroupWaitBits(group, 15, pdFALSE, pdFALSE, 0));
    vEventGroupDelete(group);
    return 0;
}

/* ---- memory ---- */

static void fill(void *bytes) {
    volatile uint8_t used[1024];
    for (size_t i = 0; i < (uintptr_t)bytes; i++)
        used[i] = 1;
    printf("%d\n", (int)(uxTaskGetStackHighWaterMark(NULL) < STACK_BYTES - sizeof used));
    *tasks_own(free) = malloc(100);
    vTaskDelete(NULL);
}

static int memory(void) {
    uint32_t before = device_memory().heap_used;
    start(fill, (void *)1024, 1);
    vTaskDelay(1);
    printf("%d %d\n", device_memory().heap_used == before,
           tasks_stack_free_min() < STACK_BYTES - 1024u);
    printf("%d\n", (int)xTaskCreate(once, "probe", 100000, NULL, 1, NULL));
    printf("%d\n", device_memory().heap_used == before);
    return 0;
}

static void recurse(void *depth) {
    volatile uint8_t used[256];
    used[0] = 1;
    if (depth)
        recurse((void *)((uintptr_t)depth - used[0]));
    vTaskDelay(1);
}

static int overflow(void) {
    start(recurse, (void *)10, 1);
    vTaskDelay(2);
    return 0;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        int (*run)(void);
    } cases[] = {{"order", order},           {"delays", delays}, {"queues", queues},
                 {"semaphores", semaphores}, {"events", events}, {"memory", memory},
                 {"overflow", overflow}};
    tasks_start(OWN_PRIORITY);
    for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof *cases; i++)
        if (!strcmp(cases[i].name, argv[1]))
            return cases[i].run();
    return 2;
}
