/* Preloaded into the Erlang runtime: its auxiliary thread yields the processor before it polls.
 *
 * The thread waits for the progress of the schedulers by writing to a pipe and polling it, so ppoll
 * returns at once. With a processor for each thread this lasts microseconds. With one processor it
 * lasts until the kernel preempts the thread: RabbitMQ needed ten million system calls to start.
 * Only this thread calls ppoll (aux_thread in erts/emulator/beam/erl_process.c, Erlang/OTP 25).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>

int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask) {
    static int (*real)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "ppoll");
    sched_yield();
    return real(fds, count, timeout, mask);
}
