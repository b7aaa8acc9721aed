/* A foreign device of the tests: an MQTT 3.1.1 client (OASIS standard, sections 3.1 to 3.4) that
 * publishes at QoS 1, one message a period: client SERVER PORT MESSAGES PERIOD_MS [MISDEED].
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "misbehave.h"

static int server;

static void fail(const char *what) {
    perror(what);
    exit(3);
}

static void ask(const unsigned char *packet, size_t size, unsigned char *answer, size_t expected) {
    if (write(server, packet, size) != (ssize_t)size)
        fail("write");
    for (size_t have = 0; have < expected;) {
        ssize_t got = read(server, answer + have, expected - have);
        if (got <= 0)
            fail("read");
        have += (size_t)got;
    }
}

static void join(const char *host, const char *port) {
    static const unsigned char packet[] = {0x10, 14, 0, 4,  'M', 'Q', 'T', 'T',
                                           4,    2,  0, 60, 0,   2,   'p', '1'};
    unsigned char answer[4];
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(port))};
    inet_pton(AF_INET, host, &to.sin_addr);
    server = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(server, (struct sockaddr *)&to, sizeof(to)) != 0)
        fail("connect");
    ask(packet, sizeof(packet), answer, sizeof(answer));
    if (answer[0] != 0x20 || answer[3] != 0) {
        fprintf(stderr, "refused with %d\n", answer[3]);
        exit(4);
    }
}

static void publish(int number) {
    unsigned char packet[64] = {0x32, 0, 0, 7, 't', 'w', '/', 'd', 'a', 't', 'a', 0, 0}, answer[4];
    packet[12] = (unsigned char)number;
    int size = snprintf((char *)packet + 13, sizeof(packet) - 13, "message %d", number) + 13;
    packet[1] = (unsigned char)(size - 2);
    ask(packet, (size_t)size, answer, sizeof(answer));
    if (answer[0] != 0x40 || answer[3] != packet[12])
        fail("PUBACK");
    printf("message %d is acknowledged\n", number);
}

int main(int count, char **words) {
    if (count < 5)
        return 2;
    setvbuf(stdout, NULL, _IOLBF, 0);
    join(words[1], words[2]);
    long period_ms = atol(words[4]);
    struct timespec pause = {period_ms / 1000, period_ms % 1000 * 1000000};
    for (int number = 1; number <= atoi(words[3]); number++) {
        publish(number);
        if (count > 5 && number == 1)
            misbehave(words[5]);
        nanosleep(&pause, NULL);
    }
    const unsigned char leave[] = {0xe0, 0};
    if (write(server, leave, sizeof(leave)) < 0)
        fail("write");
    return 0;
}
