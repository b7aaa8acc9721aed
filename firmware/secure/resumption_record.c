#include "resumption_record.h"

#include <string.h>

#include "core/util/bytes.h"
#include "mbedtls/sha256.h"

#define MARK 0x54574B31u /* "TWK1" */
#define CHECK_BYTES 8    /* of SHA-256: detects damage, not manipulation */
#define CHECK_AT (TW_RESUMPTION_HEAD_BYTES - CHECK_BYTES)

/* The check over all bytes except the check itself. */
static bool check_of(const uint8_t memory[TW_RESUMPTION_BYTES], size_t size,
                     uint8_t check[CHECK_BYTES]) {
    uint8_t digest[32];
    mbedtls_sha256_context sha;
    mbedtls_sha256_init(&sha);
    int error = mbedtls_sha256_starts(&sha, 0);
    if (!error)
        error = mbedtls_sha256_update(&sha, memory, CHECK_AT);
    if (!error)
        error = mbedtls_sha256_update(&sha, memory + TW_RESUMPTION_HEAD_BYTES, size);
    if (!error)
        error = mbedtls_sha256_finish(&sha, digest);
    mbedtls_sha256_free(&sha);
    memcpy(check, digest, CHECK_BYTES);
    return !error;
}

void tw_resumption_seal(uint8_t memory[TW_RESUMPTION_BYTES],
                        const struct tw_resumption_record *record) {
    struct tw_writer w = tw_writer(memory, CHECK_AT);
    tw_put32(&w, MARK);
    tw_put32(&w, record->starts);
    tw_put32(&w, record->kept_at_s);
    tw_put32(&w, record->lifetime_s);
    tw_put(&w, record->identity, sizeof record->identity);
    tw_put16(&w, record->size);
    tw_put16(&w, 0);
    if (!check_of(memory, record->size, memory + CHECK_AT))
        memset(memory, 0, TW_RESUMPTION_HEAD_BYTES);
}

const char *tw_resumption_unseal(const uint8_t memory[TW_RESUMPTION_BYTES],
                                 struct tw_resumption_record *record) {
    uint8_t check[CHECK_BYTES];
    struct tw_reader r = tw_reader(memory, CHECK_AT);
    uint32_t mark = tw_get32(&r);
    record->starts = tw_get32(&r);
    record->kept_at_s = tw_get32(&r);
    record->lifetime_s = tw_get32(&r);
    memcpy(record->identity, tw_take(&r, sizeof record->identity), sizeof record->identity);
    record->size = (uint16_t)tw_get16(&r);
    if (mark != MARK)
        return "none"; /* the contents of memory at power-on */
    bool whole = record->size <= TW_RESUMPTION_SESSION_BYTES &&
                 check_of(memory, record->size, check) &&
                 !memcmp(check, memory + CHECK_AT, sizeof check);
    return whole ? NULL : "damaged";
}

const char *tw_resumption_unusable(const struct tw_resumption_record *record,
                                   const uint8_t identity[TW_RESUMPTION_IDENTITY_BYTES],
                                   uint32_t now_s) {
    if (!record->size)
        return "none";
    if (memcmp(identity, record->identity, TW_RESUMPTION_IDENTITY_BYTES))
        return "other_configuration";
    if (now_s < record->kept_at_s)
        return "clock_went_back";
    if (record->lifetime_s && now_s - record->kept_at_s >= record->lifetime_s)
        return "expired";
    return NULL;
}
