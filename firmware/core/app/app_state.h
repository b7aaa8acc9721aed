/*
 * The application's state, shared by app.c (transport and run) and app_events.c (requests and
 * events of the engine, and the log).
 */
#ifndef TW_APP_STATE_H
#define TW_APP_STATE_H

#include "app.h"
#include "backlog.h"
#include "core/util/random.h"
#include "log.h"
#include "registry.h"
#include "workload.h"

/* Reconnection: the pause doubles from the first to the last value, plus up to a quarter at random.
 */
#define TW_RETRY_FIRST TW_MS(500)
#define TW_RETRY_LAST TW_SECONDS(16)

enum transport_state { DOWN, WAITING, OPENING, OPEN, ON_DEMAND };
enum phase { RUNNING, DRAINING, FINISHING, ENDED };

struct counters {
    uint32_t sent, acked, received, failed, served, retransmitted, unsent, connects;
};

/* One's own message out, the peer's next one in: the round trips of UFRN 2018. A publisher with
 * pace=answer begins, an echo follows. Times are the board's, read for this alone. */
struct turn {
    bool open;             /* the own message is out, the peer's not complete */
    uint32_t seq, size;    /* of the own message */
    tw_time asked, handed; /* before and after the call that hands it to the network */
    tw_time heard;         /* first bytes of the peer's message; 0: none yet */
};

/* A message that an echo has received: its log line is written when the answer has left. */
struct heard {
    bool waits;
    struct tw_payload payload;
    size_t bytes;
    tw_time at, read_us, call_us, rtt_us; /* call_us, rtt_us: with `in_turn` */
    bool in_turn;
};

struct tw_app {
    const struct tw_board *board;
    const struct tw_engine *engine; /* NULL after a configuration error */
    struct tw_config config;
    struct tw_host host;
    struct tw_random random;
    struct tw_schedule schedule;
    struct tw_backlog backlog;
    struct counters count;
    enum transport_state transport;
    enum phase phase;
    bool paced, on_demand, started;
    bool both;        /* a subscriber that publishes, too */
    bool takes_turns; /* echo, or pace=answer */
    struct turn turn;
    struct heard heard;
    uint32_t open_links, blocked_links, closing_links, broken_links;
    uint32_t next_seq;
    uint32_t on_connection; /* messages that the open connection was given */
    tw_time now;            /* of the call being served */
    tw_time busy_until;     /* processing_ms */
    tw_time retry_at, retry_pause, phase_end, stat_at;
    uint8_t heads[TW_LINKS][TW_PAYLOAD_HEAD]; /* first bytes of the payload being received */
    union tw_engine_state state;
};

void tw_app_log_begin(struct tw_app *app, struct tw_log *log, const char *event);
void tw_app_log_reason(struct tw_app *app, const char *event, const char *reason);
void tw_app_log_number(struct tw_app *app, const char *event, const char *key, uint64_t value);
/* Counts the failure, too. */
void tw_app_log_failed(struct tw_app *app, uint32_t seq, const char *reason);
void tw_app_log_stat(struct tw_app *app);
void tw_app_log_end(struct tw_app *app);

/* Writes the line of the message that an echo has received, if it waits. */
void tw_app_log_heard(struct tw_app *app);

/* Puts a message in the backlog, or fails it. */
void tw_app_enqueue(struct tw_app *app, const struct tw_message *message);
/* Makes the next message of the workload. */
void tw_app_make(void *app, tw_time now, struct tw_message *message);
/* The callbacks that the engine is given. */
struct tw_host tw_app_host(struct tw_app *app);

#endif
