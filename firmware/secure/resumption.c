#include "resumption.h"

#include <string.h>

#include "credentials.h"
#include "mbedtls/platform.h"
#include "mbedtls/platform_time.h"
#include "mbedtls/sha256.h"
#include "resumption_record.h"
#include "tls13.h"

static mbedtls_ssl_session kept;
static bool has_kept;
/* The contents of the memory that survives a restart. */
static bool looked, has_memory, in_memory;
static uint32_t starts;
static uint8_t identity[TW_RESUMPTION_IDENTITY_BYTES]; /* of this start */

static uint32_t utc_s(void) {
    return (uint32_t)tw_secure_time(NULL);
}

/* What a session is bound to besides its secret. If the address, the way to authenticate the peer
 * or the credentials change, the peer has to authenticate again. */
static bool identify_by(const struct tw_config *config, enum tw_transport transport) {
    uint8_t facts[sizeof config->server_name + 32 + TW_CREDENTIALS_DIGEST_BYTES] = {0}, digest[32];
    uint8_t *at = facts;
    memcpy(at, config->server_name, sizeof config->server_name);
    at += sizeof config->server_name;
    memcpy(at, tw_credentials_digest, TW_CREDENTIALS_DIGEST_BYTES);
    at += TW_CREDENTIALS_DIGEST_BYTES;
    memcpy(at, &config->peer, sizeof config->peer);
    at += sizeof config->peer;
    memcpy(at, &config->port, sizeof config->port);
    at += sizeof config->port;
    *at++ = (uint8_t)config->security;
    *at++ = (uint8_t)transport;
    *at++ = tw_is_tls13(config);
    *at++ = config->own_certificate;
    if (mbedtls_sha256(facts, sizeof facts, digest, 0))
        return false;
    memcpy(identity, digest, TW_RESUMPTION_IDENTITY_BYTES);
    return true;
}

/* Erases the session and keeps the count of starts. */
static void clear_memory(void) {
    uint8_t memory[TW_RESUMPTION_BYTES] = {0};
    struct tw_resumption_record record = {.starts = starts};
    tw_resumption_seal(memory, &record);
    tw_board_keep(memory);
    in_memory = false;
}

#if TW_TLS_MOST > 12
/* mbedTLS reads the server name in a saved session of TLS 1.3 as a terminated string, whatever the
 * memory holds. It is replaced by the name of the configuration, which a valid record has. */
static bool rename_session(const struct tw_config *config) {
    char **name = &kept.MBEDTLS_PRIVATE(hostname);
    if (!*name)
        return true;
    size_t size = strlen(config->server_name) + 1u;
    mbedtls_free(*name);
    *name = mbedtls_calloc(1, size);
    if (*name)
        memcpy(*name, config->server_name, size);
    return *name != NULL;
}

/* The reason why a ticket's age is invalid, or NULL: mbedTLS subtracts the time of receipt without
 * a check. */
static const char *untimely(void) {
    mbedtls_ms_time_t came_at = kept.MBEDTLS_PRIVATE(ticket_reception_time);
    if (came_at < 0)
        return "unreadable";
    return came_at > mbedtls_ms_time() ? "clock_went_back" : NULL;
}
#else
static bool rename_session(const struct tw_config *config) {
    (void)config;
    return true;
}

static const char *untimely(void) {
    return NULL;
}
#endif

static const char *load(const uint8_t memory[TW_RESUMPTION_BYTES], const struct tw_config *config) {
    struct tw_resumption_record record;
    const char *unusable = tw_resumption_unseal(memory, &record);
    if (unusable)
        return unusable;
    starts = record.starts + 1u;
    unusable = tw_resumption_unusable(&record, identity, utc_s());
    if (unusable)
        return unusable;
    mbedtls_ssl_session_init(&kept);
    has_kept = !mbedtls_ssl_session_load(&kept, memory + TW_RESUMPTION_HEAD_BYTES, record.size);
    unusable = has_kept ? untimely() : "unreadable";
    if (!unusable && !rename_session(config))
        unusable = "unreadable";
    if (!unusable)
        return "recalled";
    tw_resumption_drop();
    return unusable;
}

const char *tw_resumption_recall(const struct tw_config *config, enum tw_transport transport) {
    uint8_t memory[TW_RESUMPTION_BYTES];
    if (!config->resume || looked)
        return NULL;
    looked = true;
    has_memory = tw_board_recall(memory) && identify_by(config, transport);
    if (!has_memory)
        return NULL;
    const char *came = load(memory, config);
    clear_memory();
    return came;
}

uint32_t tw_resumption_starts(void) {
    return starts;
}

/* The peer's certificate is most of a session of TLS 1.2, and a resumption does not send it. */
static void strip_certificate(mbedtls_ssl_session *session) {
    mbedtls_x509_crt *certificate = session->MBEDTLS_PRIVATE(peer_cert);
    if (!certificate)
        return;
    mbedtls_x509_crt_free(certificate);
    mbedtls_free(certificate);
    session->MBEDTLS_PRIVATE(peer_cert) = NULL;
}

/* Writes the session to the memory that survives a restart. */
static bool store(size_t *bytes) {
    uint8_t memory[TW_RESUMPTION_BYTES] = {0};
    struct tw_resumption_record record = {.starts = starts,
                                          .kept_at_s = utc_s(),
                                          .lifetime_s = kept.MBEDTLS_PRIVATE(ticket_lifetime)};
    int error = mbedtls_ssl_session_save(&kept, memory + TW_RESUMPTION_HEAD_BYTES,
                                         TW_RESUMPTION_SESSION_BYTES, bytes);
    if (error) {
        if (in_memory)
            clear_memory(); /* of an older session */
        return false;
    }
    record.size = (uint16_t)*bytes;
    memcpy(record.identity, identity, sizeof identity);
    tw_resumption_seal(memory, &record);
    tw_board_keep(memory);
    in_memory = true;
    return true;
}

bool tw_resumption_keep(const mbedtls_ssl_context *ssl, size_t *bytes) {
    *bytes = 0;
    if (has_kept)
        mbedtls_ssl_session_free(&kept);
    mbedtls_ssl_session_init(&kept);
    has_kept = !mbedtls_ssl_get_session(ssl, &kept);
    if (!has_kept) {
        tw_resumption_drop();
        return true;
    }
    strip_certificate(&kept);
    return !has_memory || store(bytes);
}

bool tw_resumption_any(void) {
    return has_kept;
}

int tw_resumption_offer(mbedtls_ssl_context *ssl, const struct tw_config *config) {
    int error = mbedtls_ssl_set_session(ssl, &kept);
    if (tw_is_tls13(config))
        tw_resumption_drop();
    return error;
}

void tw_resumption_drop(void) {
    if (has_kept)
        mbedtls_ssl_session_free(&kept);
    has_kept = false;
    if (in_memory)
        clear_memory();
}
