#define MBEDTLS_ALLOW_PRIVATE_ACCESS /* for what mbedTLS's API does not offer */
#include "tls13.h"

#if TW_TLS_MOST > 12

#include "../library/ssl_misc.h"

void tw_tls13_configure(mbedtls_ssl_config *settings, const struct tw_config *config) {
    static const int suites[] = {MBEDTLS_TLS1_3_AES_128_GCM_SHA256, 0};
    unsigned shared = config->psk_dhe ? MBEDTLS_SSL_TLS1_3_KEY_EXCHANGE_MODE_PSK_EPHEMERAL
                                      : MBEDTLS_SSL_TLS1_3_KEY_EXCHANGE_MODE_PSK;
    unsigned modes = 0;
    if (config->security == TW_SECURITY_PSK || config->resume) /* a ticket is such a key, too */
        modes |= shared;
    if (config->security != TW_SECURITY_PSK)
        modes |= MBEDTLS_SSL_TLS1_3_KEY_EXCHANGE_MODE_EPHEMERAL;
    mbedtls_ssl_conf_ciphersuites(settings, suites);
    mbedtls_ssl_conf_min_tls_version(settings, MBEDTLS_SSL_VERSION_TLS1_3);
    mbedtls_ssl_conf_max_tls_version(settings, MBEDTLS_SSL_VERSION_TLS1_3);
    mbedtls_ssl_conf_tls13_key_exchange_modes(settings, (int)modes);
    mbedtls_ssl_conf_tls13_enable_signal_new_session_tickets(
        settings, config->resume ? MBEDTLS_SSL_TLS1_3_SIGNAL_NEW_SESSION_TICKETS_ENABLED
                                 : MBEDTLS_SSL_TLS1_3_SIGNAL_NEW_SESSION_TICKETS_DISABLED);
}

/* mbedTLS 3.6.5 refuses extensions that the client did not offer, including a cookie. A server may
 * send one in a HelloRetryRequest all the same (RFC 8446, section 4.2). Each ClientHello resets the
 * mask of offered extensions. */
void tw_tls13_expect_cookie(mbedtls_ssl_context *ssl) {
    if (ssl->state == MBEDTLS_SSL_SERVER_HELLO)
        ssl->handshake->sent_extensions |= MBEDTLS_SSL_EXT_MASK(COOKIE);
}

#endif
