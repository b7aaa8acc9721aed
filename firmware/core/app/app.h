/*
 * The application that every board runs: configuration, protocol engine, workload, reconnection and
 * the log.
 *
 * A board implements `struct tw_board` and calls the functions below. Calls into the board never
 * lead to calls back into the application: a board reports what happened (open, bytes, close, room)
 * from its own event loop. There is one application per board, held in static memory.
 *
 *   boot            tw_app_start, then tw_app_up when the network interface has its address
 *   event loop      tw_app_on_open / on_bytes / on_close / on_room as they happen; tw_app_poll when
 * its deadline passes
 */
#ifndef TW_APP_H
#define TW_APP_H

#include "core/config.h"
#include "core/engine.h"

/* Figures for the `stat` log line; a board reports 0 for what it cannot know. */
struct tw_resources {
    uint32_t heap_bytes;    /* size of the heap */
    uint32_t heap_used;     /* bytes, now */
    uint32_t heap_free_min; /* bytes, low-water mark */
    uint32_t stack_free_min;
    uint32_t frames_received, frames_sent;
    uint32_t frames_dropped; /* received, but there was no buffer or no memory */
};

enum tw_open {
    TW_OPEN_DONE,    /* up already: datagram socket bound, or listening for connections */
    TW_OPEN_PENDING, /* connecting: tw_app_on_open or tw_app_on_close will follow */
    TW_OPEN_FAILED   /* not now; the application tries again later */
};

struct tw_board {
    void *ctx;
    /* Microseconds since boot; monotonic. */
    tw_time (*now_us)(void *ctx);
    /* One line of the log, without its newline, which stands behind it: line[size] is '\n'. */
    void (*log)(void *ctx, const char *line, size_t size);
    /* Opens the transport that the configuration asks for. Stream client: connects link 0 to
     * config->peer:port. Datagram client: binds any port. Serving (config->role): listens on or
     * binds config->port; each accepted connection gets a free link below TW_LINKS and
     * tw_app_on_open. */
    enum tw_open (*open)(void *ctx, const struct tw_config *config, enum tw_transport transport);
    /* Sends; returns the bytes taken. A stream may take fewer (then tw_app_on_room follows once
     * there is room); a datagram is taken whole or not (0). out->to.address 0 means the configured
     * peer; 0xFFFFFFFF broadcast. One call should become one TCP segment where the Nagle setting
     * and the window allow it. */
    size_t (*send)(void *ctx, uint8_t link, const struct tw_output *out);
    /* Closes a link; no tw_app_on_close follows. `abort` asks for a reset rather than a handshake.
     */
    void (*close)(void *ctx, uint8_t link, bool abort);
    /* Bytes of a stream that `send` took and the peer has not acknowledged; 0 for datagrams, and
     * where the board cannot know. */
    size_t (*unacked)(void *ctx, uint8_t link);
    void (*resources)(void *ctx, struct tw_resources *out);
    bool secures;     /* carries out config->security */
    bool has_entropy; /* and config->entropy=board */
};

/* Deep sleep (config->deep_sleep), in builds with TW_DEEP_SLEEP only: a board without it defines
 * neither. The board keeps `size` bytes of the run, at most TW_RUN_BYTES, is off until `until` on
 * its clock, which goes on, and starts anew. */
#define TW_RUN_BYTES 64
void tw_board_sleep(tw_time until, const void *run, size_t size) __attribute__((noreturn));
/* True where this start is such an awakening; `run` is then what was kept. Called once, before the
 * clock is read, which goes on from here. */
bool tw_board_woken(void *run, size_t size);

/* Memory that survives a reset, for what an engine keeps (struct tw_host), in builds with TW_OSCORE
 * only. */
bool tw_board_recall_engine(uint8_t out[TW_KEPT_BYTES]);
void tw_board_keep_engine(const uint8_t data[TW_KEPT_BYTES]);
/* And entropy, for an engine; false: the board has none. */
bool tw_board_random(uint8_t *out, size_t size);

struct tw_app;

/* How many of its links a serving device uses. */
uint8_t tw_app_links(const struct tw_config *config);

/* Starts from the configuration text; logs `boot`, or `config_error` and stays silent.
 * `reset_reason` and `build` go into the log. Both strings and `board` must outlive the
 * application. */
struct tw_app *tw_app_start(const struct tw_board *board, const char *config_text,
                            const char *reset_reason, const char *build);

/* The configuration in force, for what the board itself needs (mac, ip, mask, gw, mss, nagle,
 * modem_sleep); NULL after a configuration error. */
const struct tw_config *tw_app_config(const struct tw_app *app);

/* The network interface is up with `address` (host byte order as in tw_peer); may be called again
 * after an outage. */
void tw_app_up(struct tw_app *app, uint32_t address);

void tw_app_on_open(struct tw_app *app, uint8_t link);
/* `from` is required for datagrams and ignored for streams. Call once per TCP segment received. */
void tw_app_on_bytes(struct tw_app *app, uint8_t link, const struct tw_peer *from,
                     const uint8_t *data, size_t size);
/* The peer or the network closed the link, or connecting failed; `reason` is one lower-case word.
 */
void tw_app_on_close(struct tw_app *app, uint8_t link, const char *reason);
/* True while the application has no time for what comes in (processing_ms): a network keeps bytes,
 * as its buffers allow, and hands them over once this is false. tw_app_poll's deadline covers it.
 */
bool tw_app_busy(const struct tw_app *app);
/* The link has room for more bytes. */
void tw_app_on_room(struct tw_app *app, uint8_t link);
/* Does what is due. Returns the time of the next call (microseconds since boot) or TW_NEVER. Call
 * it after any of the functions above, too: they may have moved the deadline. */
tw_time tw_app_poll(struct tw_app *app);
/* True once `end` is logged; the board stays up but the application is done. */
bool tw_app_ended(const struct tw_app *app);

#endif
