#include "secure.h"

#include <string.h>

#include "core/app/log.h"
#include "core/util/peer.h"
#include "session.h"

#define LINK 0 /* a client has only one */
#define PLAIN_BYTES (TW_SEGMENT_MAX + 128u)

enum state {
    PLAIN,   /* security=none, or nothing is open */
    JOINING, /* the network connects */
    SHAKING, /* the handshake goes on */
    UP
};

static struct tw_board upper;
static const struct tw_board *lower;
static const struct tw_secure_board *own;
static const struct tw_config *config;
static enum tw_transport transport;
static enum state state;
static bool broken; /* while the application runs: it is informed afterwards */
static const char *broken_why;
static tw_time began_at;
static uint8_t plain[PLAIN_BYTES];

/* ---- callbacks of the session ---- */

static size_t send_record(const uint8_t *data, size_t size) {
    struct tw_output out = {.data = data, .size = size};
    return lower->send(lower->ctx, LINK, &out);
}

static tw_time now_us(void) {
    return lower->now_us(lower->ctx);
}

static void put_digits(char **at, const uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) {
        *(*at)++ = "0123456789abcdef"[bytes[i] >> 4];
        *(*at)++ = "0123456789abcdef"[bytes[i] & 15];
    }
}

/* The line of a key log (SSLKEYLOGFILE, draft-ietf-tls-keylogfile) as a line of the log. */
static void log_keys(const char *label, const uint8_t client_random[32], const uint8_t *secret,
                     size_t size) {
    char line[32 + 64 + 1 + 96 + 1], *at = line;
    struct tw_log log;
    while (*label)
        *at++ = *label++;
    *at++ = ' ';
    put_digits(&at, client_random, 32);
    *at++ = ' ';
    put_digits(&at, secret, size < 48 ? size : 48);
    *at = 0;
    tw_log_begin(&log, lower, now_us(), config->nonce, "keys");
    tw_log_text(&log, "line", line);
    tw_log_end(&log);
}

static void log_memory(const char *what, size_t bytes) {
    struct tw_log log;
    tw_log_begin(&log, lower, now_us(), config->nonce, "memory");
    tw_log_text(&log, "session", what);
    if (bytes)
        tw_log_number(&log, "bytes", bytes);
    tw_log_end(&log);
}

static struct tw_session_host host = {
    .send = send_record, .now_us = now_us, .keys = log_keys, .memory = log_memory};

static void log_secured(void) {
    struct tw_session_facts facts = tw_session_facts();
    struct tw_resources resources = {0};
    struct tw_log log;
    lower->resources(lower->ctx, &resources);
    tw_log_begin(&log, lower, now_us(), config->nonce, "secured");
    tw_log_text(&log, "version", facts.version);
    tw_log_text(&log, "suite", facts.suite);
    tw_log_number(&log, "resumed", facts.resumed);
    tw_log_text(&log, "entropy", host.entropy ? "board" : "seed");
    tw_log_number(&log, "us", now_us() - began_at);
    tw_log_number(&log, "heap_used", resources.heap_used);
    tw_log_number(&log, "heap_free_min", resources.heap_free_min);
    tw_log_number(&log, "stack_free_min", resources.stack_free_min);
    tw_log_end(&log);
}

/* ---- down: calls of the application ---- */

static void end(bool abort) {
    tw_session_close();
    lower->close(lower->ctx, LINK, abort);
    state = PLAIN;
}

static const char *begin(void) {
    state = SHAKING;
    began_at = now_us();
    return tw_session_open(&host, config, transport);
}

static enum tw_open open_link(void *ctx, const struct tw_config *wanted, enum tw_transport kind) {
    (void)ctx;
    config = wanted;
    transport = kind;
    broken = false;
    host.entropy = config->entropy == TW_ENTROPY_BOARD ? own->entropy : NULL;
    enum tw_open result = lower->open(lower->ctx, config, kind);
    if (config->security == TW_SECURITY_NONE || result == TW_OPEN_FAILED) {
        state = PLAIN;
        return result;
    }
    state = JOINING;
    if (result == TW_OPEN_PENDING)
        return result;
    const char *reason = begin(); /* a datagram socket is open at once */
    if (reason) {                 /* the application is informed at the next poll */
        broken = true;
        broken_why = reason;
    }
    return TW_OPEN_PENDING;
}

static size_t send_plain(void *ctx, uint8_t link, const struct tw_output *out) {
    (void)ctx;
    if (state == PLAIN)
        return lower->send(lower->ctx, link, out);
    size_t taken = 0;
    if (state != UP || broken || (out->to.address && out->to.address != config->peer))
        return 0; /* no other peer has the keys */
    const char *reason = tw_session_write(out->data, out->size, &taken);
    if (reason) {
        broken = true;
        broken_why = reason;
    }
    return taken;
}

static void close_link(void *ctx, uint8_t link, bool abort) {
    (void)ctx;
    if (state == PLAIN) {
        lower->close(lower->ctx, link, abort);
        return;
    }
    if (state == UP && !abort)
        tw_session_finish();
    end(abort);
}

static size_t unacked(void *ctx, uint8_t link) {
    (void)ctx;
    return lower->unacked(lower->ctx, link) + (state == PLAIN ? 0 : tw_session_pending());
}

const struct tw_board *tw_secure_board(const struct tw_board *below,
                                       const struct tw_secure_board *owned) {
    lower = below;
    own = owned;
    host.alive = own->alive;
    upper = *below;
    upper.open = open_link;
    upper.send = send_plain;
    upper.close = close_link;
    upper.unacked = unacked;
    upper.secures = true;
    upper.has_entropy = own->entropy != NULL;
    return &upper;
}

/* ---- up: events of the network ---- */

static void fail(struct tw_app *app, const char *reason) {
    end(false); /* in order, so that the alert with the reason arrives */
    broken = false;
    tw_app_on_close(app, LINK, reason);
}

static void shake(struct tw_app *app) {
    bool up;
    const char *reason = tw_session_handshake(&up);
    if (reason) {
        fail(app, reason);
    } else if (up) {
        state = UP;
        log_secured();
        tw_app_on_open(app, LINK);
    }
}

/* Passes on the received plaintext, as long as the application keeps the link open. */
static void deliver(struct tw_app *app, const struct tw_peer *from) {
    while (state == UP && !broken) {
        size_t size;
        bool closed;
        const char *reason = tw_session_read(plain, sizeof plain, &size, &closed);
        if (reason || closed) {
            fail(app, reason ? reason : "closed");
            return;
        }
        if (!size)
            return;
        tw_app_on_bytes(app, LINK, from, plain, size);
    }
}

static void settle(struct tw_app *app) {
    if (state != PLAIN && broken)
        fail(app, broken_why);
}

void tw_secure_on_open(struct tw_app *app, uint8_t link) {
    if (state == PLAIN) {
        tw_app_on_open(app, link);
        return;
    }
    const char *reason = begin();
    if (reason)
        fail(app, reason);
}

void tw_secure_on_bytes(struct tw_app *app, uint8_t link, const struct tw_peer *from,
                        const uint8_t *data, size_t size) {
    if (state == PLAIN) {
        tw_app_on_bytes(app, link, from, data, size);
        return;
    }
    if (transport == TW_DATAGRAM && !tw_from_peer(config, from))
        return; /* from another peer */
    tw_session_feed(data, size);
    if (state == SHAKING)
        shake(app);
    if (state == UP)
        deliver(app, from);
    settle(app);
}

void tw_secure_on_close(struct tw_app *app, uint8_t link, const char *reason) {
    bool cut = state == UP && !strcmp(reason, "closed"); /* RFC 5246, section 7.2.1 */
    bool refused = state == SHAKING && !strcmp(reason, "closed");
    if (state != PLAIN) {
        tw_session_close();
        state = PLAIN;
    }
    broken = false;
    tw_app_on_close(app, link, cut ? "truncated" : refused ? "handshake_cut" : reason);
}

void tw_secure_on_room(struct tw_app *app, uint8_t link) {
    if (state == SHAKING)
        shake(app);
    else if (state == PLAIN || (state == UP && tw_session_flush()))
        tw_app_on_room(app, link);
    settle(app);
}

bool tw_secure_computes(void) {
    return state == SHAKING;
}

tw_time tw_secure_poll(struct tw_app *app) {
    settle(app);
    if (state == SHAKING && now_us() >= tw_session_deadline()) {
        tw_session_feed(NULL, 0);
        shake(app);
    }
    tw_time next = tw_app_poll(app);
    if (broken)
        return 0;
    return state == SHAKING ? tw_earlier(next, tw_session_deadline()) : next;
}
