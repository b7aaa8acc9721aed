/*
 * One TLS or DTLS session of a client over mbedTLS, without I/O: tw_session_feed receives records,
 * `send` emits them. secure.c decides what the network and the application see.
 */
#ifndef TW_SESSION_H
#define TW_SESSION_H

#include "core/config.h"
#include "core/engine.h"

/* Callbacks of the session, implemented by the layer around it. */
struct tw_session_host {
    /* Passes `size` bytes, or a datagram, to the network; returns the number of bytes accepted. */
    size_t (*send)(const uint8_t *data, size_t size);
    tw_time (*now_us)(void);
    /* Fills in unpredictable bytes; returns false if there are none. NULL: they follow from
     * config->seed. */
    bool (*entropy)(uint8_t *out, size_t size);
    /* Called between the computations of a handshake; may be NULL. */
    void (*alive)(void);
    /* Reports a secret of the session with its label in a key log. */
    void (*keys)(const char *label, const uint8_t client_random[32], const uint8_t *secret,
                 size_t size);
    /* Reports, in one word, the result of keeping a session in memory that survives a restart, and
     * its size. */
    void (*memory)(const char *what, size_t bytes);
};

/* Properties of an established session. */
struct tw_session_facts {
    const char *version, *suite;
    bool resumed;
};

/* Every function that returns a reason returns NULL on success. After a failure only
 * tw_session_close may be called. */

/* Begins the handshake and sends its first message. `host` and `config` outlive the session. */
const char *tw_session_open(const struct tw_session_host *host, const struct tw_config *config,
                            enum tw_transport transport);
/* Supplies bytes of the stream, or a datagram, to the following calls; they must stay valid until
 * consumed. */
void tw_session_feed(const uint8_t *data, size_t size);
/* Continues the handshake as far as the supplied bytes allow; sets `up` once it is complete. */
const char *tw_session_handshake(bool *up);
/* Returns the next plaintext of the supplied bytes: a whole datagram, or a piece of a stream. Sets
 * `size` to 0 when more bytes are needed, and `closed` when the peer has sent close_notify. */
const char *tw_session_read(uint8_t *out, size_t room, size_t *size, bool *closed);
/* Sends plaintext to the peer. `taken` is less than `size` where the network has no room; a
 * datagram is sent whole or not at all. */
const char *tw_session_write(const uint8_t *data, size_t size, size_t *taken);
/* Sends pending encrypted bytes; returns true when none are left. */
bool tw_session_flush(void);
/* Sends close_notify to the peer, if that is still possible. */
void tw_session_finish(void);
void tw_session_close(void);
/* The time to call tw_session_handshake even if nothing arrives, or TW_NEVER. */
tw_time tw_session_deadline(void);
/* Number of encrypted bytes that the network has not yet accepted. */
size_t tw_session_pending(void);
struct tw_session_facts tw_session_facts(void);

#endif
