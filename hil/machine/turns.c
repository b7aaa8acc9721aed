/* Preloaded into QEMU: the thread that executes the guest keeps QEMU's big lock while it does.
 *
 * With counted instructions, QEMU's main loop advances the virtual clock to the next timer when it
 * finds the CPU halted. The CPU thread executes the guest without the lock, and counts what it
 * executed once it has left the guest. A main loop that looks in between sees a CPU that has halted
 * and a clock without its last instructions, and advances it too far. On a host with a free core
 * nobody meets this window of a microsecond; on an overloaded one a thread is taken from its core
 * within it now and then, and the machine leaves its course.
 *
 * So the CPU thread gives the lock away only where it waits. A guest that does not wait, as when it
 * has asked to be switched off, must not lock out the main loop: every LOANS_APART times that the
 * thread would have taken the lock, it lends it. There, at a device or behind a run, either the CPU
 * has not halted or all is counted.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define CPU_THREAD "/TCG" /* in its name, which it gives itself with -name debug-threads=on */
#define LOANS_APART 16384
#define LOAN_US 50

static __thread bool executes_guest;
static __thread pthread_mutex_t *kept; /* the big lock, from the CPU thread's first wait on */

/* The C library's own function, of the version that knows today's condition variables. */
static void *own(const char *name, const char *version) {
    void *found = version ? dlvsym(RTLD_NEXT, name, version) : NULL;
    return found ? found : dlsym(RTLD_NEXT, name);
}

static int lock(pthread_mutex_t *mutex) {
    static int (*real)(pthread_mutex_t *);
    if (!real)
        *(void **)&real = own("pthread_mutex_lock", NULL);
    return real(mutex);
}

static int unlock(pthread_mutex_t *mutex) {
    static int (*real)(pthread_mutex_t *);
    if (!real)
        *(void **)&real = own("pthread_mutex_unlock", NULL);
    return real(mutex);
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    static __thread unsigned since_loan;
    if (!kept || mutex != kept)
        return lock(mutex);
    if (++since_loan < LOANS_APART)
        return 0;
    since_loan = 0;
    unlock(mutex);
    usleep(LOAN_US);
    return lock(mutex);
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    return kept && mutex == kept ? 0 : unlock(mutex);
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    static int (*real)(pthread_cond_t *, pthread_mutex_t *);
    if (!real)
        *(void **)&real = own("pthread_cond_wait", "GLIBC_2.3.2");
    int result = real(condition, mutex);
    if (executes_guest && !kept)
        kept = mutex;
    return result;
}

int pthread_setname_np(pthread_t thread, const char *name) {
    static int (*real)(pthread_t, const char *);
    if (!real)
        *(void **)&real = own("pthread_setname_np", NULL);
    if (pthread_equal(thread, pthread_self()) && strstr(name, CPU_THREAD))
        executes_guest = true;
    return real(thread, name);
}
