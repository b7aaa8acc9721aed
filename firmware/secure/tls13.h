/*
 * What TLS 1.3 (RFC 8446) wants otherwise than TLS 1.2. A build that does not speak it
 * (TW_TLS_MOST) has and calls nothing of this.
 */
#ifndef TW_TLS13_H
#define TW_TLS13_H

#include "core/config.h"
#include "mbedtls/ssl.h"

/* Does this configuration ask for it? A constant in a build that speaks one version. */
static inline bool tw_is_tls13(const struct tw_config *config) {
#if TW_TLS_LEAST == TW_TLS_MOST
    (void)config;
    return TW_TLS_LEAST > 12;
#else
    return config->tls_version > 12;
#endif
}

/* Sets version, suites, key exchanges, and whether tickets are wanted. */
void tw_tls13_configure(mbedtls_ssl_config *settings, const struct tw_config *config);
/* Before each step of a handshake: lets the server ask for a ClientHello with its cookie. */
void tw_tls13_expect_cookie(mbedtls_ssl_context *ssl);

#endif
