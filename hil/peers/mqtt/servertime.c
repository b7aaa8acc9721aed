/* A mosquitto plugin: delays the broker for each message that it accepts. The delays are the lines
 * of the file named by the option `times`, in nanoseconds, in a loop.
 *
 * The broker waits before it forwards or acknowledges the message, and does nothing else meanwhile,
 * since it has one thread. The declarations are those that it uses of mosquitto's plugin interface
 * 5 (mosquitto_plugin.h, mosquitto_broker.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#define INTERFACE 5
#define SUCCESS 0
#define NO_MEMORY 1
#define UNKNOWN 13
#define EVENT_MESSAGE 7
#define NANOSECONDS 1000000000L

struct option {
    char *key, *value;
};
int mosquitto_callback_register(void *plugin, int event, int (*call)(int, void *, void *),
                                const void *data, void *user);

static long *times;
static size_t count, next;

static int on_message(int event, void *data, void *user) {
    (void)event, (void)data, (void)user;
    struct timespec left = {times[next] / NANOSECONDS, times[next] % NANOSECONDS};
    next = (next + 1) % count;
    nanosleep(&left, NULL);
    return SUCCESS;
}

static int read_times(const char *path) {
    FILE *file = fopen(path, "r");
    long value;
    while (file && fscanf(file, "%ld", &value) == 1) {
        long *more = realloc(times, (count + 1) * sizeof *times);
        if (!more) {
            fclose(file);
            return NO_MEMORY;
        }
        times = more;
        times[count++] = value;
    }
    if (file)
        fclose(file);
    return count ? SUCCESS : UNKNOWN;
}

int mosquitto_plugin_version(int known, const int *versions) {
    for (int i = 0; i < known; i++)
        if (versions[i] == INTERFACE)
            return INTERFACE;
    return -1;
}

int mosquitto_plugin_init(void *plugin, void **user, struct option *options, int number) {
    int status = UNKNOWN;
    *user = NULL;
    for (int i = 0; i < number; i++)
        if (strcmp(options[i].key, "times") == 0)
            status = read_times(options[i].value);
    prctl(PR_SET_TIMERSLACK, 1); /* wake in time: otherwise Linux adds up to 50 us */
    if (status == SUCCESS)
        status = mosquitto_callback_register(plugin, EVENT_MESSAGE, on_message, NULL, NULL);
    return status;
}

int mosquitto_plugin_cleanup(void *user, struct option *options, int number) {
    (void)user, (void)options, (void)number;
    free(times);
    times = NULL;
    return SUCCESS;
}
