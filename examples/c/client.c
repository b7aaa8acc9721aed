/* Publishes a reading each 500 ms for 20 s at QoS 1, over libmosquitto. The library's own thread
 * reconnects and sends again what the broker has not acknowledged. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */

#include <mosquitto.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MESSAGES = 40, INTERVAL_MS = 500, LONGEST_WAIT_S = 9 };

static atomic_int acknowledged;

static void sleep_ms(long ms) {
    const struct timespec span = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&span, NULL);
}

static void on_publish(struct mosquitto *client, void *context, int id) {
    (void)client, (void)context, (void)id;
    acknowledged++;
}

static void on_disconnect(struct mosquitto *client, void *context, int reason) {
    (void)client, (void)context;
    printf("disconnected: %s\n", mosquitto_strerror(reason));
}

int main(int argc, char **argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: client SERVER PORT ID TOPIC\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    mosquitto_lib_init();
    struct mosquitto *client = mosquitto_new(argv[3], false, NULL); /* false: keep the session */
    if (client == NULL) {
        perror("mosquitto_new");
        return 1;
    }
    mosquitto_publish_callback_set(client, on_publish);
    mosquitto_disconnect_callback_set(client, on_disconnect);
    mosquitto_reconnect_delay_set(client, 1, 1, false);
    int status = mosquitto_connect(client, argv[1], atoi(argv[2]), 60);
    if (status == MOSQ_ERR_SUCCESS) {
        status = mosquitto_loop_start(client);
    }
    if (status != MOSQ_ERR_SUCCESS) {
        fprintf(stderr, "cannot connect: %s\n", mosquitto_strerror(status));
        return 1;
    }
    for (int number = 1; number <= MESSAGES; number++) {
        char text[64];
        const int length = snprintf(text, sizeof text, "{\"reading\":%d,\"celsius\":21.5}", number);
        /* Without a connection the message is kept: MOSQ_ERR_NO_CONN is no loss at QoS 1. */
        status = mosquitto_publish(client, NULL, argv[4], length, text, 1, false);
        if (status != MOSQ_ERR_SUCCESS && status != MOSQ_ERR_NO_CONN) {
            fprintf(stderr, "cannot publish: %s\n", mosquitto_strerror(status));
            return 1;
        }
        sleep_ms(INTERVAL_MS);
    }
    for (int waited = 0; acknowledged < MESSAGES && waited < LONGEST_WAIT_S * 10; waited++) {
        sleep_ms(100);
    }
    printf("%d of %d acknowledged\n", acknowledged, MESSAGES);
    mosquitto_disconnect(client);
    mosquitto_loop_stop(client, false);
    return acknowledged == MESSAGES ? 0 : 1;
}
