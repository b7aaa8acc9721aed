#include "tasks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "clock.h"
#include "context.h"
#include "crash.h"
#include "fault.h"
#include "freertos/task.h"
#include "heap.h"
#include "idle.h"
#include "netif.h"
#include "stack.h"

/* The scheduler has the stack of the chip's system, at the end of the system's data RAM. */
#define STACK_END 0x3FFFFFB0u
#define STACK_ALIGNMENT 16u
#define PAINT 0xA5u
#define GUARD_BYTES 32u

#define TICK_US (1000000u / configTICK_RATE_HZ)

struct task {
    TAILQ_ENTRY(task) next;
    void *sp;
    uint8_t *stack; /* NULL: the first task, whose stack the board guards. The structure
                       lies above it, out of reach of an overflow. */
    uint32_t stack_bytes;
    TaskFunction_t function;
    void *argument;
    UBaseType_t priority;
    uint32_t notified; /* xTaskNotifyGive */
    bool ready, woken, deleted;
    const void *object; /* that it waits for, while it is not ready */
    uint64_t until_us;
    void *own;
    void (*release)(void *own);
};

/* In the order in which they came to wait or to be ready. */
static TAILQ_HEAD(, task) tasks = TAILQ_HEAD_INITIALIZER(tasks);
static struct task first, *running;
static void *scheduler_sp;
static unsigned critical, count;
static bool switch_wanted;
static uint32_t deleted_stack_free_min = UINT32_MAX;

static void to_the_end(struct task *task) {
    TAILQ_REMOVE(&tasks, task, next);
    TAILQ_INSERT_TAIL(&tasks, task, next);
}

/* ---- scheduler ---- */

static struct task *highest(bool (*fits)(const struct task *task, const void *object),
                            const void *object) {
    struct task *task, *found = NULL;
    TAILQ_FOREACH(task, &tasks, next) {
        if (fits(task, object) && (!found || task->priority > found->priority))
            found = task;
    }
    return found;
}

static bool is_ready(const struct task *task, const void *object) {
    (void)object;
    return task->ready;
}

static bool waits_for(const struct task *task, const void *object) {
    return !task->ready && task->object == object;
}

static void make_ready(struct task *task, bool woken) {
    task->ready = true;
    task->woken = woken;
    task->object = NULL;
    to_the_end(task);
}

/* Returns when the next task has waited long enough. */
static uint64_t end_waits(void) {
    uint64_t now = clock_us(), next = TASKS_FOREVER;
    struct task *task, *after;
    TAILQ_FOREACH_SAFE(task, &tasks, next, after) {
        if (task->ready)
            continue;
        if (task->until_us <= now)
            make_ready(task, false);
        else if (task->until_us < next)
            next = task->until_us;
    }
    return next;
}

static uint32_t stack_free(const struct task *task) {
    if (!task->stack)
        return stack_free_min();
    uint32_t bytes = 0;
    while (bytes < task->stack_bytes && task->stack[bytes] == PAINT)
        bytes++;
    return bytes;
}

/* Before the scheduler uses what an overflow may have damaged. */
static void check_stack(const struct task *task) {
    for (unsigned i = 0; task->stack && i < GUARD_BYTES; i++)
        if (task->stack[i] != PAINT)
            crash(RESET_STACK_OVERFLOW, "guard bytes of a task written", 0);
    if (task->stack && (uint8_t *)__builtin_frame_address(0) < task->stack)
        crash(RESET_STACK_OVERFLOW, "a task is below its stack", 0);
}

static void bury(struct task *task) {
    uint32_t bytes = stack_free(task);
    if (bytes < deleted_stack_free_min)
        deleted_stack_free_min = bytes;
    if (task->release)
        task->release(task->own);
    TAILQ_REMOVE(&tasks, task, next);
    count--;
    free(task->stack);
}

static void schedule(void) __attribute__((noreturn));
static void schedule(void) {
    for (;;) {
        uint64_t next = end_waits(), fault = fault_poll(clock_us());
        if (highest(is_ready, NULL))
            next = 0;
        idle_until(next < fault ? next : fault);
        while (netif_serve())
            ;
        heap_check();
        end_waits();
        struct task *task = highest(is_ready, NULL);
        if (!task)
            continue;
        running = task;
        context_switch(&scheduler_sp, task->sp);
        running = NULL;
        stack_check();
        if (task->deleted)
            bury(task);
    }
}

static void leave(void) {
    switch_wanted = false;
    check_stack(running);
    context_switch(&running->sp, scheduler_sp);
}

/* A task that was made ready runs at once if its priority is higher. */
static void yield_to(const struct task *task) {
    if (!running || task->priority <= running->priority)
        return;
    switch_wanted = true;
    if (!critical)
        leave();
}

void tasks_start(UBaseType_t priority) {
    struct context_frame *frame = (struct context_frame *)STACK_END - 1;
    *frame = (struct context_frame){.go_on = schedule};
    scheduler_sp = frame;
    first = (struct task){.priority = priority, .ready = true};
    running = &first;
    TAILQ_INSERT_TAIL(&tasks, &first, next);
    count = 1;
}

bool tasks_wait(const void *object, uint64_t until_us) {
    struct task *task = running;
    if (critical)
        crash(RESET_ASSERT, "a task waits in a critical section", 0);
    task->ready = false;
    task->object = object;
    task->until_us = until_us;
    to_the_end(task);
    leave();
    return task->woken;
}

void tasks_wake(const void *object) {
    struct task *task = highest(waits_for, object);
    if (!task)
        return;
    make_ready(task, true);
    yield_to(task);
}

void tasks_wake_all(const void *object) {
    tasks_enter_critical();
    while (highest(waits_for, object))
        tasks_wake(object);
    tasks_exit_critical();
}

uint64_t tasks_deadline(TickType_t ticks) {
    return ticks == portMAX_DELAY ? TASKS_FOREVER : (clock_us() / TICK_US + ticks) * TICK_US;
}

void tasks_enter_critical(void) {
    critical++;
}

void tasks_exit_critical(void) {
    if (!--critical && switch_wanted && running)
        leave();
}

void **tasks_own(void (*release)(void *value)) {
    running->release = release;
    return &running->own;
}

uint32_t tasks_stack_free_min(void) {
    uint32_t least = deleted_stack_free_min;
    struct task *task;
    TAILQ_FOREACH(task, &tasks, next) {
        uint32_t bytes = stack_free(task);
        least = bytes < least ? bytes : least;
    }
    return least;
}

/* ---- freertos/task.h ---- */

static void begin(void) __attribute__((noreturn));
static void begin(void) {
    running->function(running->argument);
    crash(RESET_ASSERT, "the function of a task has returned", 0);
}

BaseType_t xTaskCreate(TaskFunction_t function, const char *name, uint32_t stack_bytes,
                       void *argument, UBaseType_t priority, TaskHandle_t *handle) {
    (void)name;
    stack_bytes &= ~(STACK_ALIGNMENT - 1u);
    uint8_t *stack = malloc(stack_bytes + sizeof(struct task));
    if (!stack)
        return errCOULD_NOT_ALLOCATE_REQUIRED_MEMORY;
    memset(stack, PAINT, stack_bytes);
    struct task *task = (struct task *)(stack + stack_bytes);
    uintptr_t end = (uintptr_t)task & ~(uintptr_t)(STACK_ALIGNMENT - 1u);
    struct context_frame *frame = (struct context_frame *)end - 1;
    *frame = (struct context_frame){.go_on = begin};
    *task = (struct task){
        .sp = frame,
        .stack = stack,
        .stack_bytes = stack_bytes,
        .function = function,
        .argument = argument,
        .priority = priority < configMAX_PRIORITIES ? priority : configMAX_PRIORITIES - 1u,
        .ready = true,
    };
    TAILQ_INSERT_TAIL(&tasks, task, next);
    count++;
    if (handle)
        *handle = task;
    yield_to(task);
    return pdPASS;
}

void vTaskDelete(TaskHandle_t task) {
    if ((task && task != running) || running == &first)
        crash(RESET_ASSERT, "a task deletes another one, or the first", 0);
    running->ready = false;
    running->deleted = true;
    running->until_us = TASKS_FOREVER;
    leave();
}

void vTaskDelay(TickType_t ticks) {
    if (ticks) {
        tasks_wait(NULL, tasks_deadline(ticks));
        return;
    }
    to_the_end(running); /* after those of the same priority */
    leave();
}

TickType_t xTaskGetTickCount(void) {
    return (TickType_t)(clock_us() / TICK_US);
}

TaskHandle_t xTaskGetCurrentTaskHandle(void) {
    return running;
}

UBaseType_t uxTaskGetNumberOfTasks(void) {
    return count;
}

UBaseType_t uxTaskGetStackHighWaterMark(TaskHandle_t task) {
    return stack_free(task ? task : running);
}

BaseType_t xTaskNotifyGive(TaskHandle_t task) {
    task->notified++;
    tasks_wake(&task->notified);
    return pdPASS;
}

uint32_t ulTaskNotifyTake(BaseType_t clear, TickType_t ticks) {
    return tasks_take(clear, tasks_deadline(ticks));
}

uint32_t tasks_take(BaseType_t clear, uint64_t until_us) {
    struct task *task = running;
    if (!task->notified && clock_us() < until_us)
        tasks_wait(&task->notified, until_us);
    uint32_t notified = task->notified;
    if (notified)
        task->notified = clear ? 0 : notified - 1u;
    return notified;
}
