/* OSCORE's primitives by mbedTLS. */
#include "core/protocols/oscore/oscore_crypto.h"

#include "mbedtls/ccm.h"
#include "mbedtls/hkdf.h"

bool tw_oscore_hkdf(struct tw_oscore_bytes salt, struct tw_oscore_bytes secret,
                    struct tw_oscore_bytes info, uint8_t *out, size_t size) {
    return !mbedtls_hkdf(mbedtls_md_info_from_type(MBEDTLS_MD_SHA256), salt.data, salt.size,
                         secret.data, secret.size, info.data, info.size, out, size);
}

bool tw_oscore_seal(const uint8_t key[TW_OSCORE_KEY_BYTES],
                    const uint8_t nonce[TW_OSCORE_NONCE_BYTES], struct tw_oscore_bytes aad,
                    uint8_t *data, size_t size) {
    mbedtls_ccm_context ccm;
    mbedtls_ccm_init(&ccm);
    int failed = mbedtls_ccm_setkey(&ccm, MBEDTLS_CIPHER_ID_AES, key, 8 * TW_OSCORE_KEY_BYTES);
    if (!failed)
        failed =
            mbedtls_ccm_encrypt_and_tag(&ccm, size, nonce, TW_OSCORE_NONCE_BYTES, aad.data,
                                        aad.size, data, data, data + size, TW_OSCORE_TAG_BYTES);
    mbedtls_ccm_free(&ccm);
    return !failed;
}

bool tw_oscore_open(const uint8_t key[TW_OSCORE_KEY_BYTES],
                    const uint8_t nonce[TW_OSCORE_NONCE_BYTES], struct tw_oscore_bytes aad,
                    struct tw_oscore_bytes sealed, uint8_t *out) {
    size_t size = sealed.size - TW_OSCORE_TAG_BYTES;
    mbedtls_ccm_context ccm;
    if (sealed.size < TW_OSCORE_TAG_BYTES)
        return false;
    mbedtls_ccm_init(&ccm);
    int failed = mbedtls_ccm_setkey(&ccm, MBEDTLS_CIPHER_ID_AES, key, 8 * TW_OSCORE_KEY_BYTES);
    if (!failed)
        failed =
            mbedtls_ccm_auth_decrypt(&ccm, size, nonce, TW_OSCORE_NONCE_BYTES, aad.data, aad.size,
                                     sealed.data, out, sealed.data + size, TW_OSCORE_TAG_BYTES);
    mbedtls_ccm_free(&ccm);
    return !failed;
}
