/* Preloaded into QEMU: the CPU thread keeps QEMU's big lock while it executes the guest.
 *
 * With counted instructions, QEMU's main loop advances the virtual clock to the next timer when it
 * finds the CPU halted. Without this shim the CPU thread executes the guest without the lock, and
 * adds its instructions to the count after it has left the guest. A main loop that runs in between
 * sees a halted CPU and a clock that lacks the last instructions, and advances the clock too far.
 * The window lasts a microsecond and is never hit on a host with a free core; on an overloaded host
 * a thread is sometimes preempted within it, and the run is no longer deterministic.
 *
 * So the CPU thread releases the lock only where it waits. A guest that does not wait, such as one
 * that has requested its power-off, must not lock out the main loop: at every LOANS_APART-th
 * acquisition the thread releases the lock to a waiter and blocks until the waiter has it, which
 * takes longer on an overloaded host. At these points (an access to a device, or the end of an
 * execution run) either the CPU is not halted or its count is complete.
 *
 * The process that started QEMU must be able to detect that the shim is not in effect, because the
 * library was not found or because another QEMU names its threads differently. So the shim writes
 * once to the file descriptor whose number is in ANNOUNCE.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CPU_THREAD "/TCG" /* part of the thread's name with -name debug-threads=on */
#define ANNOUNCE "THINWIRE_BQL_SHIM"
#define IN_EFFECT "in effect"
#define LOANS_APART 16384
#define LOAN_US 50  /* between two checks whether the waiter has the lock, */
#define LOOKS 20000 /* at most */

static _Atomic(pthread_mutex_t *) big_lock;
static atomic_uint waiting, taken; /* counted by other threads */
static __thread bool executes_guest;
static __thread pthread_mutex_t *kept; /* the big lock; set at the CPU thread's first wait */

/* Returns the C library's own function, in the version with the current condition variables. */
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
