#include "deep_sleep.h"

#ifdef TW_DEEP_SLEEP

/* From the end of a connection: until then its last segments have been answered, and a server that
 * repeats one meets a device that is awake. */
#define FAREWELL TW_MS(100)

struct run {
    tw_time end; /* no message is due from here on */
    struct counters count;
    uint32_t made;   /* messages */
    uint32_t starts; /* of the board, without the first */
};

_Static_assert(sizeof(struct run) <= TW_RUN_BYTES, "a board keeps no more");

static struct run kept;
static bool woken;
static tw_time sleep_at; /* TW_NEVER: there is something to do */

void tw_app_wake(void) {
    sleep_at = TW_NEVER;
    woken = tw_board_woken(&kept, sizeof kept);
    if (!woken)
        kept = (struct run){0};
}

uint32_t tw_app_seed(uint32_t seed) {
    return seed + kept.starts * 0x9E3779B9u; /* the golden ratio: any seed meets another late */
}

const char *tw_app_start_reason(const char *reset) {
    return woken ? "deep_sleep" : reset;
}

bool tw_app_kept_session(void) {
    return woken;
}

const char *tw_app_wrong_sleep(const struct tw_app *app) {
    const struct tw_config *c = &app->config;
    if (!c->deep_sleep)
        return NULL;
    if (c->role != TW_ROLE_PUBLISH || !app->paced || c->pace == TW_PACE_ANSWER)
        return "deep_sleep";
    return c->connection_messages ? NULL : "connection_messages";
}

void tw_app_go_on(struct tw_app *app) {
    if (!woken)
        return;
    app->next_seq = kept.made + 1u;
    app->count = kept.count;
    app->count.connects = 0; /* the schedule waits for a session, as after any start */
    app->schedule.made = kept.made;
    app->schedule.next = app->now;
    app->schedule.end = kept.end;
}

/* A connection has done what it was for, and the next message is not due. */
static bool should_sleep(const struct tw_app *app) {
    return app->phase == RUNNING && !app->open_links && !app->backlog.count &&
           app->engine->idle(&app->state) && app->schedule.next > app->now &&
           app->schedule.made >= kept.made + app->config.connection_messages;
}

tw_time tw_app_enter_sleep(struct tw_app *app) {
    if (!app->config.deep_sleep || !should_sleep(app)) {
        sleep_at = TW_NEVER;
        return TW_NEVER;
    }
    if (sleep_at == TW_NEVER)
        sleep_at = app->now + FAREWELL;
    if (app->now < sleep_at)
        return sleep_at;
    struct run run = {.end = app->schedule.end,
                      .count = app->count,
                      .made = app->schedule.made,
                      .starts = kept.starts + 1u};
    tw_time next = app->schedule.next, end = app->schedule.end, until = next < end ? next : end;
    tw_app_log_number(app, "sleeping", "us", until > app->now ? until - app->now : 0);
    tw_board_sleep(until, &run, sizeof run);
}

#endif
