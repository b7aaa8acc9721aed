/*
 * Two defects of mbedTLS 3.6.5 with a saved session of TLS 1.3 (../mbedtls-session-name.md,
 * ../mbedtls-ticket-time.md):
 *
 *   session name    the saved server name has no terminator
 *   session time    the ticket was received at the smallest time
 */
#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/ssl.h>
#include <psa/crypto.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME "server.example"

static int no_bytes(void *context, unsigned char *bytes, size_t size) {
    (void)context, (void)bytes, (void)size;
    return MBEDTLS_ERR_SSL_WANT_READ;
}

static int all_bytes(void *context, const unsigned char *bytes, size_t size) {
    (void)context, (void)bytes;
    return (int)size;
}

static void check(const char *what, int result) {
    if (result) {
        printf("%s: -0x%04x\n", what, (unsigned)-result);
        exit(1);
    }
}

/* Saves a client's session as a server's ticket would leave it; returns its size. */
static size_t saved(unsigned char *bytes, size_t room, int64_t came_at) {
    static unsigned char ticket[16];
    mbedtls_ssl_session session;
    size_t size;
    mbedtls_ssl_session_init(&session);
    session.MBEDTLS_PRIVATE(tls_version) = MBEDTLS_SSL_VERSION_TLS1_3;
    session.MBEDTLS_PRIVATE(endpoint) = MBEDTLS_SSL_IS_CLIENT;
    session.MBEDTLS_PRIVATE(ciphersuite) = MBEDTLS_TLS1_3_AES_128_GCM_SHA256;
    session.MBEDTLS_PRIVATE(ticket_flags) =
        MBEDTLS_SSL_TLS1_3_TICKET_ALLOW_PSK_EPHEMERAL_RESUMPTION;
    session.MBEDTLS_PRIVATE(resumption_key_len) = 32;
    session.MBEDTLS_PRIVATE(ticket) = ticket;
    session.MBEDTLS_PRIVATE(ticket_len) = sizeof ticket;
    session.MBEDTLS_PRIVATE(ticket_lifetime) = 604800;
    session.MBEDTLS_PRIVATE(ticket_reception_time) = came_at;
    session.MBEDTLS_PRIVATE(hostname) = NAME;
    check("save", mbedtls_ssl_session_save(&session, bytes, room, &size));
    return size;
}

int main(int count, char **words) {
    const char *what = count == 2 ? words[1] : "";
    unsigned char bytes[512], again[512];
    mbedtls_ssl_session session;
    size_t size;
    mbedtls_ssl_session_init(&session);
    check("PSA", (int)psa_crypto_init());
    if (!strcmp(what, "name")) {
        size = saved(bytes, sizeof bytes, 0);
        for (size_t at = 0; at + sizeof NAME <= size; at++)
            if (!memcmp(bytes + at, NAME, sizeof NAME))
                bytes[at + sizeof NAME - 1] = 'x'; /* in place of the terminator */
        check("load", mbedtls_ssl_session_load(&session, bytes, size));
        check("save", mbedtls_ssl_session_save(&session, again, sizeof again, &size));
    } else if (!strcmp(what, "time")) {
        mbedtls_ssl_config config;
        mbedtls_ssl_context ssl;
        mbedtls_entropy_context entropy;
        mbedtls_ctr_drbg_context random;
        mbedtls_ssl_config_init(&config);
        mbedtls_ssl_init(&ssl);
        mbedtls_entropy_init(&entropy);
        mbedtls_ctr_drbg_init(&random);
        check("seed", mbedtls_ctr_drbg_seed(&random, mbedtls_entropy_func, &entropy, NULL, 0));
        check("defaults", mbedtls_ssl_config_defaults(&config, MBEDTLS_SSL_IS_CLIENT,
                                                      MBEDTLS_SSL_TRANSPORT_STREAM,
                                                      MBEDTLS_SSL_PRESET_DEFAULT));
        mbedtls_ssl_conf_rng(&config, mbedtls_ctr_drbg_random, &random);
        check("setup", mbedtls_ssl_setup(&ssl, &config));
        check("name", mbedtls_ssl_set_hostname(&ssl, NAME));
        size = saved(bytes, sizeof bytes, INT64_MIN);
        check("load", mbedtls_ssl_session_load(&session, bytes, size));
        check("session", mbedtls_ssl_set_session(&ssl, &session));
        mbedtls_ssl_set_bio(&ssl, NULL, all_bytes, no_bytes, NULL);
        mbedtls_ssl_handshake(&ssl);
    } else {
        fputs("usage: session name|time\n", stderr);
        return 2;
    }
    puts("no fault");
    return 0;
}
