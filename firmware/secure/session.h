/*
 * One TLS or DTLS session of a client over mbedTLS, without I/O of its own: records come in by
 * tw_session_feed and leave by `send`. secure.c decides what the network and the application see.
 */
#ifndef TW_SESSION_H
#define TW_SESSION_H

#include "core/config.h"
#include "core/engine.h"

/* What the session asks of the layer around it. */
struct tw_session_host {
    /* Gives the network `size` bytes, or a datagram; returns the bytes taken. */
    size_t (*send)(const uint8_t *data, size_t size);
    tw_time (*now_us)(void);
    /* Unpredictable bytes; false: there are none. NULL: config->seed makes them. */
    bool (*entropy)(uint8_t *out, size_t size);
    /* Called between the computations of a handshake; may be NULL. */
    void (*alive)(void);
    /* A secret of the session, by its label in a key log. */
    void (*keys)(const char *label, const uint8_t client_random[32], const uint8_t *secret,
                 size_t size);
    /* What became of a session in memory that outlives a restart, in one word, and its bytes. */
    void (*memory)(const char *what, size_t bytes);
};

/* What is known of a session that is up. */
struct tw_session_facts {
    const char *version, *suite;
    bool resumed;
};

/* Every function that returns a reason returns NULL when nothing is wrong; after a reason the
 * session takes nothing but tw_session_close. */

/* Begins the handshake; its first message leaves. `host` and `config` outlive the session. */
const char *tw_session_open(const struct tw_session_host *host, const struct tw_config *config,
                            enum tw_transport transport);
/* Bytes of the stream, or a datagram, for the calls that follow; valid until they are used up. */
void tw_session_feed(const uint8_t *data, size_t size);
/* Goes on with the handshake as far as what was fed allows; `up` once it is over. */
const char *tw_session_handshake(bool *up);
/* The next plaintext of what was fed: a datagram's whole, or a piece of a stream. `size` comes out
 * 0 when more must be fed first. `closed` when the peer has said that it ends. */
const char *tw_session_read(uint8_t *out, size_t room, size_t *size, bool *closed);
/* Plaintext for the peer. `taken` comes out less than `size` where the network has no room; a
 * datagram goes whole or not. */
const char *tw_session_write(const uint8_t *data, size_t size, size_t *taken);
/* Sends what is encrypted and had no room; true when nothing is left. */
bool tw_session_flush(void);
/* Says goodbye to the peer, if it still can. */
void tw_session_finish(void);
void tw_session_close(void);
/* When tw_session_handshake is wanted though nothing came, or TW_NEVER. */
tw_time tw_session_deadline(void);
/* Bytes that are encrypted, and not with the network. */
size_t tw_session_pending(void);
struct tw_session_facts tw_session_facts(void);

#endif
