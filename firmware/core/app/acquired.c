#include "acquired.h"

#ifdef TW_DHCP

#include "app_state.h"

static void begin(struct tw_app *app, struct tw_log *log, const char *event) {
    app->now = app->board->now_us(app->board->ctx);
    tw_app_log_begin(app, log, event);
}

void tw_app_linked(struct tw_app *app) {
    struct tw_log log;
    begin(app, &log, "linked");
    tw_log_end(&log);
}

void tw_app_leased(struct tw_app *app, uint32_t address, bool kept) {
    struct tw_log log;
    begin(app, &log, "leased");
    tw_log_address(&log, "ip", address);
    tw_log_text(&log, "lease", kept ? "kept" : "new");
    tw_log_end(&log);
}

void tw_app_resolved(struct tw_app *app, uint32_t address) {
    struct tw_log log;
    app->config.peer = address;
    begin(app, &log, "resolved");
    tw_log_address(&log, "ip", address);
    tw_log_end(&log);
}

void tw_app_unresolved(struct tw_app *app, const char *name) {
    struct tw_log log;
    begin(app, &log, "unresolved");
    tw_log_text(&log, "name", name);
    tw_log_end(&log);
}

void tw_app_clock_set(struct tw_app *app, uint32_t utc_s) {
    struct tw_log log;
    begin(app, &log, "clock_set");
    app->config.utc_s = utc_s - (uint32_t)(app->now / TW_SECONDS(1));
    tw_log_number(&log, "utc_s", utc_s);
    tw_log_end(&log);
}

#endif
