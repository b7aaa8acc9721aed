#include <string.h>

#include "app_state.h"
#include "config_check.h"
#include "deep_sleep.h"

/* A TCP connection that takes longer is given up and tried again. */
#define OPEN_LIMIT TW_SECONDS(10)
/* How often a network is asked whether the peer has all, when nothing else is to be waited for. */
#define UNACKED_POLL TW_MS(10)
/* A question without answer is given up. */
#define ANSWER_LIMIT TW_SECONDS(10)
/* The protocol's farewell may take this long. */
#define FINISH_LIMIT TW_SECONDS(2)

_Static_assert(TW_LINKS <= 32, "links are kept in sets of 32 bits");

static struct tw_app the_app;

/* ---- transport ---- */

static void retry_later(struct tw_app *app) {
    app->transport = WAITING;
    app->retry_at =
        app->now + app->retry_pause + tw_random_below(&app->random, (uint32_t)app->retry_pause / 4);
    app->retry_pause = app->retry_pause * 2 < TW_RETRY_LAST ? app->retry_pause * 2 : TW_RETRY_LAST;
}

static void forget_link(struct tw_app *app, uint8_t link) {
    uint32_t bit = UINT32_C(1) << link;
    app->open_links &= ~bit;
    app->blocked_links &= ~bit;
    app->closing_links &= ~bit;
    app->broken_links &= ~bit;
    app->on_connection = 0;
    app->engine->on_close(&app->state, app->now, link);
    if (app->config.role != TW_ROLE_SERVE)
        retry_later(app);
}

/* A client's engine is done with its connection. */
static void rest(struct tw_app *app) {
    if (app->on_demand) {
        app->transport = ON_DEMAND;
        app->retry_pause = TW_RETRY_FIRST;
    }
}

static void remember_link(struct tw_app *app, uint8_t link) {
    app->transport = OPEN;
    app->open_links |= UINT32_C(1) << link;
    app->engine->on_open(&app->state, app->now, link);
}

static void open_transport(struct tw_app *app) {
    enum tw_open result = app->board->open(app->board->ctx, &app->config, app->engine->transport);
    if (result == TW_OPEN_FAILED) {
        retry_later(app);
    } else if (result == TW_OPEN_PENDING) {
        app->transport = OPENING;
        app->retry_at = app->now + OPEN_LIMIT;
    } else if (app->engine->transport == TW_DATAGRAM) {
        remember_link(app, 0);
    } else {
        app->transport = OPEN; /* listening */
    }
}

/* A server's answer leaves when it has been worked out. */
static bool working(const struct tw_app *app) {
    return app->config.role == TW_ROLE_SERVE && app->now < app->busy_until;
}

/* Hands the engine's output for `link` to the network. Returns true if anything left. */
static bool drain_link(struct tw_app *app, uint8_t link) {
    uint32_t bit = UINT32_C(1) << link;
    bool moved = false;
    struct tw_output out;
    while (!working(app) && app->open_links & ~app->blocked_links & ~app->broken_links & bit &&
           app->engine->output(&app->state, app->now, link, &out)) {
        size_t taken = app->board->send(app->board->ctx, link, &out);
        if (app->engine->transport == TW_DATAGRAM) {
            app->count.unsent += taken == 0; /* lost here, as it may be anywhere on its way */
            taken = out.size;
        } else if (taken < out.size) {
            app->blocked_links |= bit;
        }
        if (taken)
            app->engine->accepted(&app->state, app->now, link, taken);
        moved = true;
    }
    return moved;
}

/* Closes what the engine wants closed, once its last bytes are with the network. */
static bool close_link(struct tw_app *app, uint8_t link) {
    uint32_t bit = UINT32_C(1) << link;
    bool broken = app->broken_links & bit;
    if (!(app->open_links & bit) || !((app->closing_links | app->broken_links) & bit))
        return false;
    if (!broken && (app->blocked_links & bit || working(app)))
        return false;
    app->board->close(app->board->ctx, link, broken);
    forget_link(app, link);
    if (!broken)
        rest(app);
    return true;
}

static void update_transport(struct tw_app *app) {
    if (app->phase > DRAINING || app->now < app->retry_at)
        return;
    if (app->transport == OPENING) {
        app->board->close(app->board->ctx, 0, true);
        tw_app_log_reason(app, "disconnected", "connect_timeout");
        retry_later(app);
    } else if (app->transport == WAITING) {
        open_transport(app);
    }
}

/* In a closed loop: the next message leaves at once after an answer, and a while after a failure.
 */
static void go_on(struct tw_app *app, tw_time pause) {
    if (app->config.pace == TW_PACE_ANSWER)
        tw_schedule_answered(&app->schedule, app->now + pause);
}

/* The message is handed over: its turn begins. */
static void begin_turn(struct tw_app *app, uint32_t seq, uint32_t size, tw_time asked) {
    app->turn = (struct turn){.open = true,
                              .seq = seq,
                              .size = size,
                              .asked = asked,
                              .handed = app->board->now_us(app->board->ctx)};
}

static void update_turn(struct tw_app *app) {
    if (app->config.pace != TW_PACE_ANSWER || !app->turn.open ||
        app->now < app->turn.asked + ANSWER_LIMIT)
        return;
    app->turn.open = false;
    tw_app_log_failed(app, app->turn.seq, "no_response");
    go_on(app, 0);
}

/* The connection has had all that it is for. */
static bool spent(const struct tw_app *app) {
    return app->config.connection_messages && app->on_connection >= app->config.connection_messages;
}

/* Offers the oldest waiting message to the engine. Returns true if it went somewhere. */
static bool offer(struct tw_app *app) {
    struct tw_message *message = tw_backlog_first(&app->backlog);
    if (!message || spent(app))
        return false;
    if (!app->on_demand || !message->sent_us)
        message->sent_us = app->now; /* on demand: before connecting */
    if (app->transport == ON_DEMAND) {
        app->transport = WAITING;
        app->retry_at = app->now;
        update_transport(app);
    }
    uint32_t seq = message->seq, size = message->size;
    tw_time asked = app->takes_turns ? app->board->now_us(app->board->ctx) : 0;
    enum tw_publish result = app->engine->publish(&app->state, app->now, message);
    if (result == TW_BUSY)
        return false;
    tw_backlog_pop(&app->backlog);
    if (result == TW_PUBLISHED) {
        app->count.sent++;
        app->on_connection++;
        drain_link(app, 0); /* before the log line: writing it takes time on a serial port */
        if (app->takes_turns)
            begin_turn(app, seq, size, asked);
        tw_app_log_number(app, "sent", "seq", seq);
    } else if (result != TW_UNWANTED) {
        tw_app_log_failed(app, seq, result == TW_OFFLINE ? "offline" : "unsupported");
        go_on(app, TW_RETRY_FIRST);
    }
    tw_app_log_heard(app);
    return true;
}

static void settle(struct tw_app *app) {
    bool moved;
    do {
        moved = false;
        for (uint8_t link = 0; link < TW_LINKS; link++) {
            moved |= drain_link(app, link);
            moved |= close_link(app, link);
        }
        moved |= offer(app);
    } while (moved);
}

/* ---- the run ---- */

/* The schedule runs once there has been a session, or at once where connecting is part of it. */
static bool may_make(const struct tw_app *app) {
    return app->paced && app->phase == RUNNING && (app->count.connects || app->on_demand);
}

static void make_due(struct tw_app *app) {
    struct tw_message message;
    if (!may_make(app))
        return;
    while (tw_schedule_take(&app->schedule, app->now)) {
        tw_app_make(app, app->now, &message);
        tw_app_enqueue(app, &message);
    }
}

static bool run_over(const struct tw_app *app) {
    if (app->paced && !app->both && app->config.role != TW_ROLE_SERVE)
        return tw_schedule_over(&app->schedule, app->now);
    uint32_t handled = app->config.role == TW_ROLE_SERVE && app->count.served ? app->count.served
                                                                              : app->count.received;
    return app->now >= app->schedule.end ||
           (app->config.messages && handled >= app->config.messages);
}

static void end_run(struct tw_app *app) {
    struct tw_message *message;
    for (uint8_t link = 0; link < TW_LINKS; link++)
        if (app->open_links & UINT32_C(1) << link) {
            app->board->close(app->board->ctx, link, false);
            forget_link(app, link);
        }
    if (app->config.pace == TW_PACE_ANSWER && app->turn.open)
        tw_app_log_failed(app, app->turn.seq, "unfinished");
    while ((message = tw_backlog_first(&app->backlog))) {
        tw_app_log_failed(app, message->seq, "unfinished");
        tw_backlog_pop(&app->backlog);
    }
    app->phase = ENDED;
    tw_app_log_stat(app);
    tw_app_log_end(app);
}

/* True while a connection holds what its peer may still lose if the board is switched off. */
static bool unacked(const struct tw_app *app) {
    for (uint8_t link = 0; link < TW_LINKS; link++)
        if (app->open_links & UINT32_C(1) << link && app->board->unacked(app->board->ctx, link))
            return true;
    return false;
}

static bool drained(const struct tw_app *app) {
    bool asks = app->config.pace == TW_PACE_ANSWER && app->turn.open;
    return !asks && !app->backlog.count && app->engine->idle(&app->state) && !unacked(app);
}

/* Ends a connection that is spent, once the peer has all. While draining only for a message that
 * still waits: the last connection ends with the run. */
static void turn_over(struct tw_app *app) {
    bool needed = app->phase == RUNNING || (app->phase == DRAINING && app->backlog.count);
    if (!needed || !spent(app) || !app->open_links || app->closing_links ||
        !app->engine->idle(&app->state) || unacked(app))
        return;
    app->engine->finish(&app->state, app->now);
    settle(app);
}

static void advance_phase(struct tw_app *app) {
    if (app->phase == RUNNING && run_over(app)) {
        app->phase = DRAINING;
        app->phase_end = app->now + TW_MS(app->config.drain_ms);
    }
    if (app->phase == DRAINING && (app->now >= app->phase_end || drained(app))) {
        app->phase = FINISHING;
        app->phase_end = app->now + FINISH_LIMIT;
        if (app->open_links) {
            app->engine->finish(&app->state, app->now);
            settle(app);
        }
    }
    if (app->phase == FINISHING && (!app->open_links || app->now >= app->phase_end))
        end_run(app);
}

tw_time tw_app_poll(struct tw_app *app) {
    if (!app->engine || !app->started || app->phase == ENDED)
        return TW_NEVER;
    app->now = app->board->now_us(app->board->ctx);
    update_transport(app);
    if (app->open_links && app->now >= app->engine->deadline(&app->state))
        app->engine->on_time(&app->state, app->now);
    update_turn(app);
    make_due(app);
    settle(app);
    if (app->now >= app->stat_at) {
        tw_app_log_stat(app);
        app->stat_at += TW_MS(app->config.stat_ms);
    }
    turn_over(app);
    advance_phase(app);
    if (app->phase == ENDED)
        return TW_NEVER;
    tw_time sleep_at = tw_app_enter_sleep(app);
    tw_time next = app->open_links ? app->engine->deadline(&app->state) : TW_NEVER;
    if (app->phase == RUNNING)
        next = tw_earlier(next, may_make(app) ? tw_earlier(app->schedule.next, app->schedule.end)
                                              : app->schedule.end);
    else
        next = tw_earlier(next, app->phase_end);
    if ((app->phase == DRAINING || spent(app)) && unacked(app))
        next = tw_earlier(next, app->now + UNACKED_POLL);
    if (app->transport == WAITING || app->transport == OPENING)
        next = tw_earlier(next, app->retry_at);
    if (app->now < app->busy_until)
        next = tw_earlier(next, app->busy_until);
    if (app->config.pace == TW_PACE_ANSWER && app->turn.open)
        next = tw_earlier(next, app->turn.asked + ANSWER_LIMIT);
    return tw_earlier(next, tw_earlier(app->stat_at, sleep_at));
}

/* ---- entry points ---- */

static const char *prepare(struct tw_app *app, const char *text, char *key, size_t key_size) {
    tw_config_defaults(&app->config);
    if (!tw_config_parse(&app->config, text, key, key_size))
        return key;
    const struct tw_engine *engine = tw_engine_find(app->config.proto);
    if (!engine)
        return "proto";
    const char *insecure = tw_config_wrong_security(&app->config, app->board, engine);
    if (insecure)
        return insecure;
    if (!app->config.port)
        app->config.port = engine->port;
    app->config.seed = tw_app_seed(app->config.seed);
    tw_random_seed(&app->random, app->config.seed);
    app->host = tw_app_host(app);
    struct tw_setup setup = {.config = &app->config,
                             .host = &app->host,
                             .random = &app->random,
                             .session_kept = tw_app_kept_session()};
    const char *unusable = engine->init(&app->state, &setup);
    if (unusable)
        return unusable;
    const char *unending = tw_config_wrong_workload(&app->config, engine);
    if (unending)
        return unending;
    app->both = tw_config_both(&app->config);
    app->paced = tw_config_paced(&app->config, engine);
    const char *sleepless = tw_app_wrong_sleep(app);
    if (sleepless)
        return sleepless;
    app->takes_turns = app->config.pace == TW_PACE_ANSWER || app->config.role == TW_ROLE_ECHO;
    app->on_demand = engine->on_demand && engine->on_demand(&app->config);
    app->engine = engine;
    return NULL;
}

struct tw_app *tw_app_start(const struct tw_board *board, const char *config_text,
                            const char *reset_reason, const char *build) {
    struct tw_app *app = &the_app;
    struct tw_resources resources = {0};
    struct tw_log log;
    char key[32];
    memset(app, 0, sizeof *app);
    tw_app_wake();
    app->board = board;
    app->retry_pause = TW_RETRY_FIRST;
    app->next_seq = 1;
    app->stat_at = TW_NEVER;
    app->now = board->now_us(board->ctx);
    const char *wrong = prepare(app, config_text, key, sizeof key);
    board->resources(board->ctx, &resources);
    tw_app_log_begin(app, &log, "boot");
    tw_log_text(&log, "reason", tw_app_start_reason(reset_reason));
    tw_log_number(&log, "heap_bytes", resources.heap_bytes);
    tw_log_text(&log, "build", build);
    tw_log_end(&log);
    if (wrong) {
        tw_app_log_begin(app, &log, "config_error");
        tw_log_text(&log, "key", wrong);
        tw_log_end(&log);
    }
    return app;
}

const struct tw_config *tw_app_config(const struct tw_app *app) {
    return app->engine ? &app->config : NULL;
}

void tw_app_up(struct tw_app *app, uint32_t address) {
    if (!app->engine || app->phase == ENDED) /* `end` is the last line of a log */
        return;
    struct tw_log log;
    app->now = app->board->now_us(app->board->ctx);
    tw_app_log_begin(app, &log, "up");
    tw_log_address(&log, "ip", address);
    tw_log_end(&log);
    if (app->started)
        return;
    app->started = true;
    app->transport = app->on_demand ? ON_DEMAND : WAITING;
    tw_schedule_start(&app->schedule, &app->config, app->now);
    tw_app_go_on(app);
    if (app->config.stat_ms)
        app->stat_at = app->now + TW_MS(app->config.stat_ms);
}

/* True when the application takes events of `link`; sets the time of the call. */
static bool enter(struct tw_app *app, uint8_t link) {
    if (!app->engine || !app->started || app->phase == ENDED || link >= TW_LINKS)
        return false;
    app->now = app->board->now_us(app->board->ctx);
    return true;
}

void tw_app_on_open(struct tw_app *app, uint8_t link) {
    if (!enter(app, link)) {
        app->board->close(app->board->ctx, link, true);
        return;
    }
    remember_link(app, link);
    settle(app);
}

void tw_app_on_bytes(struct tw_app *app, uint8_t link, const struct tw_peer *from,
                     const uint8_t *data, size_t size) {
    if (!enter(app, link) || !(app->open_links & UINT32_C(1) << link))
        return;
    if (app->config.processing_ms)
        settle(app); /* what has been worked out leaves before more work comes in */
    if (!app->turn.heard)
        app->turn.heard = app->now;
    app->engine->on_bytes(&app->state, app->now, link, from, data, size);
    settle(app);
}

uint8_t tw_app_links(const struct tw_config *config) {
    return config->sockets && config->sockets < TW_LINKS ? config->sockets : TW_LINKS;
}

bool tw_app_busy(const struct tw_app *app) {
    return app->started && app->phase != ENDED &&
           app->board->now_us(app->board->ctx) < app->busy_until;
}

void tw_app_on_close(struct tw_app *app, uint8_t link, const char *reason) {
    if (!enter(app, link))
        return;
    if (app->open_links & UINT32_C(1) << link) {
        if (app->config.role != TW_ROLE_SERVE)
            tw_app_log_reason(app, "disconnected", reason);
        forget_link(app, link);
    } else if (app->transport == OPENING) {
        tw_app_log_reason(app, "disconnected", reason);
        retry_later(app);
    }
}

void tw_app_on_room(struct tw_app *app, uint8_t link) {
    if (!enter(app, link))
        return;
    app->blocked_links &= ~(UINT32_C(1) << link);
    settle(app);
}

bool tw_app_ended(const struct tw_app *app) {
    return app->phase == ENDED;
}
