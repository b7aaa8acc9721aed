/*
 * The device of fuzz_secure before a real server, whose bytes make an input of the fuzzer:
 *
 *   record_secure                          lists the configurations
 *   record_secure NUMBER PORT > FILE       records the server on a port of 127.0.0.1
 *
 * Its clock is the fuzzer's: a millisecond passes with each piece, a second when the server has
 * been silent for a while. It ends with the application, or when the server has been silent for
 * long.
 */
#include "fuzz_secure.c"

#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#define SILENT_MS 150 /* of the host's time */
#define SECONDS_MAX 20
#define BYTES_MAX 4000

static struct sockaddr_in server = {.sin_family = AF_INET};
static int network = -1;
static bool stream;

static void close_network(void) {
    if (network >= 0)
        close(network);
    network = -1;
}

static void open_network(enum tw_transport kind) {
    close_network();
    stream = kind == TW_STREAM;
    network = socket(AF_INET, stream ? SOCK_STREAM : SOCK_DGRAM, 0);
    if (connect(network, (struct sockaddr *)&server, sizeof server)) {
        perror("thinwire: error: record_secure: no server there");
        exit(2);
    }
}

static void send_to_network(const uint8_t *data, size_t size) {
    if (network >= 0 && send(network, data, size, MSG_NOSIGNAL) < 0)
        close_network();
}

/* What the server says next, or the mark that it says nothing. */
static uint16_t receive(uint8_t *piece, size_t room) {
    struct pollfd wanted = {.fd = network, .events = POLLIN};
    if (poll(&wanted, 1, SILENT_MS) <= 0)
        return SECOND;
    ssize_t size = recv(network, piece, room, 0);
    if (size > 0 || !stream)
        return size > 0 ? (uint16_t)size : SECOND;
    close_network();
    return CLOSED;
}

int main(int count, char **words) {
    static const struct outside real = {open_network, send_to_network, close_network};
    static uint8_t piece[16384];
    if (count == 1)
        for (size_t i = 0; i < CONFIGURATIONS; i++)
            puts(configurations[i]);
    if (count != 3)
        return count == 1 ? 0 : 2;
    unsigned number = (unsigned)atoi(words[1]) % CONFIGURATIONS;
    server.sin_port = htons((uint16_t)atoi(words[2]));
    server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    outside = &real;
    begin_with(configurations[number]);
    putchar((int)number);
    size_t written = 0;
    for (int seconds = 0; seconds < SECONDS_MAX && written < BYTES_MAX && !tw_app_ended(fuzzed);) {
        uint16_t size = receive(piece, sizeof piece);
        putchar(size >> 8);
        putchar(size & 255);
        if (size < CLOSED)
            written += fwrite(piece, 1, size, stdout);
        take_piece(size, piece);
        seconds = size == SECOND ? seconds + 1 : 0;
    }
    forget_all();
    return 0;
}
