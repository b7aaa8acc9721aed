/*
 * The security layer with mbedTLS below it and the application above, before a server that the
 * fuzzer writes: handshake and record layer, TLS and DTLS. The device's random numbers come from
 * its seed and its time from the input, so a recorded server (record.c) is understood to the end,
 * and what the fuzzer changes of it is met at every depth.
 *
 * An input is the number of a configuration, then pieces: size (16 bits) and bytes; a size of
 * 0xFFFF lets a second pass, 0xFFFE closes the connection.
 *
 * Fails on what the sanitizers find, on a deadline that does not move, and on a connection that is
 * up although the session says that its handshake is not over.
 */
#include <stdlib.h>
#include <string.h>

/* Their state is private, and each run begins without any. */
#include "secure/resumption.c"
#include "secure/rng.c"
#include "secure/secure.c"
#include "secure/session.c"

#define SECOND 0xFFFFu
#define CLOSED 0xFFFEu
#define POLLS_MAX 1000

static const char *const configurations[] = {
    "proto=mqtt qos=1 security=chain",
    "proto=mqtt qos=1 security=pinned",
    "proto=mqtt qos=1 security=psk",
    "proto=coap security=chain",
    "proto=coap security=pinned",
    "proto=coap security=psk",
    "proto=mqtt qos=1 security=chain resume=1 own_certificate=1",
    "proto=mqtt qos=1 tls_version=13 security=chain resume=1",
    "proto=mqtt qos=1 tls_version=13 security=pinned own_certificate=1",
    "proto=mqtt qos=1 tls_version=13 security=psk resume=1",
    "proto=mqtt qos=1 security=chain record_bytes=512 key_log=1",
    "proto=mqtt qos=1 tls_version=13 security=chain key_log=1",
    "proto=coap security=psk cid=1",
    "proto=coap security=chain cid=1 key_log=1",
    "proto=mqtt qos=1 security=chain resume=1 connection_messages=1",
    "proto=mqtt qos=1 security=pinned resume=1 connection_messages=1",
    "proto=mqtt qos=1 tls_version=13 security=chain resume=1 own_certificate=1 "
    "connection_messages=1",
    "proto=mqtt qos=1 tls_version=13 security=psk psk_dhe=0 resume=1 connection_messages=1",
};
#define CONFIGURATIONS (sizeof configurations / sizeof *configurations)
#define COMMON " peer=127.0.0.1 port=1 seed=7 messages=3 interval_ms=20 "

static struct tw_app *fuzzed;
static tw_time now;
static bool joined;

/* A real network, of record.c. */
struct outside {
    void (*open)(enum tw_transport kind);
    void (*send)(const uint8_t *data, size_t size);
    void (*close)(void);
};
static const struct outside *outside;

static void require(bool condition) {
    if (!condition)
        abort();
}

static tw_time clock_now(void *ctx) {
    (void)ctx;
    return now;
}

static void log_line(void *ctx, const char *line, size_t size) {
    (void)ctx;
    require(line[size] == '\n');
}

static enum tw_open open_net(void *ctx, const struct tw_config *wanted, enum tw_transport kind) {
    (void)ctx, (void)wanted;
    joined = false;
    if (outside)
        outside->open(kind);
    return kind == TW_STREAM ? TW_OPEN_PENDING : TW_OPEN_DONE;
}

static size_t send_net(void *ctx, uint8_t link, const struct tw_output *out) {
    (void)ctx, (void)link;
    if (outside)
        outside->send(out->data, out->size);
    return out->size;
}

static void close_net(void *ctx, uint8_t link, bool abort) {
    (void)ctx, (void)link, (void)abort;
    joined = false;
    if (outside)
        outside->close();
}

static size_t nothing_unacked(void *ctx, uint8_t link) {
    (void)ctx, (void)link;
    return 0;
}

static void no_resources(void *ctx, struct tw_resources *out) {
    (void)ctx;
    *out = (struct tw_resources){0};
}

static const struct tw_board net = {.now_us = clock_now,
                                    .log = log_line,
                                    .open = open_net,
                                    .send = send_net,
                                    .close = close_net,
                                    .unacked = nothing_unacked,
                                    .resources = no_resources};
static const struct tw_secure_board nothing_own;

/* A board that keeps nothing: fuzz_resumption has one that does. */
bool tw_board_recall(uint8_t out[TW_RESUMPTION_BYTES]) {
    (void)out;
    return false;
}

void tw_board_keep(const uint8_t data[TW_RESUMPTION_BYTES]) {
    (void)data;
    abort();
}

static void poll_all(void) {
    for (int polls = 0; tw_secure_poll(fuzzed) <= now && !tw_app_ended(fuzzed); polls++)
        require(polls < POLLS_MAX);
    if (state == JOINING && !joined) {
        joined = true;
        tw_secure_on_open(fuzzed, LINK);
    }
    require(state != UP || mbedtls_ssl_is_handshake_over(&session.ssl));
}

static void forget_all(void) {
    tw_session_close();
    tw_resumption_drop();
    if (chance_started)
        mbedtls_ctr_drbg_free(&tw_rng);
    chance_started = looked = false;
    state = PLAIN;
    broken = false;
    now = 0;
}

static void begin_with(const char *configuration) {
    static char words[256];
    strcpy(words, configuration);
    strcat(words, COMMON);
    fuzzed = tw_app_start(tw_secure_board(&net, &nothing_own), words, "fuzz", "fuzz");
    require(tw_app_config(fuzzed) != NULL);
    tw_app_up(fuzzed, 1);
    poll_all();
}

/* A piece of what the server says, or what its size says instead. */
static void take_piece(uint16_t size, const uint8_t *bytes) {
    static const struct tw_peer peer = {.address = 0x7F000001u, .port = 1};
    now += TW_MS(1);
    if (size == SECOND) {
        now += TW_SECONDS(1);
    } else if (size == CLOSED) {
        joined = false;
        tw_secure_on_close(fuzzed, LINK, "closed");
    } else if (state != JOINING && state != PLAIN) {
        uint8_t *piece = malloc(size ? size : 1); /* its end is watched */
        memcpy(piece, bytes, size);
        tw_secure_on_bytes(fuzzed, LINK, &peer, piece, size);
        free(piece);
    }
    poll_all();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!size)
        return 0;
    begin_with(configurations[*data % CONFIGURATIONS]);
    struct tw_reader r = tw_reader(data + 1, size - 1);
    while (tw_left(&r) >= 2) {
        uint16_t wanted = tw_get16(&r);
        if (wanted < CLOSED && wanted > tw_left(&r))
            wanted = (uint16_t)tw_left(&r);
        take_piece(wanted, wanted < CLOSED ? tw_take(&r, wanted) : NULL);
    }
    forget_all();
    return 0;
}
