/*
 * The seam between a protocol and everything else.
 *
 * An engine is a protocol without I/O: bytes in, bytes and events out, and the time of its next
 * wake-up. It never opens a socket, reads a clock, draws a random number of its own or allocates
 * memory. The application (app.h) and the network (firmware/net) see every protocol through the one
 * table `struct tw_engine`.
 *
 * Calling order: init, then for each connection on_open, any mix of on_bytes, publish, on_time,
 * output and accepted, then on_close. After any call, the caller drains `output` and asks
 * `deadline` anew.
 */
#ifndef TW_ENGINE_H
#define TW_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Time in microseconds since boot. */
typedef uint64_t tw_time;

#define TW_NEVER UINT64_MAX
#define TW_MS(milliseconds) ((tw_time)(milliseconds) * 1000u)
#define TW_SECONDS(seconds) ((tw_time)(seconds) * 1000000u)

static inline tw_time tw_earlier(tw_time a, tw_time b) {
    return a < b ? a : b;
}

/* Connections a serving device holds at once; a client uses link 0 only, as does every datagram
 * protocol. */
#ifndef TW_LINKS
#define TW_LINKS 8
#endif

/* The largest application payload that an engine sends in one piece: one datagram, and what a
 * stream's buffer has room for. */
#define TW_SEGMENT_MAX 1440u
/* The largest one of all: a stream makes what its buffer does not hold as it leaves, and CoAP sends
 * block by block. */
#define TW_PAYLOAD_MAX 16384u

/* What a host keeps over a restart for an engine (struct tw_host). */
#define TW_KEPT_BYTES 44u

struct tw_config;
struct tw_random;

/* A message is held by its sender as this handle; engines ask for its bytes whenever they encode
 * it, so a message in flight costs 24 bytes of memory and not its payload. */
struct tw_message {
    uint32_t seq;
    uint32_t size;      /* payload bytes */
    tw_time created_us; /* the device timestamp that the payload carries */
    tw_time sent_us;    /* when an engine first accepted it: the start of the round trip */
};

enum tw_transport { TW_STREAM, TW_DATAGRAM };

/* The far end of a datagram. Address 0 stands for the configured peer. */
struct tw_peer {
    uint32_t address; /* IPv4, most significant byte first: 10.0.0.1 is 0x0A000001 */
    uint16_t port;
};

/* Bytes that want to leave. They stay valid until the next call into the engine. A datagram engine
 * hands out exactly one datagram; a stream engine hands out as many bytes as it has in one piece.
 */
struct tw_output {
    const uint8_t *data;
    size_t size;
    struct tw_peer to; /* datagrams only */
    bool more;         /* streams only: the same message goes on in the next output */
};

enum tw_event_type {
    TW_EVENT_CONNECTED,     /* the session is up: messages can be published */
    TW_EVENT_ACKED,         /* `message` reached the peer, by the protocol's own acknowledgement */
    TW_EVENT_FAILED,        /* `message` is given up; `reason` says why */
    TW_EVENT_RETRANSMITTED, /* `message` (or, with seq 0, a control message) was sent again */
    TW_EVENT_RECEIVED,      /* a piece of an incoming payload; `last` closes the message */
    TW_EVENT_SERVED,        /* `message` was made and sent as the answer to a request */
    TW_EVENT_CLOSE,         /* close `link` once its output is drained; `reason` says why */
    TW_EVENT_ERROR /* the peer broke the protocol; `reason` says how; close `link` at once */
};

struct tw_event {
    enum tw_event_type type;
    uint8_t link;
    bool last;                 /* RECEIVED */
    const char *reason;        /* FAILED, CLOSE, ERROR: one lower-case word with underscores */
    const uint8_t *data;       /* RECEIVED: valid during the call only */
    size_t size;               /* RECEIVED: bytes at `data` */
    size_t offset;             /* RECEIVED: where `data` starts in its message */
    struct tw_message message; /* ACKED, FAILED, RETRANSMITTED, SERVED */
};

/* What an engine may ask of the application. None of these may call back into the engine. */
struct tw_host {
    void *ctx;
    void (*event)(void *ctx, const struct tw_event *event);
    /* Writes payload bytes [offset, offset + size) of `message`; the range lies within
     * message->size. */
    void (*payload)(void *ctx, const struct tw_message *message, size_t offset, uint8_t *out,
                    size_t size);
    /* Makes the next message: the answer to a request that a serving device received at `now`. */
    void (*make)(void *ctx, tw_time now, struct tw_message *message);
#ifdef TW_OSCORE
    /* Memory that survives a restart, at most TW_KEPT_BYTES; both NULL where there is none.
     * `recall` fills `out` with what was kept last, or with arbitrary bytes; false: nothing is
     * kept. */
    bool (*recall)(void *ctx, void *out, size_t size);
    void (*keep)(void *ctx, const void *data, size_t size);
    /* Bytes of the board's entropy, which no restart repeats; false, or NULL: it has none. */
    bool (*random)(void *ctx, uint8_t *out, size_t size);
#endif
};

/* Everything an engine is built from. The pointers outlive the engine. */
struct tw_setup {
    const struct tw_config *config;
    const struct tw_host *host;
    struct tw_random *random;
    bool session_kept; /* the session of before this start goes on, without open messages */
};

enum tw_publish {
    TW_PUBLISHED,  /* taken: ACKED or FAILED follows where the mode has acknowledgements */
    TW_BUSY,       /* no room now: offer it again after the next event, output or deadline */
    TW_OFFLINE,    /* no session: a mode without acknowledgements loses the message here */
    TW_UNWANTED,   /* nobody listens: dropped without a trace */
    TW_UNSUPPORTED /* this role never publishes, or the payload exceeds what the protocol carries */
};

struct tw_engine {
    const char *name; /* the value of proto= */
    enum tw_transport transport;
    uint16_t port; /* the protocol's registered port */

    bool answers; /* a publisher can hear its peer's answers: pace=answer */

    /* True when the send schedule drives this role, as requests or notifications; NULL: only a
     * publisher is driven by it. */
    bool (*paced)(const struct tw_config *config);
    /* True when a connection is made for each message and closed after it; NULL: never. */
    bool (*on_demand)(const struct tw_config *config);
    /* Prepares `state` (zeroed by the caller). Returns NULL or the configuration key that cannot be
     * used. */
    const char *(*init)(void *state, const struct tw_setup *setup);
    /* The transport of `link` is up: connected, accepted or, for datagrams, bound. */
    void (*on_open)(void *state, tw_time now, uint8_t link);
    /* The transport of `link` is gone. Messages that the session cannot resume are reported FAILED.
     */
    void (*on_close)(void *state, tw_time now, uint8_t link);
    /* Input: one datagram, or one TCP segment's worth of a stream. All of it is taken. */
    void (*on_bytes)(void *state, tw_time now, uint8_t link, const struct tw_peer *from,
                     const uint8_t *data, size_t size);
    enum tw_publish (*publish)(void *state, tw_time now, const struct tw_message *message);
    /* Does what is due at `now`. Early calls are harmless. */
    void (*on_time)(void *state, tw_time now);
    /* When on_time is wanted next, or TW_NEVER. */
    tw_time (*deadline)(const void *state);
    /* The next bytes for `link`; false when there are none. */
    bool (*output)(void *state, tw_time now, uint8_t link, struct tw_output *out);
    /* The network took `size` bytes of the last output (a datagram counts as a whole). */
    void (*accepted)(void *state, tw_time now, uint8_t link, size_t size);
    /* True when no message is in flight. */
    bool (*idle)(const void *state);
    /* Ends the session in the protocol's own way (DISCONNECT, close frame...); TW_EVENT_CLOSE
     * follows. */
    void (*finish)(void *state, tw_time now);
};

#endif
