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
 * thread would have taken the lock, it lends it to who waits for it, and waits until that one has
 * it, which on an overloaded host takes more than a moment. There, at a device or behind a run,
 * either the CPU has not halted or all is counted.
 *
 * Whoever started QEMU must know that all this is so, and not that a library was not found, or that
 * another QEMU names its threads otherwise: the number of a file in ANNOUNCE is told of it once.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CPU_THREAD "/TCG" /* in its name, which it gives itself with -name debug-threads=on */
#define ANNOUNCE "THINWIRE_BQL_SHIM"
#define IN_EFFECT "in effect"
#define LOANS_APART 16384
#define LOAN_US 50  /* between two looks whether it has been taken, */
#define LOOKS 20000 /* at most */

static _Atomic(pthread_mutex_t *) big_lock;
static atomic_uint waiting, taken; /* by other threads */
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
    if (mutex != atomic_load(&big_lock))
        return lock(mutex);
    if (mutex != kept) {
        atomic_fetch_add(&waiting, 1);
        int result = lock(mutex);
        atomic_fetch_sub(&waiting, 1);
        atomic_fetch_add(&taken, 1);
        return result;
    }
    if (++since_loan < LOANS_APART)
        return 0;
    since_loan = 0;
    bool wanted = atomic_load(&waiting) > 0;
    unsigned before = atomic_load(&taken);
    unlock(mutex);
    int looks = 0;
    do
        usleep(LOAN_US);
    while (wanted && atomic_load(&taken) == before && ++looks < LOOKS);
    return lock(mutex);
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    return kept && mutex == kept ? 0 : unlock(mutex);
}

static void announce(void) {
    const char *number = getenv(ANNOUNCE);
    if (number && write(atoi(number), IN_EFFECT, sizeof IN_EFFECT - 1) < 0)
        abort();
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    static int (*real)(pthread_cond_t *, pthread_mutex_t *);
    if (!real)
        *(void **)&real = own("pthread_cond_wait", "GLIBC_2.3.2");
    int result = real(condition, mutex);
    if (executes_guest && !kept) {
        kept = mutex;
        atomic_store(&big_lock, mutex);
        announce();
    }
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
