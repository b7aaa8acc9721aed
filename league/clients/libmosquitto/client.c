/* The league's workload at QoS 1 over libmosquitto, with the library's defaults, its thread, and a
 * kept session. */
#define _POSIX_C_SOURCE 200809L /* nanosleep, clock_gettime */

#include <mosquitto.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { KEEPALIVE_S = 60, LARGEST = 1024 };

static atomic_int acknowledged;

static void sleep_ms(long ms) {
    const struct timespec span = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&span, NULL);
}

static long now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int number(const char *name) {
    const char *text = getenv(name);
    return text == NULL ? 0 : atoi(text);
}

/* The largest resident memory of this process. */
static int memory_kib(void) {
    char line[128];
    int found = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status != NULL && fgets(line, sizeof line, status) != NULL) {
        sscanf(line, "VmHWM: %d", &found);
    }
    return found;
}

static void on_publish(struct mosquitto *client, void *context, int id) {
    (void)client, (void)context, (void)id;
    acknowledged++;
}

int main(int argc, char **argv) {
    const int messages = number("MESSAGES"), size = number("PAYLOAD_BYTES");
    if (argc != 5 || size < 1 || size >= LARGEST) {
        fprintf(stderr, "usage: MESSAGES=N INTERVAL_MS=N PAYLOAD_BYTES=N DURATION_S=N client "
                        "SERVER PORT ID TOPIC\n");
        return 2;
    }
    const long deadline = now_ms() + (number("DURATION_S") - 1) * 1000L;
    mosquitto_lib_init();
    struct mosquitto *client = mosquitto_new(argv[3], false, NULL); /* false: keep the session */
    if (client == NULL) {
        perror("mosquitto_new");
        return 1;
    }
    mosquitto_publish_callback_set(client, on_publish);
    int status = mosquitto_connect(client, argv[1], atoi(argv[2]), KEEPALIVE_S);
    if (status != MOSQ_ERR_SUCCESS || (status = mosquitto_loop_start(client)) != MOSQ_ERR_SUCCESS) {
        fprintf(stderr, "cannot connect: %s\n", mosquitto_strerror(status));
        return 1;
    }
    int refused = 0;
    long longest = 0;
    for (int n = 1; n <= messages; n++) {
        char text[LARGEST];
        snprintf(text, sizeof text, "%-*d", size, n);
        const long before = now_ms();
        status = mosquitto_publish(client, NULL, argv[4], size, text, 1, false);
        const long took = now_ms() - before;
        longest = took > longest ? took : longest;
        /* Without a connection the message is kept: MOSQ_ERR_NO_CONN is no refusal at QoS 1. */
        refused += status != MOSQ_ERR_SUCCESS && status != MOSQ_ERR_NO_CONN;
        sleep_ms(number("INTERVAL_MS"));
    }
    while (acknowledged < messages && now_ms() < deadline) {
        sleep_ms(100);
    }
    printf("longest_call_ms=%ld memory_kib=%d\n", longest, memory_kib());
    printf("acknowledged=%d refused=%d\n", acknowledged, refused);
    return 0;
}
