/*
 * The WebSocket engine as a client of Autobahn|Testsuite's fuzzing server:
 *
 *     autobahn-client ADDRESS PORT AGENT
 *
 * Runs every case, and asks for the report. What the engine receives goes back to the server, as a
 * case wants it. The engine itself publishes text of at most TW_SEGMENT_MAX bytes, so the echo is
 * written here, with the functions of websocket_frame.h, in fragments; handshake, frames, control
 * frames, closing and every check are the engine's. Exit status 1: the server cannot be reached.
 */
#define _DEFAULT_SOURCE
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "core/app/registry.h"
#include "core/config.h"
#include "core/util/random.h"

#define READ_BYTES 1460       /* as a board sees segments */
#define FRAGMENT_BYTES 60000u /* what a 16-bit length holds */
#define HEADER_BYTES 8

struct client {
    const struct tw_engine *engine;
    union tw_engine_state state;
    struct tw_config config;
    struct tw_random random;
    int socket;
    bool over; /* no more is wanted from the connection */
    uint8_t opcode;
    uint8_t *message;
    size_t size, room;
};

static void fail(const char *what) {
    fprintf(stderr, "thinwire: error: autobahn-client: %s\n", what);
    exit(1);
}

static tw_time now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (tw_time)t.tv_sec * 1000000u + (tw_time)t.tv_nsec / 1000u;
}

static void send_all(struct client *c, const uint8_t *data, size_t size) {
    while (size && !c->over) {
        ssize_t n = send(c->socket, data, size, MSG_NOSIGNAL);
        if (n <= 0)
            c->over = true;
        else
            data += n, size -= (size_t)n;
    }
}

static void drain(struct client *c) {
    struct tw_output out;
    while (!c->over && c->engine->output(&c->state, now_us(), 0, &out)) {
        send_all(c, out.data, out.size);
        c->engine->accepted(&c->state, now_us(), 0, out.size);
    }
}

static void echo(struct client *c) {
    static uint8_t frame[HEADER_BYTES + FRAGMENT_BYTES];
    size_t offset = 0;
    drain(c); /* what came before this message is answered before it */
    do {
        size_t left = c->size - offset, piece = left < FRAGMENT_BYTES ? left : FRAGMENT_BYTES;
        uint32_t key = tw_random_next(&c->random);
        struct tw_writer w = tw_writer(frame, sizeof frame);
        tw_ws_put_header(&w, offset ? TW_WS_CONTINUATION : c->opcode, piece == left, piece, key);
        uint8_t *payload = tw_reserve(&w, piece);
        if (piece) {
            memcpy(payload, c->message + offset, piece);
            tw_ws_mask(payload, piece, 0, key);
        }
        send_all(c, frame, w.used);
        offset += piece;
    } while (offset < c->size);
}

static void take(struct client *c, const struct tw_event *event) {
    const struct tw_ws_parser *parser = &c->state.websocket.in.parser;
    if (parser->opcode != TW_WS_CONTINUATION)
        c->opcode = parser->opcode;
    if (!event->offset)
        c->size = 0;
    if (c->size + event->size > c->room) {
        c->room = 2 * (c->size + event->size);
        c->message = realloc(c->message, c->room);
        if (!c->message)
            fail("out of memory");
    }
    if (event->size)
        memcpy(c->message + c->size, event->data, event->size);
    c->size += event->size;
}

static void on_event(void *ctx, const struct tw_event *event) {
    struct client *c = ctx;
    if (event->type == TW_EVENT_CLOSE || event->type == TW_EVENT_ERROR)
        c->over = true; /* once the output is drained */
    if (event->type != TW_EVENT_RECEIVED)
        return;
    take(c, event);
    if (event->last && strncmp(c->config.topic, "getCaseCount", 12))
        echo(c);
}

/* Waits for bytes or the engine's deadline. */
static void turn(struct client *c) {
    uint8_t bytes[READ_BYTES];
    tw_time now = now_us(), due = c->engine->deadline(&c->state);
    int wait_ms = due == TW_NEVER ? -1 : due <= now ? 0 : (int)((due - now + 999) / 1000);
    struct pollfd fd = {.fd = c->socket, .events = POLLIN};
    poll(&fd, 1, wait_ms);
    if (fd.revents) {
        ssize_t n = recv(c->socket, bytes, sizeof bytes, 0);
        if (n <= 0)
            c->over = true;
        else
            c->engine->on_bytes(&c->state, now_us(), 0, NULL, bytes, (size_t)n);
    }
    if (now_us() >= c->engine->deadline(&c->state))
        c->engine->on_time(&c->state, now_us());
}

/* One connection, to its end; what came last stays in c->message. */
static void visit(struct client *c, const char *address, const char *port, const char *path) {
    char text[256], key[32];
    struct tw_host host = {.ctx = c, .event = on_event};
    struct tw_setup setup = {.config = &c->config, .host = &host, .random = &c->random};
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
    snprintf(text, sizeof text,
             "proto=websocket role=subscribe keepalive_s=0 peer=%s port=%s topic=%s", address, port,
             path);
    tw_config_defaults(&c->config);
    if (!tw_config_parse(&c->config, text, key, sizeof key) ||
        inet_aton(address, &to.sin_addr) != 1)
        fail("bad address, port or agent");
    memset(&c->state, 0, sizeof c->state);
    c->engine = tw_engine_find("websocket");
    c->engine->init(&c->state, &setup);
    c->size = 0;
    c->over = false;
    c->socket = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(c->socket, (struct sockaddr *)&to, sizeof to))
        fail("the server cannot be reached");
    c->engine->on_open(&c->state, now_us(), 0);
    drain(c);
    while (!c->over) {
        turn(c);
        bool over = c->over;
        c->over = false; /* the engine's last words, a Close, still go out */
        drain(c);
        c->over |= over;
    }
    shutdown(c->socket, SHUT_WR);
    close(c->socket);
    c->engine->on_close(&c->state, now_us(), 0);
}

int main(int argc, char **argv) {
    static struct client client;
    char path[64];
    if (argc != 4) {
        fprintf(stderr, "thinwire: error: autobahn-client: give ADDRESS PORT AGENT\n");
        return 2;
    }
    tw_random_seed(&client.random, (uint32_t)now_us()); /* a key of its own for each handshake */
    visit(&client, argv[1], argv[2], "getCaseCount");
    int cases = 0;
    for (size_t i = 0; i < client.size; i++)
        cases = 10 * cases + client.message[i] - '0';
    if (cases < 1)
        fail("no number of cases came");
    for (int number = 1; number <= cases; number++) {
        snprintf(path, sizeof path, "runCase?case=%d&agent=%s", number, argv[3]);
        visit(&client, argv[1], argv[2], path);
    }
    snprintf(path, sizeof path, "updateReports?agent=%s", argv[3]);
    visit(&client, argv[1], argv[2], path);
    printf("%d cases\n", cases);
    return 0;
}
