/*
 * mbedTLS 3.6 for a device that is a client: TLS 1.2 and DTLS 1.2 with one AEAD family, P-256 and
 * RSA signatures, pre-shared keys, session resumption. Everything that our handshakes do not need
 * is left out. A build defines TW_TLS_LEAST and TW_TLS_MOST (core/config.h): 12 selects these
 * versions, 13 selects TLS 1.3. It may define TW_SECURE_IN_BYTES and TW_SECURE_OUT_BYTES, the
 * largest plaintext of a received and of a sent record: both buffers are on the heap while a
 * connection is open.
 */
#ifndef TW_MBEDTLS_CONFIG_H
#define TW_MBEDTLS_CONFIG_H

/* ---- platform: the C library's heap, the layer's own clock ---- */
#define MBEDTLS_PLATFORM_C
#define MBEDTLS_HAVE_TIME
#define MBEDTLS_HAVE_TIME_DATE
#define MBEDTLS_PLATFORM_MS_TIME_ALT
#define MBEDTLS_PLATFORM_TIME_MACRO tw_secure_time
#ifndef __ASSEMBLER__
#include <time.h>
time_t tw_secure_time(time_t *out);
#endif

/* ---- primitives ---- */
#define MBEDTLS_AES_C
#define MBEDTLS_AES_ROM_TABLES
#define MBEDTLS_AES_FEWER_TABLES
#define MBEDTLS_BLOCK_CIPHER_NO_DECRYPT
#define MBEDTLS_CIPHER_C
#define MBEDTLS_GCM_C
#if TW_TLS_LEAST == 12
#define MBEDTLS_CCM_C
#endif
#define MBEDTLS_CTR_DRBG_C
#define MBEDTLS_CTR_DRBG_USE_128_BIT_KEY
#define MBEDTLS_MD_C
#define MBEDTLS_SHA256_C
#define MBEDTLS_BIGNUM_C
#define MBEDTLS_ECP_C
#define MBEDTLS_ECP_DP_SECP256R1_ENABLED
#define MBEDTLS_ECP_NIST_OPTIM
#define MBEDTLS_ECDH_C
#define MBEDTLS_ECDSA_C
#define MBEDTLS_RSA_C
#define MBEDTLS_PKCS1_V15

#if defined(__XTENSA__)
/* d += s * b + c for one limb (library/bn_mul.h). The LX106 multiplies to 32 bits only: for
 * mbedTLS's own form GCC calls a 64-bit multiplication for each limb, which takes twice as long as
 * this. */
#define MULADDC_X1_INIT                                                                            \
    {                                                                                              \
        uint32_t b_low = b & 0xFFFFu, b_high = b >> 16;
#define MULADDC_X1_CORE                                                                            \
    {                                                                                              \
        uint32_t limb = *s++, s_low = limb & 0xFFFFu, s_high = limb >> 16;                         \
        uint32_t low = s_low * b_low, middle = s_high * b_low + (low >> 16);                       \
        uint32_t middle_low = s_low * b_high + (middle & 0xFFFFu);                                 \
        uint32_t high = s_high * b_high + (middle >> 16) + (middle_low >> 16);                     \
        low = middle_low << 16 | (low & 0xFFFFu);                                                  \
        low += c;                                                                                  \
        high += low < c;                                                                           \
        uint32_t sum = *d + low;                                                                   \
        high += sum < low;                                                                         \
        *d++ = sum;                                                                                \
        c = high;                                                                                  \
    }
#define MULADDC_X1_STOP }
#endif

/* ---- certificates ---- */
#define MBEDTLS_ASN1_PARSE_C
#define MBEDTLS_ASN1_WRITE_C
#define MBEDTLS_OID_C
#define MBEDTLS_PK_C
#define MBEDTLS_PK_PARSE_C
#define MBEDTLS_X509_USE_C
#define MBEDTLS_X509_CRT_PARSE_C

/* ---- protocol ---- */
#define MBEDTLS_SSL_TLS_C
#define MBEDTLS_SSL_CLI_C
#define MBEDTLS_SSL_KEEP_PEER_CERTIFICATE /* a pinned key is compared before anything is sent */
#define MBEDTLS_SSL_SERVER_NAME_INDICATION
#define MBEDTLS_SSL_SESSION_TICKETS

#if TW_TLS_LEAST == 12
#define MBEDTLS_SSL_PROTO_TLS1_2
#define MBEDTLS_SSL_PROTO_DTLS
#define MBEDTLS_SSL_DTLS_ANTI_REPLAY
#define MBEDTLS_SSL_DTLS_CONNECTION_ID
#define MBEDTLS_SSL_DTLS_CONNECTION_ID_COMPAT 0
#define MBEDTLS_SSL_EXTENDED_MASTER_SECRET
#define MBEDTLS_SSL_MAX_FRAGMENT_LENGTH
#define MBEDTLS_SSL_VARIABLE_BUFFER_LENGTH
#define MBEDTLS_KEY_EXCHANGE_ECDHE_ECDSA_ENABLED
#define MBEDTLS_KEY_EXCHANGE_ECDHE_RSA_ENABLED
#define MBEDTLS_KEY_EXCHANGE_PSK_ENABLED
#define MBEDTLS_SSL_CIPHERSUITES                                                                   \
    MBEDTLS_TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,                                               \
        MBEDTLS_TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, MBEDTLS_TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8, \
        MBEDTLS_TLS_PSK_WITH_AES_128_GCM_SHA256, MBEDTLS_TLS_PSK_WITH_AES_128_CCM_8
#else
#define MBEDTLS_SSL_CIPHERSUITES MBEDTLS_TLS1_3_AES_128_GCM_SHA256
#endif

#if TW_TLS_MOST > 12
#define MBEDTLS_SSL_PROTO_TLS1_3
#define MBEDTLS_SSL_RECORD_SIZE_LIMIT
#define MBEDTLS_SSL_TLS1_3_KEY_EXCHANGE_MODE_EPHEMERAL_ENABLED
#define MBEDTLS_SSL_TLS1_3_KEY_EXCHANGE_MODE_PSK_EPHEMERAL_ENABLED
#define MBEDTLS_SSL_TLS1_3_KEY_EXCHANGE_MODE_PSK_ENABLED
#define MBEDTLS_PKCS1_V21 /* a server with an RSA key signs by RSASSA-PSS (RFC 8446, 4.2.3) */
#define MBEDTLS_X509_RSASSA_PSS_SUPPORT
/* TLS 1.3 calls the primitives through the PSA interface; only the parts that a handshake calls are
 * built. */
#define MBEDTLS_PSA_CRYPTO_C
#define MBEDTLS_PSA_CRYPTO_EXTERNAL_RNG
#define MBEDTLS_PSA_CRYPTO_CONFIG
#define MBEDTLS_PSA_CRYPTO_CONFIG_FILE "tw_psa_config.h"
#define MBEDTLS_PSA_KEY_SLOT_COUNT 8
#endif

/* ---- the laboratory's DTLS server (hil/peers/dtls) ---- */
#ifdef TW_DTLS_SERVER
#define MBEDTLS_SSL_SRV_C
#define MBEDTLS_SSL_COOKIE_C
#define MBEDTLS_SSL_DTLS_HELLO_VERIFY
#define MBEDTLS_SSL_DTLS_CLIENT_PORT_REUSE
#define MBEDTLS_SSL_TICKET_C
#define MBEDTLS_PEM_PARSE_C
#define MBEDTLS_BASE64_C
#define MBEDTLS_FS_IO
#endif

/* ---- memory ---- */
#ifndef TW_SECURE_IN_BYTES
#define TW_SECURE_IN_BYTES 4096
#endif
#ifndef TW_SECURE_OUT_BYTES
#define TW_SECURE_OUT_BYTES 2048
#endif
#define MBEDTLS_SSL_IN_CONTENT_LEN TW_SECURE_IN_BYTES
#define MBEDTLS_SSL_OUT_CONTENT_LEN TW_SECURE_OUT_BYTES
#define MBEDTLS_SSL_DTLS_MAX_BUFFERING 4096
#define MBEDTLS_SSL_CID_IN_LEN_MAX 8
#define MBEDTLS_SSL_CID_OUT_LEN_MAX 8
#define MBEDTLS_SSL_CID_TLS1_3_PADDING_GRANULARITY 1
#define MBEDTLS_ECP_WINDOW_SIZE 4
#define MBEDTLS_ECP_FIXED_POINT_OPTIM 1
#define MBEDTLS_MPI_WINDOW_SIZE 1
#define MBEDTLS_MPI_MAX_SIZE 512 /* RSA of 4096 bits */
#define MBEDTLS_PSK_MAX_LEN 32

#endif
