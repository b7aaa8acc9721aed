/*
 * mbedTLS for WPA2-Personal: PBKDF2 and HMAC with SHA-1, AES key wrap, CCM.
 */
#ifndef MBEDTLS_OF_WPA2_H
#define MBEDTLS_OF_WPA2_H

#define MBEDTLS_AES_C
#define MBEDTLS_CCM_C
#define MBEDTLS_CIPHER_C
#define MBEDTLS_MD_C
#define MBEDTLS_NIST_KW_C
#define MBEDTLS_PKCS5_C
#define MBEDTLS_SHA1_C

#endif
