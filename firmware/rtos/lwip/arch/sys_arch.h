/* lwIP's view of the tasks (src/sys_arch.c). */
#ifndef ARCH_SYS_ARCH_H
#define ARCH_SYS_ARCH_H

#include "freertos/semphr.h"
#include "freertos/task.h"

typedef SemaphoreHandle_t sys_sem_t;
typedef QueueHandle_t sys_mbox_t; /* of pointers */
typedef TaskHandle_t sys_thread_t;
typedef int sys_prot_t;

#define sys_sem_valid(semaphore) (*(semaphore) != NULL)
#define sys_sem_set_invalid(semaphore) (*(semaphore) = NULL)
#define sys_mbox_valid(mailbox) (*(mailbox) != NULL)
#define sys_mbox_set_invalid(mailbox) (*(mailbox) = NULL)

/* A semaphore of the running task, for one call of the sockets at a time. */
sys_sem_t *sys_arch_own_semaphore(void);
#define LWIP_NETCONN_THREAD_SEM_GET() sys_arch_own_semaphore()
#define LWIP_NETCONN_THREAD_SEM_ALLOC()
#define LWIP_NETCONN_THREAD_SEM_FREE()

#endif
