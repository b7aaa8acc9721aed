/*
 * The reason why a secured connection was refused or lost, as written to the log: one lower-case
 * word with underscores. docs/security.md explains each.
 */
#ifndef TW_REASONS_H
#define TW_REASONS_H

#include <stdint.h>

/* The reason for an error code of mbedTLS. */
const char *tw_reason_of_error(int error);
/* The reason for a set of MBEDTLS_X509_BADCERT_* flags of a certificate chain. */
const char *tw_reason_of_certificate(uint32_t flags);
/* The reason for an alert that the peer has sent (RFC 5246, section 7.2). */
const char *tw_reason_of_alert(uint8_t description);

#endif
