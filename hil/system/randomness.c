/* OpenSSL's random numbers come from the kernel, so inside the machine they follow from the trial's
 * seed.
 *
 * OpenSSL mixes the processor's cycle counter into its own generators, so two runs of a trial would
 * have different keys. Preloaded (LD_PRELOAD) into third-party programs; without libcrypto in the
 * program it does nothing. The declarations are those of OpenSSL's rand.h.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <sys/random.h>
#include <sys/types.h>

struct method {
    int (*seed)(const void *, int);
    int (*bytes)(unsigned char *, int);
    void (*cleanup)(void);
    int (*add)(const void *, int, double);
    int (*pseudorand)(unsigned char *, int);
    int (*status)(void);
};

static int bytes(unsigned char *into, int count) {
    while (count > 0) {
        ssize_t got = getrandom(into, (size_t)count, 0);
        if (got <= 0)
            return 0;
        into += got;
        count -= (int)got;
    }
    return 1;
}

static int status(void) {
    return 1;
}

static const struct method kernel = {.bytes = bytes, .pseudorand = bytes, .status = status};

__attribute__((constructor)) static void choose(void) {
    int (*set)(const struct method *) =
        (int (*)(const struct method *))dlsym(RTLD_DEFAULT, "RAND_set_rand_method");
    if (set)
        set(&kernel);
}
