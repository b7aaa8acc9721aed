#include "reasons.h"

#include <stddef.h>

#include "core/config.h"
#include "mbedtls/rsa.h"
#include "mbedtls/ssl.h"

struct row {
    int32_t code;
    const char *reason;
};

static const struct row errors[] = {
    {MBEDTLS_ERR_SSL_INVALID_MAC, "bad_record_mac"},
    {MBEDTLS_ERR_SSL_INVALID_RECORD, "bad_record"},
    {MBEDTLS_ERR_SSL_BUFFER_TOO_SMALL, "record_too_large"},
    {MBEDTLS_ERR_SSL_DECODE_ERROR, "bad_message"},
    {MBEDTLS_ERR_SSL_ILLEGAL_PARAMETER, "illegal_parameter"},
    {MBEDTLS_ERR_SSL_UNEXPECTED_MESSAGE, "unexpected_message"},
    {MBEDTLS_ERR_SSL_UNEXPECTED_RECORD, "unexpected_message"},
    {MBEDTLS_ERR_SSL_BAD_PROTOCOL_VERSION, "wrong_version"},
    {MBEDTLS_ERR_SSL_HANDSHAKE_FAILURE, "handshake_failure"},
    {MBEDTLS_ERR_SSL_UNSUPPORTED_EXTENSION, "unsupported_extension"},
    {MBEDTLS_ERR_SSL_BAD_CERTIFICATE, "bad_certificate"},
    {MBEDTLS_ERR_SSL_UNKNOWN_IDENTITY, "unknown_identity"},
    {MBEDTLS_ERR_SSL_COUNTER_WRAPPING, "counter_spent"},
    {MBEDTLS_ERR_SSL_TIMEOUT, "handshake_timeout"},
    {MBEDTLS_ERR_SSL_ALLOC_FAILED, "no_memory"},
    {MBEDTLS_ERR_MPI_ALLOC_FAILED, "no_memory"},
    {MBEDTLS_ERR_ECP_ALLOC_FAILED, "no_memory"},
    {MBEDTLS_ERR_X509_ALLOC_FAILED, "no_memory"},
    {MBEDTLS_ERR_PK_ALLOC_FAILED, "no_memory"},
    {MBEDTLS_ERR_SSL_BAD_INPUT_DATA, "illegal_parameter"}, /* a suite that this build lacks */
    {MBEDTLS_ERR_ECP_VERIFY_FAILED, "bad_signature"},
    {MBEDTLS_ERR_RSA_VERIFY_FAILED, "bad_signature"},
    {0, "security_error"},
};

/* The most serious first: the flag that says most about the peer's identity. */
static const struct row certificates[] = {
    {MBEDTLS_X509_BADCERT_REVOKED, "certificate_revoked"},
    {MBEDTLS_X509_BADCERT_NOT_TRUSTED, "certificate_untrusted"},
    {MBEDTLS_X509_BADCERT_CN_MISMATCH, "certificate_wrong_name"},
    {MBEDTLS_X509_BADCERT_EXPIRED, "certificate_expired"},
    {MBEDTLS_X509_BADCERT_FUTURE, "certificate_not_yet_valid"},
    {MBEDTLS_X509_BADCERT_KEY_USAGE | MBEDTLS_X509_BADCERT_EXT_KEY_USAGE |
         MBEDTLS_X509_BADCERT_NS_CERT_TYPE,
     "certificate_wrong_use"},
    {MBEDTLS_X509_BADCERT_BAD_MD | MBEDTLS_X509_BADCERT_BAD_PK | MBEDTLS_X509_BADCERT_BAD_KEY,
     "certificate_weak"},
    {-1, "bad_certificate"},
};

static const struct row alerts[] = {
    {MBEDTLS_SSL_ALERT_MSG_CLOSE_NOTIFY, "closed"},
    {MBEDTLS_SSL_ALERT_MSG_UNEXPECTED_MESSAGE, "peer_unexpected_message"},
    {MBEDTLS_SSL_ALERT_MSG_BAD_RECORD_MAC, "peer_bad_record_mac"},
    {MBEDTLS_SSL_ALERT_MSG_RECORD_OVERFLOW, "peer_record_overflow"},
    {MBEDTLS_SSL_ALERT_MSG_HANDSHAKE_FAILURE, "peer_handshake_failure"},
    {MBEDTLS_SSL_ALERT_MSG_BAD_CERT, "peer_bad_certificate"},
    {MBEDTLS_SSL_ALERT_MSG_UNSUPPORTED_CERT, "peer_unsupported_certificate"},
    {MBEDTLS_SSL_ALERT_MSG_CERT_REVOKED, "peer_certificate_revoked"},
    {MBEDTLS_SSL_ALERT_MSG_CERT_EXPIRED, "peer_certificate_expired"},
    {MBEDTLS_SSL_ALERT_MSG_CERT_UNKNOWN, "peer_certificate_unknown"},
    {MBEDTLS_SSL_ALERT_MSG_ILLEGAL_PARAMETER, "peer_illegal_parameter"},
    {MBEDTLS_SSL_ALERT_MSG_UNKNOWN_CA, "peer_unknown_ca"},
    {MBEDTLS_SSL_ALERT_MSG_ACCESS_DENIED, "peer_access_denied"},
    {MBEDTLS_SSL_ALERT_MSG_DECODE_ERROR, "peer_bad_message"},
    {MBEDTLS_SSL_ALERT_MSG_DECRYPT_ERROR, "peer_decrypt_error"},
    {MBEDTLS_SSL_ALERT_MSG_PROTOCOL_VERSION, "peer_wrong_version"},
    {MBEDTLS_SSL_ALERT_MSG_INSUFFICIENT_SECURITY, "peer_insufficient_security"},
    {MBEDTLS_SSL_ALERT_MSG_INTERNAL_ERROR, "peer_internal_error"},
    {MBEDTLS_SSL_ALERT_MSG_UNRECOGNIZED_NAME, "peer_unrecognized_name"},
    {MBEDTLS_SSL_ALERT_MSG_UNKNOWN_PSK_IDENTITY, "peer_unknown_identity"},
#if TW_TLS_MOST > 12
    {MBEDTLS_SSL_ALERT_MSG_MISSING_EXTENSION, "peer_missing_extension"},
    {MBEDTLS_SSL_ALERT_MSG_CERT_REQUIRED, "peer_certificate_required"},
#endif
    {-1, "peer_alert"},
};

const char *tw_reason_of_error(int error) {
    const struct row *row = errors;
    /* An error is the sum of a high-level code, a multiple of 128, and a low-level one
     * (mbedtls/error.h). */
    while (row->code && row->code != error && row->code != -(-error & ~0x7F))
        row++;
    return row->reason;
}

const char *tw_reason_of_certificate(uint32_t flags) {
    const struct row *row = certificates;
    while (row->code != -1 && !(flags & (uint32_t)row->code))
        row++;
    return row->reason;
}

const char *tw_reason_of_alert(uint8_t description) {
    const struct row *row = alerts;
    while (row->code != -1 && row->code != description)
        row++;
    return row->reason;
}
