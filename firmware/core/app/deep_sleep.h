/*
 * Deep sleep (deep_sleep=1): a publisher that is off between its connections and wakes by a reset,
 * as sensors on a battery are. Of its run it keeps what its board can keep without power for the
 * processor. In builds for such a board (TW_DEEP_SLEEP); in others all of this is nothing.
 */
#ifndef TW_DEEP_SLEEP_H
#define TW_DEEP_SLEEP_H

#include "app_state.h"

#ifdef TW_DEEP_SLEEP

/* First of all: takes up what was kept. */
void tw_app_wake(void);
/* The seed of this start: what is drawn by chance must not come again after each sleep. */
uint32_t tw_app_seed(uint32_t seed);
/* Why this start happened; `reset` unless it is an awakening. */
const char *tw_app_start_reason(const char *reset);
/* True after an awakening: every connection before it has ended with all messages acknowledged. */
bool tw_app_kept_session(void);
/* The key without which deep_sleep=1 makes no sense, or NULL. */
const char *tw_app_wrong_sleep(const struct tw_app *app);
/* The schedule has begun: an awakened device goes on with the message that is due. */
void tw_app_go_on(struct tw_app *app);
/* Sleeps if nothing is left to do before the next message; else when to ask again. */
tw_time tw_app_enter_sleep(struct tw_app *app);

#else

static inline void tw_app_wake(void) {}
static inline uint32_t tw_app_seed(uint32_t seed) {
    return seed;
}
static inline const char *tw_app_start_reason(const char *reset) {
    return reset;
}
static inline bool tw_app_kept_session(void) {
    return false;
}
static inline const char *tw_app_wrong_sleep(const struct tw_app *app) {
    (void)app;
    return NULL;
}
static inline void tw_app_go_on(struct tw_app *app) {
    (void)app;
}
static inline tw_time tw_app_enter_sleep(struct tw_app *app) {
    (void)app;
    return TW_NEVER;
}

#endif
#endif
