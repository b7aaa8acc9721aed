/* Preloaded: the wall clock jumps by a day at every reading, ahead and back in turn. */
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define DAY_S 86400

int clock_gettime(clockid_t clock, struct timespec *out) {
    static int looks;
    int status = (int)syscall(SYS_clock_gettime, clock, out);
    if (status == 0 && clock == CLOCK_REALTIME)
        out->tv_sec += looks++ % 2 ? -DAY_S : DAY_S;
    return status;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone) {
    (void)zone;
    struct timespec now;
    int status = clock_gettime(CLOCK_REALTIME, &now);
    out->tv_sec = now.tv_sec;
    out->tv_usec = now.tv_nsec / 1000;
    return status;
}

time_t time(time_t *out) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out)
        *out = now.tv_sec;
    return now.tv_sec;
}
