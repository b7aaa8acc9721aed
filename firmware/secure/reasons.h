/*
 * Why a secured connection is refused or lost, as the log says it: one lower-case word with
 * underscores. docs/security.md explains each.
 */
#ifndef TW_REASONS_H
#define TW_REASONS_H

#include <stdint.h>

/* Of an error code of mbedTLS. */
const char *tw_reason_of_error(int error);
/* Of what is wrong with a certificate chain: a set of MBEDTLS_X509_BADCERT_*. */
const char *tw_reason_of_certificate(uint32_t flags);
/* Of an alert that the peer has sent (RFC 5246, section 7.2). */
const char *tw_reason_of_alert(uint8_t description);

#endif
