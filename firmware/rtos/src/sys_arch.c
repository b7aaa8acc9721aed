/* lwIP's port to the tasks (lwip/sys.h). */
#include "clock.h"
#include "freertos/queue.h"
#include "freertos/semphr.h"
#include "freertos/task.h"
#include "lwip/sys.h"
#include "tasks.h"

void sys_init(void) {}

/* ---- semaphores ---- */

err_t sys_sem_new(sys_sem_t *semaphore, u8_t count) {
    *semaphore = xSemaphoreCreateCounting(UINT8_MAX, count);
    return *semaphore ? ERR_OK : ERR_MEM;
}

void sys_sem_free(sys_sem_t *semaphore) {
    vSemaphoreDelete(*semaphore);
}

void sys_sem_signal(sys_sem_t *semaphore) {
    xSemaphoreGive(*semaphore);
}

/* lwIP's 0 is for ever; a time lasts at least as long as it says. */
static TickType_t ticks(u32_t timeout_ms) {
    return timeout_ms ? (timeout_ms + portTICK_PERIOD_MS - 1u) / portTICK_PERIOD_MS : portMAX_DELAY;
}

static u32_t waited(BaseType_t got, u32_t began_ms) {
    return got ? clock_ms() - began_ms : SYS_ARCH_TIMEOUT;
}

u32_t sys_arch_sem_wait(sys_sem_t *semaphore, u32_t timeout_ms) {
    u32_t began = clock_ms();
    return waited(xSemaphoreTake(*semaphore, ticks(timeout_ms)), began);
}

static void release(void *semaphore) {
    vSemaphoreDelete((SemaphoreHandle_t)semaphore);
}

sys_sem_t *sys_arch_own_semaphore(void) {
    sys_sem_t *own = (sys_sem_t *)tasks_own(release);
    if (!*own)
        sys_sem_new(own, 0);
    return own;
}

/* ---- mailboxes ---- */

err_t sys_mbox_new(sys_mbox_t *mailbox, int size) {
    *mailbox = xQueueCreate((UBaseType_t)size, sizeof(void *));
    return *mailbox ? ERR_OK : ERR_MEM;
}

void sys_mbox_free(sys_mbox_t *mailbox) {
    vQueueDelete(*mailbox);
}

void sys_mbox_post(sys_mbox_t *mailbox, void *message) {
    xQueueSend(*mailbox, &message, portMAX_DELAY);
}

err_t sys_mbox_trypost(sys_mbox_t *mailbox, void *message) {
    return xQueueSend(*mailbox, &message, 0) ? ERR_OK : ERR_MEM;
}

err_t sys_mbox_trypost_fromisr(sys_mbox_t *mailbox, void *message) {
    return sys_mbox_trypost(mailbox, message);
}

u32_t sys_arch_mbox_fetch(sys_mbox_t *mailbox, void **message, u32_t timeout_ms) {
    void *unwanted;
    u32_t began = clock_ms();
    return waited(xQueueReceive(*mailbox, message ? message : &unwanted, ticks(timeout_ms)), began);
}

u32_t sys_arch_mbox_tryfetch(sys_mbox_t *mailbox, void **message) {
    void *unwanted;
    return xQueueReceive(*mailbox, message ? message : &unwanted, 0) ? 0 : SYS_MBOX_EMPTY;
}

/* ---- tasks ---- */

sys_thread_t sys_thread_new(const char *name, lwip_thread_fn function, void *argument,
                            int stack_bytes, int priority) {
    TaskHandle_t task = NULL;
    xTaskCreate(function, name, (uint32_t)stack_bytes, argument, (UBaseType_t)priority, &task);
    return task;
}

sys_prot_t sys_arch_protect(void) {
    tasks_enter_critical();
    return 0;
}

void sys_arch_unprotect(sys_prot_t before) {
    (void)before;
    tasks_exit_critical();
}
