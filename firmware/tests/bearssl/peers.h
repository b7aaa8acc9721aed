/*
 * Handshakes of TLS 1.2 between a client as Tasmota configures it and a server, both BearSSL's,
 * in memory.
 */
#ifndef PEERS_H
#define PEERS_H

#include <stdbool.h>

#include "secure/credentials.h"

/* Of data/tls, in DER; an element without bytes is the last of a list. */
extern const struct tw_der tw_roots[];
extern const struct tw_der tw_server_chain[];
extern const struct tw_der tw_server_key[];
extern const struct tw_der tw_client_chain[];
extern const struct tw_der tw_client_key[];

enum trust {
    TRUST_KEY,    /* the server's key, by its fingerprint */
    TRUST_ISSUER, /* who signed the server's certificate: one signature */
    TRUST_ROOT,   /* who signed the certificate of that one: two */
};

struct handshake {
    const char *name;
    enum trust trust;
    bool ecdhe;       /* ECDHE_RSA on P-256; else the secret is encrypted by the server's key */
    bool own_key;     /* the server asks for the client's certificate, of P-256 */
    bool other_trust; /* what is trusted is another's: the client must refuse... */
    bool forged;      /* ...and a certificate whose signature is not its issuer's */
};

struct outcome {
    int client_error; /* of BearSSL; 0: the handshake is complete */
    int server_error;
    uint32_t cycles; /* of the counter, within the client */
    uint32_t stack_bytes;
    uint32_t context_bytes;
    uint32_t buffer_bytes;
    uint32_t decoder_bytes;
    uint32_t sent_bytes;
    uint32_t received_bytes;
};

/* Once, before the first handshake: reads keys and certificates. */
void peers_start(void);
struct outcome peers_shake_hands(const struct handshake *handshake);

#endif
