/*
 * Where TLS 1.3 (RFC 8446) differs from TLS 1.2. A build without TLS 1.3 (TW_TLS_MOST) neither
 * contains nor calls these functions.
 */
#ifndef TW_TLS13_H
#define TW_TLS13_H

#include "core/config.h"
#include "mbedtls/ssl.h"

/* True if this configuration selects TLS 1.3; a constant in a build with one version. */
static inline bool tw_is_tls13(const struct tw_config *config) {
#if TW_TLS_LEAST == TW_TLS_MOST
    (void)config;
    return TW_TLS_LEAST > 12;
#else
    return config->tls_version > 12;
#endif
}

/* Sets version, suites, key exchanges, and whether tickets are requested. */
void tw_tls13_configure(mbedtls_ssl_config *settings, const struct tw_config *config);
/* Called before each step of a handshake: allows the server to request a ClientHello with its
 * cookie. */
void tw_tls13_expect_cookie(mbedtls_ssl_context *ssl);

#endif
